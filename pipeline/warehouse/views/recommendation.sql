-- Which scheduler to use: the recommendations of all studies in one form, by the headline measure of each. Ties go to the
-- simpler scheduler. The views recommended_<study> say more.
-- study: study
-- trace: trace that was replayed; of synthetic workloads what stands in its place: phased, dynamic, admissible, proxy, published, ensemble, generated, or the graph
-- question: what is to be run, in words
-- setting: size of the machine, in words
-- scheduler: scheduler to use; null = none does
-- metric: headline measure of the study
-- value: the recommended scheduler's mean [as metric]
-- lo: lower end of its 95 % interval; null where there is none [as metric]
-- hi: upper end [as metric]
-- runner_up: best of the others
-- margin: what the recommended one gains over the runner-up [1]
-- margin_lo: lower end of its paired 95 % interval; null where there is none [1]
-- margin_hi: upper end [1]
-- margin_kind: difference (of two shares), relative (a share of the runner-up's value) or cost (what the runner-up costs more, as a share of the recommended one's cost)
-- tied: whether the two are a tie, of which the simpler one is recommended; null = not known, from fewer than five replicates
-- replicates: independent replicates [1]
CREATE VIEW recommendation AS
SELECT DISTINCT *
FROM ({each study: SELECT study, trace, question, setting, scheduler, metric, value, lo, hi, runner_up, margin, margin_lo, margin_hi, margin_kind, tied, replicates FROM recommended_*});
