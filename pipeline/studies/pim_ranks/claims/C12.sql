/*
source: "ICS 2025, Section 1"
statement: VirtualPIM's Fine doubles the transfers from host to PIM of SCAN-RSS.
unit: times those of Coarse
paper_value: 2
digit: 1
kind: input
configuration: holds by construction of the model, in which each later kernel stage sends the first one's input again and SCAN-RSS has two kernels; no result of the replays
differs: The doubling of transfers is put into the model as the paper prints it.
*/
SELECT 'default' AS setting, app AS replicate, count(*) AS value
FROM pim_stage
WHERE app = 'SCAN-RSS' AND kind = 'kernel'
GROUP BY ALL
