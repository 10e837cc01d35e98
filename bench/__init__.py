"""What replays, readers and EASY backfilling cost: `make bench`, or `python -m bench --help`."""
