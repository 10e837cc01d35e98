"""Rows on disk by part: what was written comes back in order, nothing is left behind."""

import numpy as np

from pipeline.runtime.scratch import Scratch


def test_parts_come_back_in_the_order_written(tmp_path):
    dtype = np.dtype([("number", np.uint32), ("value", np.float64)])
    rng = np.random.default_rng(0)
    written = {part: [] for part in range(5)}
    with Scratch(dtype, tmp_path) as scratch:
        for _ in range(40):
            rows = np.zeros(rng.integers(0, 30), dtype)
            rows["number"], rows["value"] = rng.integers(0, 9, rows.size), rng.random(rows.size)
            part = int(rng.integers(0, 4))
            scratch.write(part, rows[::2])
            written[part].append(rows[::2])
        for part in (3, 0, 4, 2, 1, 0):
            expected = np.concatenate([np.zeros(0, dtype), *written[part]])
            assert scratch.read(part).tolist() == expected.tolist()
        assert list(tmp_path.iterdir()) == []
