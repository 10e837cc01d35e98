-- How much better a scheduler is than the next one, in words; null where there is no other.
-- runner_up: best of the others
-- margin: what the recommended one gains over it [1]
-- lo: lower end of its 95 % interval; null = no interval [1]
-- hi: upper end [1]
-- kind: difference, relative, cost or response, as margin_kind of the view answer
-- tied: whether the two are a tie
-- several: whether it is the least of several margins
CREATE MACRO said_margin(runner_up, margin, lo, hi, kind, tied, several := false) AS
CASE
    WHEN runner_up IS NULL OR margin IS NULL THEN NULL
    WHEN coalesce(tied, false) THEN 'tie with ' || runner_up
    WHEN kind = 'response'
        THEN 'response time ' || said_share(margin) || ' against ' || runner_up || ' (' || said_interval(lo, hi, kind) || ')'
    WHEN kind = 'cost'
        THEN runner_up || ' costs ' || CASE WHEN several THEN 'at least ' ELSE '' END || said_share(margin) || ' more ('
            || said_interval(lo, hi, kind) || ')'
    ELSE CASE WHEN several THEN 'at least ' ELSE '' END || said_margin_number(margin, kind) || ' over ' || runner_up || ' ('
        || said_interval(lo, hi, kind) || ')'
END;
