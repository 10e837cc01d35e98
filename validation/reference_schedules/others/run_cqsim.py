"""Run CQSim on a log: `python run_cqsim.py FOLDER BACKFILL JOBS.swf NODES`.

Prints `job,start_s`, the job by its number in the log. FOLDER is CQSim's own; it is copied, for CQSim writes there.
BACKFILL is 1 for EASY, 2 for conservative.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

folder, backfill, swf, nodes = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])
jobs = swf.read_text()
with tempfile.TemporaryDirectory() as copy:
    shutil.copytree(folder, copy, dirs_exist_ok=True)
    for name in ("Results", "Fmt", "Debug"):
        Path(copy, "data", name).mkdir(exist_ok=True)
    Path(copy, "data", "InputFiles", "jobs.swf").write_text(f"; MaxNodes: {nodes}\n; MaxProcs: {nodes}\n{jobs}")
    settings = Path(copy, "src", "Config", "config_sys.set")
    changed = {"backfill": backfill, "win": 0, "read_num": len(jobs.splitlines()), "debug_lvl": 0}
    theirs = dict(line.split("=") for line in settings.read_text().splitlines())
    settings.write_text("".join(f"{key}={value}\n" for key, value in (theirs | changed).items()))
    command = [sys.executable, "cqsim.py", "-j", "jobs.swf", "-n", "jobs.swf"]
    subprocess.run(command, cwd=Path(copy, "src"), check=True, capture_output=True)
    print("job,start_s")
    first_s = float(jobs.split()[1])  # CQSim counts from the first submission
    for line in Path(copy, "data", "Results", "jobs.rst").read_text().splitlines():
        values = line.split(";")
        print(f"{values[0]},{float(values[7]) + first_s:.0f}")
