"""Scenarios on several threads give what they give on one."""

import threading

import pytest

from pipeline.runtime import threads


def test_results_come_in_the_order_of_the_values(monkeypatch):
    monkeypatch.setenv(threads.CORES, "3")
    met = threading.Barrier(3, timeout=60)

    def square(value):
        # All three have to be under way at once.
        met.wait()
        return value * value, threading.get_ident()

    result = threads.each(square, range(6))
    assert [value for value, _ in result] == [0, 1, 4, 9, 16, 25]
    assert len({thread for _, thread in result}) == 3


def test_without_cores_the_function_runs_in_this_thread(monkeypatch):
    monkeypatch.delenv(threads.CORES, raising=False)
    assert set(threads.each(lambda _: threading.get_ident(), range(3))) == {threading.get_ident()}


def test_the_first_error_is_raised(monkeypatch):
    monkeypatch.setenv(threads.CORES, "2")

    def fail(value):
        raise ValueError(str(value))

    with pytest.raises(ValueError, match=r"^0$"):
        threads.each(fail, range(4))
