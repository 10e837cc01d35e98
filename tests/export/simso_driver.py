"""Runs simulations that were exported for SimSo and prints the jobs of each and those that were late."""

import json
import sys

from simso.configuration import Configuration
from simso.core import Model

seen = {}
for file in sys.argv[1:]:
    configuration = Configuration(file)
    configuration.check_all()
    model = Model(configuration)
    model.run_model()
    jobs = [job for task in model.results.tasks.values() for job in task.jobs]
    done = [job for job in jobs if job.end_date is not None]
    seen[file] = {"jobs": len(jobs), "done": len(done), "late": sum(bool(job.exceeded_deadline) for job in jobs)}
sys.stdout.write(json.dumps(seen))
