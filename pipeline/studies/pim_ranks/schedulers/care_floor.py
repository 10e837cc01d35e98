"""PIM-CARE whose leftover grants must be worth it: waiting for ranks that running jobs give back would not end earlier.

Ours; the rule stands in docs/models/pim_ranks.md.
"""

DISPATCH = "priorities"
GRANT = "worth_it"
OVERHEAD = 0.06
SIMPLICITY = 5
