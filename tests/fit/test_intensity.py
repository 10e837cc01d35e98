"""Intensity classes against Table II of the paper, the policy against every cell of its Table I."""

import itertools

import numpy as np
import pytest

from pipeline.gpus.intensity import CLASSES, LEVELS, Thresholds, class_numbers, coruns, intensity, policy

TABLE_2 = {  # GFLOP/s, GB/s, compute and memory intensity as printed
    "BS": (161.3, 401.49, "M", "M"),
    "GS": (19.6, 340.9, "L", "M"),
    "MM": (1525.0, 403.5, "H", "M"),
    "RG": (4.2, 71.6, "L", "L"),
    "TR": (0.0, 568.6, "L", "H"),
}
OF_CLASS = {"L_C": ("L", "L"), "M_C": ("M", "L"), "H_C": ("H", "L"), "M_M": ("M", "M"), "H_M": ("L", "H")}
PRINTED = """
     L_C   M_C   H_C   M_M   H_M
L_C  corun corun solo  corun corun
M_C  corun corun solo  solo  corun
H_C  solo  solo  solo  solo  corun
M_M  corun solo  corun solo  solo
H_M  corun corun solo  solo  solo
"""


def _printed() -> dict[tuple[str, str], bool]:
    head, *rows = (line.split() for line in PRINTED.strip().splitlines())
    return {(row[0], column): cell == "corun" for row in rows for column, cell in zip(head, row[1:], strict=True)}


@pytest.mark.parametrize("kernel", TABLE_2)
def test_labels_of_table_2(kernel):
    gflops, memory_gbps, computing, memory = TABLE_2[kernel]
    assert intensity(gflops, memory_gbps) == (computing, memory)


def test_labels_of_table_2_hold_for_all_thresholds_in_range():
    rng = np.random.default_rng(20190520)
    drawn = zip(
        rng.uniform(19.7, 161.3, 200),
        rng.uniform(161.4, 1525, 200),
        rng.uniform(71.7, 340.9, 200),
        rng.uniform(403.6, 568.6, 200),
        strict=True,
    )
    for thresholds in (Thresholds(*values) for values in drawn):
        for gflops, memory_gbps, computing, memory in TABLE_2.values():
            assert intensity(gflops, memory_gbps, thresholds) == (computing, memory)


@pytest.mark.parametrize("symmetry", ["printed", "either", "both"])
@pytest.mark.parametrize(("active", "candidate"), list(_printed()))
def test_every_cell_of_table_1(active, candidate, symmetry):
    table = _printed()
    there, back = table[active, candidate], table[candidate, active]
    expected = {"printed": there, "either": there or back, "both": there and back}[symmetry]
    assert coruns(OF_CLASS[active], OF_CLASS[candidate], symmetry) is expected


def test_table_1_is_asymmetric_in_two_pairs_of_cells():
    table = policy()
    unlike = {frozenset((CLASSES[i], CLASSES[j])) for i, j in np.argwhere(table != table.T)}
    assert unlike == {frozenset(("L_M/H_C", "M_M")), frozenset(("L_M/H_C", "H_M"))}


@pytest.mark.parametrize(("memory", "computing"), list(itertools.product("MH", LEVELS)))
def test_memory_comes_first(memory, computing):
    for other in itertools.product(LEVELS, LEVELS):
        assert coruns((computing, memory), other) == coruns(("L", memory), other)
        assert coruns(other, (computing, memory)) == coruns(other, ("L", memory))


def test_rg_coruns_with_all_and_nothing_else_does():
    labels = {kernel: row[2:] for kernel, row in TABLE_2.items()}
    pairs = itertools.combinations_with_replacement(sorted(labels), 2)
    assert {pair for pair in pairs if coruns(labels[pair[0]], labels[pair[1]])} == {
        ("BS", "RG"), ("GS", "RG"), ("MM", "RG"), ("RG", "RG"), ("RG", "TR"),
    }  # fmt: skip


def test_many_at_once_are_as_one_by_one():
    rng = np.random.default_rng(7)
    gflops, memory_gbps = rng.uniform(0, 2000, 500), rng.uniform(0, 700, 500)
    labels = [intensity(g, m) for g, m in zip(gflops, memory_gbps, strict=True)]
    names = [f"L_M/{computing}_C" if memory == "L" else f"{memory}_M" for computing, memory in labels]
    assert [CLASSES[i] for i in class_numbers(gflops, memory_gbps)] == names


def test_a_rate_at_a_threshold_has_reached_it():
    assert intensity(56, 182) == ("M", "M")
    assert intensity(496, 492) == ("H", "H")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: intensity(-1, 10), "gflops is -1"),
        (lambda: intensity(1, float("nan")), "memory_gbps is nan"),
        (lambda: intensity(1, 1, Thresholds(medium_gflops=600)), "they must rise"),
        (lambda: coruns(("L", "X"), ("L", "L")), "each of L, M, H"),
        (lambda: coruns(("L", "L"), ("L", "L"), "print"), "unknown symmetry 'print'.*did you mean 'printed'"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
