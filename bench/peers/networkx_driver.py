"""Runs in networkx' environment: `networkx_driver.py EDGES`; prints CPU times of BFS and Dijkstra, and the reach."""

import sys
import time

import networkx as nx
import pyarrow.parquet as pq


def main(source):
    """Search the graph of a Parquet file (source, target, weight) from vertex 0; the least weight of an edge stays."""
    columns = pq.read_table(source).to_pydict()
    graph = nx.DiGraph()
    graph.add_node(0)
    for v, w, weight in sorted(zip(*columns.values(), strict=True), reverse=True):
        if v != w:
            graph.add_edge(v, w, weight=weight)
    began = time.process_time()
    levels = nx.single_source_shortest_path_length(graph, 0)
    between = time.process_time()
    distances = nx.single_source_dijkstra_path_length(graph, 0)
    ended = time.process_time()
    if levels.keys() != distances.keys():
        raise SystemExit("both searches should reach the same vertices")
    sys.stdout.write(f"{between - began} {ended - between} {len(levels)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
