-- How far replays of each dropped log are from what its machine did: each dialect of the queue, each half of the time of
-- submissions. docs/fidelity.md has the measures.
-- trace: trace
-- run: last part of its name, which tells executions of one workload from each other
-- setting: dialect of the queue (docs/fidelity.md); measured = facts of the log itself
-- half: first or second half of the time of submissions, or whole
-- measure: what is compared
-- value: its value [unit]
-- unit: s, or 1 for shares and ratios
-- noise: mean size of the measure between executions of the workload on the machine; null = it ran once [unit]
-- closest: whether the setting has the fewest discordant pairs in the first half
CREATE VIEW fidelity AS
SELECT
    trace, split_part(trace, '/', -1) AS run, setting, half, measure, value, unit, noise, closest
FROM log_fidelity;
