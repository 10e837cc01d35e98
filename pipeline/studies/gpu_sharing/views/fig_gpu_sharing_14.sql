-- Figure 14 of the thesis, for every pair that a trace states: throughput of both applications and the system for each split,
-- and which policies choose it.
-- trace: trace that the curves come from
-- mix: applications of the mix, joined by +
-- sms: SMs of the GPU [1]
-- first_sms: SMs of the first application; the other has the rest [1]
-- line: application, or system
-- throughput: instructions a cycle, or the curves' other rate [1]
-- cooperative: the same in cooperative multitasking [1]
-- policies: policies that choose the split, joined by a comma; null where none does
CREATE VIEW fig_gpu_sharing_14 AS
SELECT trace, mix, sms, first_sms, line, throughput, cooperative, policies
FROM gpu_sharing_split
WHERE kind = 'stated'
ORDER BY trace, mix, sms, line, first_sms;
