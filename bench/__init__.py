"""Benchmarks: what a replay, an ingest and a figure of the paper cost, beside peers measured in the same run.

`python -m bench --help`. A benchmark is a file of `bench.benchmarks`, what it is compared with one of `bench.peers`.
"""
