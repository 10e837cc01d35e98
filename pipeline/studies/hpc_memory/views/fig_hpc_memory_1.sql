-- Distribution of the memory that jobs use per node, over the time of the nodes in use, of each dropped trace (paper,
-- Figure 1).
-- trace: trace
-- memory_gb: memory per node [GB]
-- share: share of node time in which at most this much is used [1]
-- exact: whether the rows are all values there are (a step at each); else the function is linear between them
CREATE VIEW fig_hpc_memory_1 AS
SELECT trace, value AS memory_gb, share, exact
FROM distribution
WHERE quantity = 'memory_by_node_time_gb'
ORDER BY trace, memory_gb;
