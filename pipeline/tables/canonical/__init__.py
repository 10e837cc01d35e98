"""Tables that readers and fits produce."""
