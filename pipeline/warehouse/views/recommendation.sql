-- Which scheduler to use: the recommendations of all studies in one form, by the headline measure of each. Ties go to the
-- simpler scheduler (tie_bound). The views recommended_… of the studies say more.
-- study: study
-- trace: trace that was replayed; of synthetic workloads what stands in its place: phased, dynamic, admissible, proxy, published, ensemble, generated, or the graph
-- workload: what is to be run
-- machine: size of the machine, in words
-- scheduler: scheduler to use; null = none does
-- metric: headline measure of the study
-- value: the recommended scheduler's mean [as metric]
-- runner_up: best of the others
-- margin: what the recommended one gains over the runner-up: of a share (utilisation, schedulable) the difference, else the relative gain [1]
-- margin_lo: lower end of its paired 95 % interval; null for one replicate [1]
-- margin_hi: upper end; null for one replicate [1]
-- tied: whether the two are a tie, of which the simpler one is recommended; null = not known, from fewer than five replicates (pim_ranks)
-- replicates: independent replicates [1]
CREATE VIEW recommendation AS
SELECT
    study, trace, workload, round(memory_per_node_gb, 1) || ' GB a node' AS machine, scheduler, 'utilisation' AS metric,
    utilisation AS value, runner_up, margin, margin_lo, margin_hi, tied, blocks AS replicates
FROM recommended_scheduler
UNION ALL
SELECT
    study, tables, concat_ws(', ', coalesce(set_name, kind), evidence, requests, arrival, 'load ' || load, jobs || ' jobs'),
    ranks || ' ranks', scheduler, 'throughput over se_full', throughput_ratio, runner_up, margin - 1, margin_lo - 1,
    margin_hi - 1, tied, batches
FROM recommended_pim_scheduler
UNION ALL
SELECT
    study, kernels, concat_ws(', ', coalesce(pair, kind), arrival, 'load ' || load, applications || ' applications'),
    sms || ' SMs', scheduler, 'throughput over cuda, less one', gain_over_cuda, runner_up, margin, margin_lo, margin_hi,
    tied, batches
FROM recommended_corun_scheduler
UNION ALL
SELECT
    study, source, kind || ', ' || applications || ' applications', sms || ' SMs', scheduler, 'system_speedup',
    system_speedup, runner_up, margin - 1, margin_lo - 1, margin_hi - 1, tied, replicates
FROM recommended_gpu_sharing
UNION ALL
SELECT
    study, coalesce(trace_id, 'generated'), workload, sms || ' SMs', scheduler, 'schedulable', schedulable, runner_up,
    margin, margin_lo, margin_hi, tied, sets
FROM recommended_gpu_partition
UNION ALL
SELECT
    study, graph, algorithm || ', QR ' || qr || ' cycles', stacks || ' stacks', scheduler, 'time over baseline',
    time_ratio, runner_up, margin - 1, margin_lo - 1, margin_hi - 1, tied, batches
FROM recommended_pim_graph
WHERE energy_ratio = 1;
