-- How much memory is enough, and what it saves: the least memory per node whose mean loss stays within each bound of the
-- configuration (hpc_memory.loss_bounds), there and at every larger size that was tried. docs/capacity.md
-- study: study
-- trace: trace the jobs come from, or the kind of a synthetic workload
-- workload: workload without its batch; null = the trace is in none that has an answer
-- scheduler: scheduler; null = as workload
-- loss_bound: loss against unlimited memory that is accepted [1]
-- memory_per_node_gb: least memory per node that keeps it; null = none that was tried does [GB]
-- memory_lo_gb: lower end of its 95 % interval: largest size at which even the lower end of the loss's interval exceeds the bound; null = none, or one batch [GB]
-- memory_hi_gb: upper end: least size from which on the upper end of the loss's interval keeps the bound; null = none, or one batch [GB]
-- fails_at_gb: largest size tried that fails; the least that is enough lies above it; null = none tried does [GB]
-- loss: mean loss at memory_per_node_gb [1]
-- loss_lo: lower end of its 95 % interval [1]
-- loss_hi: upper end of its 95 % interval [1]
-- response_ratio: mean response time there over that with unlimited memory [1]
-- wait_ratio: mean waiting time there over that with unlimited memory [1]
-- batches: independent batches [1]
-- nodes: nodes of the machine [1]
-- node_memory_gb: memory a node that savings are counted from; null = not known [GB]
-- gb_saved: memory saved on the whole machine; negative = that much more [GB]
-- share_saved: gb_saved as a share of the machine's memory [1]
-- usd_saved: gb_saved at the price of the configuration (prices.memory_usd_per_gb) [USD]
-- unanswered: why there is no memory_per_node_gb, in words; null = there is
CREATE VIEW smallest_memory_for_loss AS
FROM smallest_memory_at((
    SELECT from_json(value, '["DOUBLE"]') FROM setting WHERE key = 'hpc_memory.loss_bounds'
));
