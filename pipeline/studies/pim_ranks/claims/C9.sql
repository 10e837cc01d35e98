/*
source: "ICS 2025, Section 4.4, Figure 10"
statement: The overhead of PIM-CARE is about 6 % whatever the workload.
unit: share of execution time
paper_value: 0.06
digit: 0.01
kind: input
configuration: an input of the replays (6 % of PIM-CARE and SM-Opt (OoO), 5.5 % of SM-Opt (FCFS), none of sequential ones), no result of them; what was put in stands in fig_pim_ranks_10
differs: The overhead is put into the model as the paper prints it.
*/
SELECT 'default' AS setting, scenario_id AS replicate, overhead_share AS value
FROM pim_ranks_paper
WHERE scheduler = 'pim_care'
