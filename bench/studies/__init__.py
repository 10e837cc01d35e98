"""Studies: what a scheduler is worth, measured on workloads that were not looked at while it was made."""
