"""The machine of thesis chapter 7: P stacks of memory, a core each, work queued level by level.

One compiled engine runs every policy. `batch` runs scenarios, `traversal` the levels from one root, `tasks` those of a
level, `queues` what arrives between levels, `dependencies` the second pass of BC; `cores` says who acts next, `graph`
how a graph lies in memory, `certificate` whether values are right. Equations and readings: docs/models/pim_graph.md.
"""
