"""Tables that the studies and the ledger produce."""
