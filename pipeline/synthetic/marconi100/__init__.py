"""Months in the layout of the M100 ExaData set (Marconi100), at any size and with the faults of the real files."""

from pipeline.synthetic.marconi100.truth import Truth
from pipeline.synthetic.marconi100.write import write_marconi100

__all__ = ["Truth", "write_marconi100"]
