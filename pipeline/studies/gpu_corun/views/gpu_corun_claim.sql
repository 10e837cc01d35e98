-- What the claims on the published pairs are judged on: Slate with Table I as printed and tasks of 10 blocks on 30 SMs. A
-- setting is a machine of the ensemble with a split of the SMs, its replicates are draws of kernels; setting 'default' is
-- the equal split, the mean over a machine's draws being the replicate.
-- setting: default, or machine and split
-- replicate: in default the machine, else the draw
-- kind: pair or alone
-- pair: names of the two, as BS-RG; of one alone its name
-- gain_over_mps: throughput of Slate over that of MPS, less one [1]
-- gain_over_cuda: throughput of Slate over that of CUDA, less one [1]
-- kernel_gain_over_mps: the same of kernel times over MPS [1]
-- mps_over_cuda: throughput of MPS over that of CUDA, less one [1]
-- corun: whether the two ran side by side
CREATE VIEW gpu_corun_claim AS
WITH run AS (
    SELECT
        machine, draw, split, kind, pair, gain_over_mps, gain_over_cuda, kernel_gain_over_mps,
        (1 + gain_over_cuda) / (1 + gain_over_mps) - 1 AS mps_over_cuda, corun
    FROM gpu_corun_result
    WHERE machine IS NOT NULL AND scheduler = 'slate' AND sms = 30 AND symmetry = 'printed' AND task_size = 10 AND NOT cached
)
SELECT
    machine || '/' || split AS setting, draw AS replicate, kind, pair, gain_over_mps, gain_over_cuda,
    kernel_gain_over_mps, mps_over_cuda, corun
FROM run
UNION ALL
SELECT
    'default', machine, kind, pair, avg(gain_over_mps), avg(gain_over_cuda), avg(kernel_gain_over_mps),
    avg(mps_over_cuda), avg(corun::INT) > 0.5
FROM run
WHERE split = 'equal'
GROUP BY machine, kind, pair;
