"""Tables that a replay takes."""

from pipeline.runtime.study import REQUIRED, Table, count, text

INPUTS = {
    "edges": Table(
        {
            "graph_id": text("graph", REQUIRED),
            "source": count("vertex, from 0", REQUIRED, min=0),
            "target": count("vertex, from 0", REQUIRED, min=0),
            "weight": count("weight, as sssp counts it", 1, min=1),
        }
    )
}
GRAPHS = {
    "graphs": Table(
        {
            "graph_id": text("graph", REQUIRED),
            "vertices": count("vertices; null = up to the largest that an edge names", min=1),
        },
        key=("graph_id",),
    )
}
"""Where there is one."""
