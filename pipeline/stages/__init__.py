"""One module a stage: what a rule of the workflow calls."""
