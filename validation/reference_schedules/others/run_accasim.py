"""Run EASY backfilling or FIFO of AccaSim on a log: `python run_accasim.py EASYBackfilling JOBS.swf NODES`.

Prints `job,start_s`, the job by its number in the log.
"""

import contextlib
import io
import json
import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path

from accasim.base import scheduler_class
from accasim.base.allocator_class import FirstFit
from accasim.base.simulator_class import Simulator

scheduler, swf, nodes = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
with tempfile.TemporaryDirectory() as folder:
    system = Path(folder, "system.config")
    groups = {"groups": {"node": {"core": 1}}, "resources": {"node": nodes}}
    system.write_text(json.dumps(dict(groups, system_name="one", start_time=0, equivalence={})))
    dispatcher = getattr(scheduler_class, scheduler)(FirstFit())
    simulator = Simulator(
        *(str(swf), str(system), dispatcher),
        RESULTS_FOLDER_PATH=folder,
        LOG_LEVEL="ERROR",
        statistics_output=False,
        show_statistics=False,
    )
    with contextlib.redirect_stdout(io.StringIO()):
        simulator.start_simulation()
    print("job,start_s")
    for line in Path(folder, "sched-" + swf.name).read_text().splitlines():
        start = datetime.fromisoformat(line.split("__")[2].split(";")[0])
        print(f"{line.split(';')[0]},{(start - datetime(1970, 1, 1)) // timedelta(seconds=1)}")
