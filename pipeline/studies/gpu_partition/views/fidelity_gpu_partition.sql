-- How far times on left-out numbers of SMs, by the model of a task's cost, are from the measured ones (prediction_gpu_partition).
-- columns: as fidelity
CREATE VIEW fidelity_gpu_partition AS
FROM prediction_errors('gpu_partition');
