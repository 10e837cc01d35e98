/*
source: "IPDPS 2019, Section V-E"
statement: Slate runs RG beside every other kernel and all other pairs alone; RG beside RG follows from Table I.
unit: yes/no
paper_value: 1
kind: input
configuration: follows from the letters of Table I and the rule of Section III, which are put in, and is no result of the replays; the query shows that the rule is built as printed, and holds in a replicate where the pairs that ran side by side are exactly the five with RG in them; admissible models, published pairs, 30 SMs, Table I as printed, tasks of 10 blocks; a setting is a machine with a split of the SMs, its replicates are draws of kernels; the value is at the equal split over machines, each with the mean over its draws
differs: "The letters of Table I and the rule on them are put into the model; the pairs follow."
*/
SELECT setting, replicate, bool_and(corun = list_contains(string_split(pair, '-'), 'RG')) AS value
FROM gpu_corun_claim
WHERE kind = 'pair'
GROUP BY ALL
HAVING count(*) = 15
