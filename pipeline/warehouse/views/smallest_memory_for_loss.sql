-- How much memory is enough, and what it saves: the least memory per node whose mean loss stays within each bound of the
-- configuration (hpc_memory.loss_bounds), there and at every larger size that was tried. docs/capacity.md
-- columns: as smallest_memory_at
CREATE VIEW smallest_memory_for_loss AS
FROM smallest_memory_at((
    SELECT from_json(value, '["DOUBLE"]') FROM setting WHERE key = 'hpc_memory.loss_bounds'
));
