-- How far times at left-out rank counts are from the measured ones (prediction_pim_ranks).
-- columns: as fidelity
CREATE VIEW fidelity_pim_ranks AS
FROM prediction_errors('pim_ranks');
