-- The cheapest mix of local memory and pool for one trace and any loss that one accepts; the growth of the response time is
-- that of the configuration (memory_tiers.response_bound). A name that is not there is an error. docs/guides/capacity.md
-- columns: as memory_mix_at
CREATE MACRO memory_mix(trace_name, accepted_loss) AS TABLE
WITH every AS MATERIALIZED (
    FROM memory_mix_at(
        [accepted_loss],
        coalesce((SELECT max(value::DOUBLE) FROM setting WHERE key = 'memory_tiers.response_bound'), 0.1)
    )
)
FROM every WHERE trace = known_name(trace_name, (SELECT list(DISTINCT trace) FROM every), 'trace');
