/*
source: "thesis, Section 5.4, Figure 12b"
statement: Beside SHA1 JPEG-D needs 12 SMs at first, and 11 once SHA1 is reduced to 12 SMs or less.
unit: yes/no
parts: {JPEG-D ends at 11 SMs with SHA1 at 12 or less: yes, it had 12 before: yes}
main: [JPEG-D ends at 11 SMs with SHA1 at 12 or less]
kind: yes_no
ensemble: true
configuration: 80 % of the QoS, mid-point, half of the SMs at the start, spare SMs idle; replicates are surrogate curves with contention, kept because 11 SMs are the fewest for JPEG-D alone; settings leave the mid-point out
differs: It depends on how hard SHA1 presses on JPEG-D, which the thesis does not print. With the contention assumed SHA1 ends at about ten SMs in the mean, but JPEG-D keeps 12 or more in most members.
evidence: |
  WITH ends AS (
    SELECT member, arg_max(round.sms, round) FILTER (app = 'JPEG-D') AS jpeg, arg_max(round.sms, round) FILTER (app = 'SHA1') AS sha1
    FROM gpu_sharing_qos JOIN round_gpu_sharing AS round USING (scenario_id) JOIN outcome_gpu_sharing USING (scenario_id, slot)
    WHERE mix = 'JPEG-D+SHA1' AND scheduler = 'dynamic_linear' AND qos_level = 80 AND start = 'half' AND gamma > 0 AND midpoint GROUP BY member
  )
  SELECT avg((jpeg > 11)::INT) > 0.5 AS holds, avg(jpeg) AS sms_of_jpeg_d, avg(sha1) AS sms_of_sha1, avg((jpeg > 11)::INT) AS members_with_more_than_11
  FROM ends
scenarios: gpu_sharing_qos WHERE mix = 'JPEG-D+SHA1' AND scheduler = 'dynamic_linear' AND qos_level = 80 AND start = 'half' AND gamma > 0
*/
WITH path AS (
    SELECT
        scenario_id, member, midpoint, round, max(round.sms) FILTER (app = 'JPEG-D') AS jpeg,
        max(round.sms) FILTER (app = 'SHA1') AS sha1
    FROM gpu_sharing_qos
    JOIN round_gpu_sharing AS round USING (scenario_id)
    JOIN outcome_gpu_sharing USING (scenario_id, slot)
    WHERE mix = 'JPEG-D+SHA1' AND scheduler = 'dynamic_linear' AND qos_level = 80 AND start = 'half' AND gamma > 0
    GROUP BY ALL
),
judged AS (
    SELECT
        midpoint, member, arg_max(jpeg, round) = 11 AND arg_max(sha1, round) <= 12 AS ends, bool_or(jpeg = 12) AS before
    FROM path
    GROUP BY ALL
)
SELECT DISTINCT
    CASE WHEN midpoint THEN 'default' ELSE 'without mid-point' END AS setting, what AS part, member AS replicate,
    holds AS value
FROM judged
CROSS JOIN LATERAL (
    VALUES ('JPEG-D ends at 11 SMs with SHA1 at 12 or less', ends), ('it had 12 before', before)
) AS said (what, holds)
