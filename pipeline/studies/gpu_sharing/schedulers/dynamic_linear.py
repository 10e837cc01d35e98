"""Rounds of measuring QoS applications and resizing them by a line through the origin (thesis, Section 5.4)."""

from pipeline.studies.gpu_sharing import quality_of_service

FAMILY = quality_of_service
METHOD = "rounds"
SIMPLICITY = 5
