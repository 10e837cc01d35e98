"""Partitions in the formats of other programs (see pipeline.export)."""
