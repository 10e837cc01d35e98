-- How far slowdowns of pairs by the model are from the measured ones (prediction_gpu_corun).
-- columns: as fidelity
CREATE VIEW fidelity_gpu_corun AS
FROM prediction_errors('gpu_corun');
