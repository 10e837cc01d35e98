"""Traces of the largest sizes, ingested and fitted: does memory stay flat or linear, and time linear?

`python -m bench.scale --record` keeps the figures in bench/scale/record.json and writes docs/scale.md from them. It is
apart from the other benchmarks, as it takes gigabytes of disk and memory: --help.
"""
