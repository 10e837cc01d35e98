"""Run a scheduler of Alea on a log: `python run_alea.py FOLDER/Alea CLASSES ALGORITHM JOBS.swf NODES`.

Prints `job,start_s`, the job by its number in the log. CLASSES is the folder with the compiled classes; ALGORITHM is
its number in Alea: 100 is FCFS, 2 EASY, 4 conservative. Alea's clock runs a little late; whole seconds do not.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

alea, classes, algorithm, swf, nodes = Path(sys.argv[1]).resolve(), *sys.argv[2:5], int(sys.argv[5])
jobs = {int(line.split()[0]): [int(each) for each in line.split()] for line in Path(swf).read_text().splitlines()}
changed = {"data_sets": "jobs.swf", "data_set_dir": ".", "total_gridlet": len(jobs), "first_arrival": 0, "skip": 1}
changed |= {"algorithms": algorithm, "estimate": "true", "use_RAM": "false", "limit_schedule_size": "false"}
lines = (alea / "configuration.properties").read_text().splitlines()
settings = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#")) | changed
libraries = [classes, alea / "lib" / "gridsim.jar", alea / "lib" / "simjava.jar"]
command = ["java", "-cp", os.pathsep.join(map(str, libraries)), "xklusac.environment.ExperimentSetup"]
with tempfile.TemporaryDirectory() as folder:
    Path(folder, "configuration.properties").write_text("".join(f"{key}={each}\n" for key, each in settings.items()))
    Path(folder, "jobs.swf").write_text("; Computer: one\n" + Path(swf).read_text())
    Path(folder, "jobs.swf.machines").write_text(f"0\tone\t{nodes}\t1\t1\t1048576\n")
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (result,) = Path(folder).glob("results/*/*/*/jobs_*.csv")
    print("job,start_s")
    for line in result.read_text().splitlines()[1:]:
        job, _, arrival, _, start = line.replace(",", ".").split("\t")[:5]
        print(f"{job},{int(float(start)) - int(arrival) + jobs[int(job)][1]}")
