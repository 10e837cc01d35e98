-- What of each trace was not used: its share of the rows, and the main reason.
-- trace: trace
-- unused: what was rejected or left out of its tables, in words
CREATE VIEW unused AS
WITH told AS (
    SELECT trace, table_name, reason, first(detail ORDER BY file, "row") AS detail
    FROM rejected_row
    WHERE trace IS NOT NULL
    GROUP BY ALL
),
counted AS (
    SELECT
        tally.trace, tally.table_name, fate, reason, "rows", coalesce(tally.detail, told.detail) AS detail,
        sum("rows") OVER of_fate AS unused, count(*) OVER of_fate AS reasons,
        sum("rows") FILTER (fate <> 'observed') OVER (PARTITION BY tally.trace, tally.table_name) AS whole,
        row_number() OVER (PARTITION BY tally.trace, tally.table_name, fate ORDER BY "rows" DESC, reason) AS place
    FROM tally LEFT JOIN told USING (trace, table_name, reason)
    -- Launches that make one row are all used.
    WHERE reason IS DISTINCT FROM 'launches_merged'
    WINDOW of_fate AS (PARTITION BY tally.trace, tally.table_name, fate)
)
SELECT
    trace,
    string_agg(
        said_number(unused) || ' of ' || said_number(whole) || ' ' || replace(table_name, '_', ' ') || ' '
        || replace(fate, '_', ' ') || ' (' || said_share(unused / whole) || '): '
        || CASE WHEN reasons > 1 THEN 'mainly ' ELSE '' END || reason || coalesce(' (' || detail || ')', '')
        || CASE WHEN reasons > 1 THEN ', ' || said_share("rows" / unused, digits := 0) || ' of these' ELSE '' END,
        '; ' ORDER BY table_name, fate DESC
    ) AS unused
FROM counted
WHERE place = 1 AND fate IN ('rejected', 'left_out')
GROUP BY trace
ORDER BY trace;
