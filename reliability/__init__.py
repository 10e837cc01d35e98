"""Whether the results can be trusted when the world misbehaves: trials, the records of their runs, and their page.

`python -m reliability TRIAL --record` runs a trial of reliability/trials, keeps what it found as
reliability/records/TRIAL.json and writes docs/trials.md, which shows all records.
"""
