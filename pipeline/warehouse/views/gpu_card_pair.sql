-- Kernels of dropped cards side by side, each on SMs of its own: the speed of one beside each other one, at every split that was
-- timed, and alone on as many SMs.
-- trace: trace
-- origin: of the trace: measured on a machine, or generated
-- app: kernel
-- beside: kernel on the other SMs
-- sms: SMs of the kernel; the other one has the rest [1]
-- machine_sms: SMs of the card [1]
-- speed: time alone on the whole card over the time beside the other [1]
-- speed_alone: time alone on the whole card over the time alone on as many SMs [1]
-- slowdown: time beside the other over the time alone on as many SMs [1]
CREATE VIEW gpu_card_pair AS
WITH card AS (
    SELECT trace, origin, max(machine_sms) AS machine_sms FROM gpu_card_kernel GROUP BY ALL
),
alone AS (
    SELECT trace, app, sms, time_s FROM sm_curve WHERE beside IS NULL
)
SELECT
    trace, card.origin, together.app, together.beside, together.sms, machine_sms, whole.time_s / together.time_s AS speed,
    whole.time_s / same.time_s AS speed_alone, together.time_s / same.time_s AS slowdown
FROM sm_curve AS together
JOIN card USING (trace)
JOIN alone AS same USING (trace, app, sms)
JOIN alone AS whole ON (whole.trace, whole.app, whole.sms) = (together.trace, together.app, machine_sms)
WHERE together.beside IS NOT NULL
ORDER BY trace, together.app, together.beside, together.sms;
