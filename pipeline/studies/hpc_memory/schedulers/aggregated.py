"""Memory fixed to the nodes: every job gets its nodes' share from start to end, nothing is reconfigured."""

GRANTS = "share"
SIMPLICITY = 1
