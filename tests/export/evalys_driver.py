"""Reads a jobs file with evalys, draws its Gantt chart, and prints what evalys makes of it. Run in its environment."""

import json
import sys

import matplotlib

matplotlib.use("Agg")

from evalys.jobset import JobSet
from matplotlib import pyplot
from matplotlib.patches import Rectangle

jobs, picture = sys.argv[1:]
jobset = JobSet.from_csv(jobs, resource_bounds=(0, 53))
jobset.gantt()
figure = pyplot.gcf()
figure.savefig(picture)
boxes = sum(
    isinstance(part, Rectangle) and part is not axes.patch for axes in figure.axes for part in axes.get_children()
)
# evalys rounds times to a microsecond: for as long two jobs may seem to hold a node that one hands to the other.
load = jobset.utilisation
over = load[load.load > jobset.MaxProcs]
seen = {
    "jobs": len(jobset.df),
    "resources": int(jobset.MaxProcs),
    "allocated": jobset.df["proc_alloc"].tolist(),
    "boxes": boxes,
    "over_s": float((over.area / over.load).sum()),
    "area": float(load.area.sum()),
}
sys.stdout.write(json.dumps(seen))
