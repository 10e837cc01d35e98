-- The cheapest mix of local memory and pool per trace and scheduler, for each loss of the configuration
-- (memory_tiers.loss_bounds) and its growth of the response time (memory_tiers.response_bound). docs/guides/capacity.md
-- columns: as memory_mix_at
CREATE VIEW memory_mix_for_loss AS
FROM memory_mix_at(
    (SELECT from_json(value, '["DOUBLE"]') FROM setting WHERE key = 'memory_tiers.loss_bounds'),
    coalesce((SELECT max(value::DOUBLE) FROM setting WHERE key = 'memory_tiers.response_bound'), 0.1)
);
