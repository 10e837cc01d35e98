"""Data drops that nobody sane would drop: examples, their mutants, hand-made traps, and what must hold of all of them.

A drop in memory is a mapping of file names (inside the drop, `/` between folders) to contents, see `container`.
"""
