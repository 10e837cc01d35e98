"""Run a scheduler of pyss on a log: `python2 -O run_pyss.py FOLDER/src SCHEDULER JOBS.swf NODES`, for Python 2.7.

Prints `job,start_s`, the job by its number in the log. SCHEDULER is a class, such as fcfs_scheduler.FcfsScheduler.
"""

import sys

src, scheduler, swf, nodes = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
sys.path[:0] = [src, src + "/schedulers"]
from base.prototype import Job  # noqa: E402
from schedulers.simulator import Simulator  # noqa: E402

jobs = []
for line in open(swf):  # noqa: PTH123, SIM115
    number, submit, _, run, width, _, _, _, limit = [int(each) for each in line.split()[:9]]
    jobs.append(Job(number, limit, run, width, submit))
module, name = scheduler.split(".")
Simulator(jobs, nodes, getattr(__import__("schedulers." + module, fromlist=[name]), name)(nodes)).run()
sys.stdout.write("job,start_s\n" + "".join("{},{}\n".format(job.id, job.start_to_run_at_time) for job in jobs))  # noqa: UP032
