"""Merges with the partner whose union needs the fewest SMs (paper, Definition 3, SMS)."""

METHOD = "merge"
PARTNER = "smallest_union"
SIMPLICITY = 3
