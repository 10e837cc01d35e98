"""Run RAPS's default scheduler with FCFS on a log: `python run_raps.py FOLDER easy|firstfit|none JOBS.swf NODES`.

Prints `job,start_s`, the job by its number in the log. RAPS's engine steps from second to second and computes power at
each; here its scheduler and its nodes alone run, in the order of the engine's `prepare_timestep` and `run_simulation`,
at the seconds at which the engine calls the scheduler: where jobs have ended or are submitted.
"""

import sys
from pathlib import Path
from types import ModuleType

package = sys.modules["raps"] = ModuleType("raps")  # without its __init__, which loads the whole engine
package.__path__ = [f"{sys.argv[1]}/raps"]
from raps.job import Job, job_dict  # noqa: E402
from raps.resmgr import ResourceManager  # noqa: E402
from raps.schedulers.default import Scheduler  # noqa: E402

backfilling, swf, nodes = sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])
jobs = []
for line in swf.read_text().splitlines():
    number, submit, _, run, width, _, _, _, limit = map(int, line.split()[:9])
    named = {"id": number, "name": "", "account": "", "nodes_required": width, "submit_time": submit}
    traces = {"cpu_trace": 0, "gpu_trace": 0, "ntx_trace": 0, "nrx_trace": 0}
    times = {"time_limit": limit, "expected_run_time": run, "start_time": None, "end_time": None}
    jobs.append(Job(job_dict(**named, **traces, **times)))
machine = ResourceManager(nodes, [], {"CPUS_PER_NODE": 1, "CORES_PER_CPU": 1})
scheduler = Scheduler({}, "fcfs", None if backfilling == "none" else backfilling, jobs, machine)
to_come, queue, running = jobs[:], [], []
stdout, sys.stdout = sys.stdout, sys.stderr  # RAPS prints there
while to_come or running:
    now = min([job.end_time for job in running] + [job.submit_time for job in to_come[:1]])
    for job in [job for job in running if job.end_time <= now]:
        running.remove(job)
        machine.free_nodes_from_job(job)
    submitted = [job for job in to_come if job.submit_time <= now]
    to_come = to_come[len(submitted) :]
    queue += submitted
    scheduler.schedule(queue, running, now, sorted=not submitted)
sys.stdout = stdout
print("job,start_s", *(f"{job.id},{'' if job.start_time is None else job.start_time}" for job in jobs), sep="\n")
