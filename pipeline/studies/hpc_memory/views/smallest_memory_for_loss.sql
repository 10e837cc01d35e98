-- How much memory is enough, and what it saves: the least memory per node that keeps each loss of utilisation of the
-- configuration (hpc_memory.loss_bounds) and its growth of the response time (hpc_memory.response_bound), there and at
-- every larger size that was tried. docs/guides/capacity.md
-- columns: as smallest_memory_at
CREATE VIEW smallest_memory_for_loss AS
FROM smallest_memory_at(
    (SELECT from_json(value, '["DOUBLE"]') FROM setting WHERE key = 'hpc_memory.loss_bounds'),
    coalesce((SELECT max(value::DOUBLE) FROM setting WHERE key = 'hpc_memory.response_bound'), 0.1)
);
