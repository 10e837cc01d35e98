-- Predictions of what machines did, each beside its measurement, of all studies. The views prediction_<study> say how each is
-- made; prediction_errors(study) sums them up, and the view fidelity has the sums.
-- study: study
-- trace: trace that was measured
-- run: part of the trace: its card, or its last name
-- setting: what predicts
-- kind: blind (nothing of the measurement was used) or held out (fitted to the rest, judged on what was left out)
-- left_out: what the prediction had not seen, in words
-- reported: whether it is the setting by which the study is judged
-- independent: application or model that the point is of; points of different ones are independent
-- beside: the other one of a pair; null = there is none
-- point: which measurement of these it is
-- predicted: predicted value [as measured]
-- measured: measured value [prediction_<study> has the unit]
CREATE VIEW prediction AS
{each study: SELECT study, trace, run, setting, kind, left_out, reported, independent, beside, point, predicted, measured FROM prediction_*};
