"""Measures on one's own GPU what the GPU studies stand on: time against SMs, alone and beside another kernel.

`make probe` builds the measuring program where nvcc is; `python -m probe` runs it and leaves a data drop.
"""
