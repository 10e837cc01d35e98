"""Runs in Python 2 or 3: `pyss_driver.py CHECKOUT LOG PROCESSORS SCHEDULE`; writes job_id, start_s, simulation_s."""

import os
import sys
import time


def main(checkout, log, processors, schedule):
    """Write the schedule of the log as CSV; the simulation's time stands in every row."""
    sys.path.insert(0, checkout)
    os.chdir(checkout)
    from base.prototype import _job_inputs_to_jobs
    from base.workload_parser import parse_lines
    from schedulers.easy_scheduler import EasyBackfillScheduler
    from schedulers.simulator import run_simulator

    with open(log) as lines:  # noqa: PTH123
        jobs = list(_job_inputs_to_jobs(parse_lines(lines), int(processors)))
    began = time.time()
    done = run_simulator(int(processors), jobs, EasyBackfillScheduler(int(processors))).terminated_jobs
    seconds = time.time() - began
    with open(schedule, "w") as file:  # noqa: PTH123
        file.write("job_id,start_s,simulation_s\n")
        for job in done:
            file.write("%d,%d,%.6f\n" % (job.id, job.start_to_run_at_time, seconds))  # noqa: UP031


if __name__ == "__main__":
    main(*sys.argv[1:])
