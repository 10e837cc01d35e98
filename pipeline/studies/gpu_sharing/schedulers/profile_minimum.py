"""The fewest SMs with which applications meet their QoS targets, of all allocations (thesis, Section 5.2)."""

from pipeline.studies.gpu_sharing import quality_of_service

FAMILY = quality_of_service
METHOD = "least"
SIMPLICITY = 4
