"""What a drop leads to in the answers of this study (see pipeline.drops.leads)."""

ANSWERS = {"graphs": lambda _: ["recommended_pim_graph (which policy traverses it fastest)"]}
