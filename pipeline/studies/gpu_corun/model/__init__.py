"""What the machine does: contention for SMs and bandwidth, the event loop that asks a rule, and an exact search."""
