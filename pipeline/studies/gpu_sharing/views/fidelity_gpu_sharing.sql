-- How far throughputs on left-out sizes of a GPU are from the measured ones (prediction_gpu_sharing).
-- columns: as fidelity
CREATE VIEW fidelity_gpu_sharing AS
FROM prediction_errors('gpu_sharing');
