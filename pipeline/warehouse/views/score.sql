-- What recommends schedulers: in each study one number for each question, scheduler and independent replicate, more is better.
-- The views score_<study> say what it is.
-- study: study
-- question: number of the question
-- scheduler: scheduler
-- replicate: replicate, the same for all schedulers
-- drawn: whether replicates are drawn at random
-- score: what is compared: means over replicates [as score_<study>]
CREATE VIEW score AS
{each study: SELECT study, question, scheduler, replicate, drawn, score FROM score_*};
