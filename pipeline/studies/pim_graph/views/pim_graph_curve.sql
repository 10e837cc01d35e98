-- Time and energy of each policy against QR, over those of the baseline at the least QR of the same graph, algorithm, stacks
-- and source (energy: over its energy at 1x): geometric means over sources, Student's t intervals on the logarithms. Queues
-- in hardware, default setting.
-- graph: graph
-- kind: stand_in or dropped
-- origin: generated or measured
-- algorithm: bfs, sssp or bc
-- stacks: stacks of memory [1]
-- scheduler: policy
-- qr: QR, access to remote memory [cycles]
-- batches: sources [1]
-- cycles: mean time [cycles]
-- time: time over that of the baseline at the least QR [1]
-- time_lo: lower end of its 95 % interval; null for one source [1]
-- time_hi: upper end; null for one source [1]
-- local_accesses: words accessed in local memory, mean [1]
-- remote_accesses: words accessed in remote memory, mean [1]
-- energy_1x: energy, a remote access at that of a local one [1]
-- energy_5x: energy, a remote access at five times that [1]
-- energy_10x: energy, a remote access at ten times that [1]
-- imbalance: largest work of a core over the mean [1]
CREATE VIEW pim_graph_curve AS
WITH ran AS (
    SELECT *
    FROM pim_graph_result
    WHERE whole AND setting = 'default' AND queue = 'pim'
),
base AS (
    SELECT graph, kind, algorithm, stacks, roots, batch, cycles AS base_cycles, energy_1x AS base_energy
    FROM ran
    WHERE scheduler = 'baseline'
    QUALIFY row_number() OVER (PARTITION BY graph, kind, algorithm, stacks, roots, batch ORDER BY qr) = 1
),
mean AS (
    SELECT
        graph, kind, origin, algorithm, stacks, scheduler, qr, count(*) AS batches,
        avg(cycles) AS cycles,
        avg(ln(cycles / base_cycles)) AS time_log, stddev_samp(ln(cycles / base_cycles)) / sqrt(count(*)) AS time_error,
        avg(local_accesses) AS local_accesses, avg(remote_accesses) AS remote_accesses,
        exp(avg(ln(energy_1x / base_energy))) AS energy_1x,
        exp(avg(ln(energy_5x / base_energy))) AS energy_5x,
        exp(avg(ln(energy_10x / base_energy))) AS energy_10x,
        avg(imbalance) AS imbalance
    FROM ran JOIN base USING (graph, kind, algorithm, stacks, roots, batch)
    GROUP BY ALL
)
SELECT
    graph, kind, origin, algorithm, stacks, scheduler, qr, batches, cycles,
    exp(time_log) AS time,
    exp(time_log - t * time_error) AS time_lo,
    exp(time_log + t * time_error) AS time_hi,
    local_accesses, remote_accesses, energy_1x, energy_5x, energy_10x, imbalance
FROM mean LEFT JOIN student_t ON replicates = batches
ORDER BY graph, algorithm, stacks, scheduler, qr;
