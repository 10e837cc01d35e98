-- Distributions of the nodes per job, of the length of a phase and of the phases per job, of each dropped trace (paper,
-- Figures 3a to 3c).
-- trace: trace
-- quantity: nodes (3a), phase_length_s (3b) or phases_per_job (3c)
-- value: value, in the unit of the quantity
-- share: share of the jobs (of the phases, for their length) that have at most this much [1]
-- exact: whether the rows are all values there are (a step at each); else the function is linear between them
CREATE VIEW fig_hpc_memory_3 AS
SELECT trace, quantity, value, share, exact
FROM distribution
WHERE quantity IN ('nodes', 'phase_length_s', 'phases_per_job')
ORDER BY trace, quantity, value;
