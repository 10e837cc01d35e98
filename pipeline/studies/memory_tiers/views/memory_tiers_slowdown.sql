-- Who pays: slowdown by class of sensitivity and size, on each machine that was tried, under EASY and where jobs that lack
-- memory wait for it.
-- trace: trace that the jobs come from
-- workload: workload without its batch
-- scheduler: scheduler
-- local_per_node_gb: memory of each node [GB]
-- pool_per_node_gb: pool divided by the nodes [GB]
-- sensitivity_scale: what sensitivities are multiplied by [1]
-- sensitivity_class: class of sensitivity
-- size: one_node, few (up to a tenth of the machine) or many nodes
-- jobs: jobs released after the warm-up that ran
-- rejected: jobs that were rejected
-- stretch: mean of time from start to end over run time with all memory local [1]
-- slowdown: mean bounded slowdown [1]
-- local_slowdown: the same jobs' with all memory local [1]
CREATE VIEW memory_tiers_slowdown AS
SELECT
    trace, family AS workload, scheduler, local_per_node_gb, pool_per_node_gb, sensitivity_scale,
    sensitivity_class, size, sum(class.jobs)::BIGINT AS jobs, sum(rejected)::BIGINT AS rejected,
    sum(stretch) / nullif(sum(class.jobs), 0) AS stretch, sum(slowdown) / nullif(sum(class.jobs), 0) AS slowdown,
    sum(local_slowdown) / nullif(sum(class.jobs), 0) AS local_slowdown
FROM class_memory_tiers AS class
JOIN scenario USING (scenario_id)
JOIN workload_memory_tiers USING (workload_id)
WHERE local_per_node_gb IS NOT NULL AND backfilling = 'easy' AND growth = 'wait'
GROUP BY ALL
ORDER BY ALL;
