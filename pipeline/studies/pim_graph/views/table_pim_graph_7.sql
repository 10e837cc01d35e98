-- The graphs beside those of the thesis's Table 7 and Figure 18: numbers of the stand-ins, and of dropped graphs.
-- workload_id: graph, as in scenario
-- graph: name
-- kind: stand_in or dropped
-- scale: scale of a stand-in [1]
-- vertices: vertices [1]
-- edges: directed edges; the thesis counts those of the roads once [1]
-- degree: mean out-degree [1]
-- most_degree: largest out-degree [1]
-- local_share: share of edges that stay on their stack, on 4 stacks [1]
-- depth: levels below the first source [1]
-- thesis_vertices: vertices in the thesis [1]
-- thesis_edges: edges in the thesis [1]
-- thesis_degree: degree in the thesis [1]
-- thesis_diameter: diameter in the thesis; null = not printed [1]
CREATE VIEW table_pim_graph_7 AS
SELECT
    workload_id, graph, kind, scale, vertices, edges, degree, most_degree, local_share, depth,
    thesis_vertices, thesis_edges, thesis_degree, thesis_diameter
FROM workload_pim_graph
LEFT JOIN (
    VALUES
        ('road', 1379917, 1921660, 1.4, 1054),
        ('amazon', 403394, 3387388, 8.4, 35),
        ('pokec', 1632803, 30622564, 18.7, 14),
        ('google', 875713, 5105039, NULL, NULL)
) AS printed (graph, thesis_vertices, thesis_edges, thesis_degree, thesis_diameter) USING (graph)
ORDER BY kind DESC, workload_id;
