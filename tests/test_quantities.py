"""Numbers as people read them: one unit on both sides of a comparison, memory in the unit that fits."""

import pytest

from pipeline.runtime.quantities import duration, durations, memory


@pytest.mark.parametrize(
    ("gb", "said"),
    [
        ((0.014,), "14 MB"),
        ((0.0999,), "99.9 MB"),
        ((0.1,), "0.1 GB"),
        ((0.0,), "0 GB"),
        ((133.9,), "133.9 GB"),
        ((999.0,), "999 GB"),
        ((1000.0,), "1 TB"),
        ((1536.0,), "1.536 TB"),
        # A range has the unit of its larger end; one of no length is one size.
        ((0.01204, 0.01806), "12.04–18.06 MB"),
        ((0.05, 0.2), "0.05–0.2 GB"),
        ((105.0, 105.0), "105 GB"),
    ],
)
def test_memory_has_the_unit_that_fits(gb, said):
    assert memory(*gb).replace("\xa0", " ") == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        ((499.2, 364.2), ("8.32", "6.07 min")),
        ((20.9, 0.0239), ("20.9", "0.0239 s")),
        ((7272.0, 6180.0), ("2.02", "1.72 h")),
        ((21.0, 0.00001), ("21", "0 s")),
        ((0.0, 0.0), ("0", "0 s")),
    ],
)
def test_times_that_are_compared_have_one_unit(seconds, said):
    assert tuple(each.replace("\xa0", " ") for each in durations(*seconds)) == said


def test_one_time_has_its_own_unit():
    assert [duration(each) for each in (None, 119.0, 120.0, 7200.0, 172800.0)] == [
        "–", "119\xa0s", "2\xa0min", "2\xa0h", "2\xa0days",
    ]  # fmt: skip
