"""Tables that are held as a whole: how many rows a file may represent."""

import numpy as np
import polars as pl
import pytest

from pipeline.drops import Refusal
from pipeline.readers import _tables


def test_rows_of_a_whole_table_are_bounded_by_the_size_of_its_file():
    batch = pl.DataFrame({"row": np.zeros(_tables.MOST_ROWS, np.int8)})
    assert len(list(_tables._held([batch], 10))) == 1
    with pytest.raises(Refusal, match=r"more than 4194304 rows in 10 bytes"):
        list(_tables._held([batch, batch[:1]], 10))
    assert len(list(_tables._held([batch, batch], 4 * _tables.MOST_ROWS))) == 2
