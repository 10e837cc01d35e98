"""What the replays of several studies share: scenario tables, and EASY backfilling in compiled code."""
