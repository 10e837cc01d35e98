-- How many SMs each application of a mix (names joined by +, in any order) should get by one policy, by each dropped trace
-- of SM curves that has them; without a policy by all of them, the largest system speed-up first. Curves are linear between
-- their points, and nothing is lost to contention. A mix or a policy that is not there is an error.
-- trace: trace that the curves come from
-- mix: applications of the mix, joined by +
-- sms: SMs of the GPU [1]
-- policy: policy
-- split: SMs of each application, in the order of the mix [1]
-- system_speedup: sum of throughput over that of cooperative multitasking [1]
-- least_speedup: speed-up of the application that gains least [1]
CREATE MACRO best_split(mix_name, policy_name := NULL) AS TABLE
WITH split AS MATERIALIZED (
    SELECT *, array_to_string(list_sort(string_split(lower(mix), '+')), '+') AS apps
    FROM gpu_sharing_result
    WHERE trace IS NOT NULL AND NOT "dynamic" AND gamma = 0 AND interpolation = 'linear'
)
SELECT trace, mix, sms, policy, split.split, system_speedup, least_speedup
FROM split
WHERE apps = known_name(
    array_to_string(list_sort(string_split(lower(mix_name), '+')), '+'), (SELECT list(DISTINCT apps) FROM split), 'mix'
)
    AND policy = CASE
        WHEN policy_name IS NULL THEN policy
        ELSE known_name(policy_name, (SELECT list(DISTINCT policy) FROM split), 'policy')
    END
-- A mix that the trace states and a mix of its curves may be the same; what is stated goes first.
QUALIFY row_number() OVER (PARTITION BY trace, sms, policy ORDER BY kind = 'stated' DESC, mix) = 1
ORDER BY trace, sms, system_speedup DESC, policy;
