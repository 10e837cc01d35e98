"""The split with the largest sum of normalised curves, fast SMs to those that gain from them (thesis, Section 4.2)."""

from pipeline.studies.gpu_sharing import process_variation

FAMILY = process_variation
SPLIT = "profile"
SIMPLICITY = 3
