"""Who shares a GPU with whom: greedy pairing by predicted gains, and the best pairing of all as a matching."""

from __future__ import annotations

import numpy as np

MOST_MATCHED = 200
"""Applications up to which the best pairing is sought: the time of a matching grows as their number cubed."""


def greedy(gain: np.ndarray) -> np.ndarray:
    """Partners (sets, n) chosen best first: the position of each application's partner, -1 = alone.

    gain: (sets, n, n), symmetric; a pair of which it is not above 0, or nan, is never chosen. Of equal pairs the first
    counts, by the positions of its two.
    """
    sets, n, _ = gain.shape
    left = np.where(np.triu(np.ones((n, n), dtype=bool), 1) & (gain > 0), gain, 0.0)
    partner = np.full((sets, n), -1)
    rows = np.arange(sets)
    for _ in range(n // 2):
        flat = left.reshape(sets, n * n)
        best = flat.argmax(axis=1)
        open_ = rows[flat[rows, best] > 0]
        if not len(open_):
            break
        a, b = np.divmod(best[open_], n)
        partner[open_, a], partner[open_, b] = b, a
        for taken in (a, b):
            left[open_, taken, :] = 0.0
            left[open_, :, taken] = 0.0
    return partner


def best(gain: np.ndarray) -> np.ndarray:
    """Partners (n) of the pairing with the largest sum of gains, running alone included: -1 = alone.

    gain: (n, n), symmetric, nan where a pair cannot be. A maximum weight matching (Galil 1986), by networkx.
    """
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(range(len(gain)))
    pairs = np.argwhere(np.triu(np.nan_to_num(gain) > 0, 1))
    graph.add_weighted_edges_from((int(a), int(b), float(gain[a, b])) for a, b in pairs)
    partner = np.full(len(gain), -1)
    for a, b in networkx.max_weight_matching(graph):
        partner[a], partner[b] = b, a
    return partner


def total(gain: np.ndarray, partner: np.ndarray) -> np.ndarray:
    """Mean weighted speedup (sets) of applications with partners (sets, n): 1 for one alone, else that of its pair."""
    own = np.take_along_axis(gain, np.maximum(partner, 0)[..., None], axis=-1)[..., 0]
    return 1 + np.where(partner >= 0, own, 0.0).mean(axis=-1)
