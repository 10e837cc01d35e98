"""Whether the results can be trusted when the world misbehaves: trials of the whole, and tools for security.

`python -m reliability TRIAL` runs a trial of reliability/trials; docs/reference/trials.md says what earlier runs found.
"""
