-- How far replays and predictions are from what machines did, of all studies: each view fidelity_<study> is one study's part.
-- docs/guides/fidelity.md has the measures.
-- study: study
-- trace: trace
-- run: part of the trace: last part of its name, which tells executions of one workload from each other, or its card
-- setting: what was replayed or what predicts (docs/guides/fidelity.md); measured = facts of the trace itself
-- half: first or second half of the time of submissions, or whole; null = the study has no halves
-- measure: what is compared
-- value: its value [unit]
-- lo: lower end of its 95 % interval, or where limits are drawn the least over the draws; null where there is neither [unit]
-- hi: upper end, or the most [unit]
-- unit: s, or 1 for shares and ratios
-- noise: mean size of the measure between executions of the workload on the machine; null = it ran once [unit]
-- kind: blind (nothing of the measurement was used), held out (chosen or fitted on the rest, judged on what was left out) or fitted; null = a fact of the trace
-- left_out: what the prediction had not seen, in words; null = nothing was left out
-- closest: whether the setting was chosen by the first half of the log; null = the study chooses none
-- reported: whether it is the setting by which the study is judged
CREATE VIEW fidelity AS
{each study: SELECT study, trace, run, setting, half, measure, value, lo, hi, unit, noise, kind, left_out, closest, reported FROM fidelity_*};
