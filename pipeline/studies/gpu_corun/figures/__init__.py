"""Figures of gpu_corun: kernels that share a GPU (Slate, IPDPS 2019), and the model beside measured pairs."""

from pipeline.studies.gpu_corun.figures import measured, slate

THEMES = (slate, measured)
"""Modules that hold the figures, in the order of the page."""
