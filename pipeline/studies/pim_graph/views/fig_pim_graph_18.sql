-- On which of four stacks the neighbours lie of the vertices of stack 1 (the thesis's PIM2), by level: stand-ins of
-- a web graph (thesis, Figure 18).
-- graph: graph
-- level: distance from the source [1]
-- neighbour_stack: stack of the neighbours, from 0
-- neighbours: neighbours there [1]
-- share: of the neighbours of the level [1]
CREATE VIEW fig_pim_graph_18 AS
SELECT
    graph, level, neighbour_stack, neighbours,
    neighbours / sum(neighbours) OVER (PARTITION BY graph, level) AS share
FROM neighbours_pim_graph
JOIN workload_pim_graph USING (workload_id)
WHERE kind = 'stand_in' AND graph = 'google' AND stack = 1
QUALIFY scale = max(scale) OVER (PARTITION BY graph)
ORDER BY graph, level, neighbour_stack;
