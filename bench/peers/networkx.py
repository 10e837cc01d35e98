"""networkx from the package index, in an environment of its own: searches of a graph from vertex 0."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bench.peers import Unavailable, environments, process
from bench.peers.join import PYARROW

VERSION = "3.6.1"
DRIVER = Path(__file__).with_name("networkx_driver.py")


@dataclass(frozen=True)
class Search:
    """CPU times of a breadth-first search and of Dijkstra's algorithm, and how many vertices they reach."""

    bfs_s: float
    sssp_s: float
    reached: int


def run(folder: Path, edges: Path, timeout_s: float) -> Search:
    """Searches of the graph in a Parquet file (source, target, weight). Raises Unavailable or TimeoutError."""
    requirements = [f"networkx=={VERSION}", f"pyarrow=={PYARROW}"]
    python = environments.environment(folder, f"networkx {VERSION}", requirements)
    # Isolated, since this folder, with a file of the same name, would come first on its path.
    words = process([python, "-I", DRIVER, edges], timeout_s, edges.parent).output.split()
    if len(words) != 3:
        raise Unavailable("networkx printed no times")
    return Search(float(words[0]), float(words[1]), int(words[2]))
