/*
source: "ICS 2025, Section 4.1, Table 2"
statement: The best number of ranks is 11 for BS, 6 for GEMV, 21 for MLP, 16 for TS, 6 for HST-L and 1 for the nine others.
unit: ranks
parts: {BS: 11, GEMV: 6, MLP: 21, TS: 16, BFS: 1, HST-L: 6, HST-S: 1, RED: 1, SCAN-RSS: 1, SCAN-SSA: 1, SEL: 1, SpMV: 1, UNI: 1, VA: 1}
digit: 1
kind: value
configuration: performance tables of the dropped traces of kind 'measured' for machines of 30 ranks, as the paper's is, a trace being a replicate; a generated trace is no evidence, and the admissible tables are drawn to agree with it
differs: It takes measured tables of a machine of 30 ranks, and none was dropped.
*/
SELECT 'default' AS setting, app AS part, trace AS replicate, best_ranks AS value
FROM ranks_to_give
WHERE trace_kind = 'measured' AND max_ranks = 30
