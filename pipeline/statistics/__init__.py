"""Statistics that studies share."""
