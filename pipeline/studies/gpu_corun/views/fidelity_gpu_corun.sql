-- How far slowdowns of pairs by the model, and by rules fitted to other pairs, are from the measured ones (prediction_gpu_corun).
-- columns: as fidelity
CREATE VIEW fidelity_gpu_corun AS
FROM prediction_errors('gpu_corun');
