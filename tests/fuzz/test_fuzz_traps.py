"""The hand-made traps: bombs, absurd numbers and footers, links, pipes and names; none of them does harm."""

import pytest

from reliability.fuzzing import container, hostile, mutation, oracle, targets
from reliability.trials import fuzz


@pytest.fixture(scope="module", autouse=True)
def compiled():
    targets.warm_up()


@pytest.fixture(scope="module")
def sprung():
    return {trap.name: trap for trap in fuzz.traps()}


@pytest.mark.parametrize("name", hostile.TRAPS)
def test_trap_is_read_or_refused_with_sentences(name, sprung):
    trap = sprung[name]
    assert trap.fault is None
    assert 0 < trap.rss_mb < oracle.MOST_RSS_MB


def test_a_fault_is_noticed(tmp_path, monkeypatch):
    def broken(*_):
        raise KeyError("x")

    monkeypatch.setattr(oracle, "ingest", broken)
    fault = oracle.examine(tmp_path)
    assert (fault.kind, fault.place) == ("KeyError", "outside")


def test_drops_come_back_as_they_were_packed(tmp_path):
    files = {"a/b.csv": b"x\n", "\udcff": b"", "c": bytes(range(256))}
    assert container.unpack(container.pack(files)) == files
    container.write({**files, "../out": b"x", "/abs": b"x", "a": b"x", "n\0": b"x"}, tmp_path / "drop")
    assert container.read(tmp_path / "drop") == files
    assert sorted(path.name for path in tmp_path.iterdir()) == ["drop"]


def test_mutants_of_nothing_are_something():
    from random import Random

    assert mutation.mutate({}, Random(1))
