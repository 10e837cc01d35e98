-- Which scheduler to partition a GPU with: the largest share of schedulable task sets of a family, ties to the simpler one
-- (recommend; of fewer than five sets only equal shares tie). Options as in the paper, without its pre-pass. Null where no
-- scheduler holds any set.
-- study: study
-- trace: trace that the tasks come from, or generated
-- question: what is to be run, in words
-- setting: size of the machine, in words
-- scheduler: scheduler to use
-- metric: what value is
-- value: share of sets that are schedulable [1]
-- lo: lower end of its 95 % interval; null for one replicate [as value]
-- hi: upper end; null for one replicate [as value]
-- runner_up: best of the others
-- margin: share of the recommended one less that of the runner-up; below 0: a tie that went to the simpler one [1]
-- margin_lo: lower end of its paired 95 % interval; null for one replicate [1]
-- margin_hi: upper end; null for one replicate [1]
-- margin_kind: difference: of two shares
-- tied: whether runner_up and the recommended one are a tie, of which the simpler one is recommended; null = not known (recommend)
-- replicates: task sets [1]
-- workload: family of task sets: a trace's own, or drawn ones of one size and utilisation (generated, or of SM curves)
-- origin: of the trace: measured on a machine, or generated; synthetic where there is none
-- tasks: tasks of a set
-- utilisation: sum of work / period [SMs]
-- sms: SMs of the GPU
-- best_mean: scheduler with the largest share; another than the recommended one where the two are a tie
-- sms_needed: mean SMs of its partitions, over the sets that it schedules [SMs]
-- sms_least: mean of the fewest SMs that any scheduler needs for a set, merging to exhaustion among them; 1G left out [SMs]
-- sms_spare: SMs of the GPU less that [SMs]
-- sets_held: sets that the recommended scheduler holds
-- sms_enough: most SMs that it needs for one of them: enough for each that it holds [SMs]
CREATE VIEW recommended_gpu_partition AS
WITH asked AS (
    SELECT DISTINCT study, question, workload, trace, tasks, utilisation, sms, sets FROM score_gpu_partition
),
needed AS (
    SELECT question, scheduler, avg(sms_needed) AS sms_needed, count(sms_needed) AS sets_held, max(sms_needed) AS sms_enough
    FROM score_gpu_partition
    GROUP BY ALL
),
fewest AS (
    SELECT workload, sms, avg(sms_needed) AS sms_least
    FROM (
        SELECT workload, sms, batch, min(sms_needed) AS sms_needed
        FROM gpu_partition_result
        WHERE setting IN ('paper', 'merged to exhaustion') AND schedulable = 1 AND scheduler <> 'one_gpu'
        GROUP BY ALL
    )
    GROUP BY ALL
)
SELECT
    study, coalesce(asked.trace, 'generated') AS trace, asked.workload AS question, asked.sms || ' SMs' AS setting,
    answer.scheduler, 'schedulable' AS metric, coalesce(score, 0) AS value, score_lo AS lo, score_hi AS hi,
    runner_up, difference AS margin, difference_lo AS margin_lo, difference_hi AS margin_hi, 'difference' AS margin_kind, tied,
    sets AS replicates,
    asked.workload, coalesce(trace.kind, 'synthetic') AS origin, tasks, utilisation, asked.sms, best_mean,
    sms_needed, sms_least, asked.sms - sms_least AS sms_spare, sets_held, sms_enough
FROM asked
LEFT JOIN recommend('gpu_partition', least_tie := 0, above := 0) AS answer USING (question)
LEFT JOIN needed ON needed.question = answer.question AND needed.scheduler = answer.scheduler
LEFT JOIN fewest ON fewest.workload = asked.workload AND fewest.sms = asked.sms
LEFT JOIN trace ON trace.trace = asked.trace
ORDER BY asked.trace NULLS LAST, tasks, utilisation, asked.workload, asked.sms;
