"""Schedules, and the jobs of a trace, in the formats of other programs (see pipeline.export)."""
