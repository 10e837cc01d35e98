"""Figures of gpu_corun: kernels that share a GPU (Slate, IPDPS 2019), and rules judged on measured pairs."""

from pipeline.studies.gpu_corun.figures import choice, rates, slate

THEMES = (slate, choice, rates)
"""Modules that hold the figures, in the order of the page."""
