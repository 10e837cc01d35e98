-- Which scheduler answers each question of a study best, from its scores (more is better): the best mean; of those
-- whose paired interval does not tell them from it (tie_bound) the simplest. The views recommended_<study> are made with it,
-- but for studies that compare two measures or a cost: they have no scores, and no row here. A study
-- that is not there is an error.
-- question: question, as in the scores
-- scheduler: scheduler to use
-- best_mean: scheduler with the best mean; another than the recommended one where the two are a tie
-- replicates: independent replicates [1]
-- score: mean score of the recommended scheduler [as score]
-- score_lo: lower end of its 95 % interval; null for one replicate [as score]
-- score_hi: upper end; null for one replicate [as score]
-- runner_up: best of the others
-- difference: score less that of the runner-up, pair by pair [as score]
-- difference_lo: lower end of its paired 95 % interval; null for one replicate [as score]
-- difference_hi: upper end; null for one replicate [as score]
-- tied: whether the two are a tie; null = not known: another mean over two to four replicates that were drawn, whose interval holds no difference, too
CREATE MACRO recommend(study_name, least_tie := 0.001, above := '-infinity') AS TABLE
WITH own AS MATERIALIZED (
    SELECT question, scheduler, complexity, replicate, drawn, score
    FROM score JOIN scheduler USING (study, scheduler)
    WHERE study = known_name(study_name, (SELECT list(DISTINCT study) FROM scheduler), 'study')
),
mean AS (
    SELECT
        question, scheduler, complexity, avg(score) AS score, any_value(drawn) AS drawn, count(*) AS replicates,
        stddev_samp(score) / sqrt(count(*)) AS error
    FROM own
    GROUP BY ALL
),
placed AS (
    SELECT *, row_number() OVER best AS place, first_value(scheduler) OVER best AS best_mean
    FROM mean
    -- Equal means differ in their last bits with the order of the sum.
    WINDOW best AS (PARTITION BY question ORDER BY round(score, 9) DESC, complexity)
),
compared AS (
    SELECT
        a.question, a.scheduler, b.scheduler AS other,
        avg(a.score - b.score) AS difference,
        any_value(t) * stddev_samp(a.score - b.score) / sqrt(count(*)) AS half,
        count(*) AS pairs
    FROM own AS a
    JOIN own AS b USING (question, replicate)
    JOIN mean ON mean.question = a.question AND mean.scheduler = a.scheduler
    LEFT JOIN student_t USING (replicates)
    GROUP BY ALL
),
paired AS (
    SELECT *, tie_bound(half, pairs, few := least_tie) AS tie FROM compared
),
chosen AS (
    SELECT placed.*
    FROM placed
    JOIN paired
        ON paired.question = placed.question AND paired.scheduler = best_mean AND paired.other = placed.scheduler
    WHERE difference <= tie AND score > above::DOUBLE
    QUALIFY row_number() OVER (PARTITION BY placed.question ORDER BY complexity, place) = 1
),
runner_up AS (
    SELECT placed.question, placed.scheduler
    FROM placed JOIN chosen USING (question)
    WHERE placed.scheduler <> chosen.scheduler
    QUALIFY row_number() OVER (PARTITION BY placed.question ORDER BY placed.place) = 1
)
SELECT
    chosen.question, chosen.scheduler, best_mean, chosen.replicates,
    score, score - t * error AS score_lo, score + t * error AS score_hi,
    runner_up.scheduler AS runner_up,
    difference, difference - half AS difference_lo, difference + half AS difference_hi,
    CASE
        WHEN difference <= tie THEN true
        WHEN NOT drawn OR chosen.replicates >= 5 OR difference - half > 0 THEN false
    END AS tied
FROM chosen
LEFT JOIN student_t ON student_t.replicates = chosen.replicates
LEFT JOIN runner_up USING (question)
LEFT JOIN paired
    ON paired.question = chosen.question AND paired.scheduler = chosen.scheduler
    AND paired.other = runner_up.scheduler;
