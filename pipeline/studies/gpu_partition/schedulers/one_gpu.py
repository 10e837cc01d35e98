"""The GPU unpartitioned: all tasks on all SMs, with the conflicts that this brings (paper, 1G)."""

METHOD = "whole"
SIMPLICITY = 1
