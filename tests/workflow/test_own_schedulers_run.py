"""Rules of one's own, one file for each study that has workloads of its own, go through the whole workflow."""

import pytest
from projects import OWN

from pipeline.runtime.study import declared

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

SCORES = {"hpc_memory": "hpc_memory_result WHERE loss IS NOT NULL", "gpu_sharing": "gpu_sharing_speedup"}
"""Scores of a study without a view of them, and of one whose view leaves out who slows an application down."""


def test_there_is_one_for_each_study_with_workloads_of_its_own():
    assert set(OWN) == {name for name, study in declared().items() if study.synthetic}


@pytest.mark.parametrize("study", OWN)
def test_it_is_replayed_scored_and_shown_beside_those_that_ship(tiny, study):
    with tiny.database() as connection:
        asked = connection.execute("SELECT DISTINCT scheduler FROM scenario WHERE study = ?", [study]).fetchall()
        scored = connection.execute(f"SELECT DISTINCT scheduler FROM {SCORES.get(study, f'score_{study}')}").fetchall()
    assert (OWN[study].stem,) in asked
    assert (OWN[study].stem,) in scored
    assert len(scored) > 1
    assert OWN[study].stem in (tiny.results / "report" / "index.html").read_text(encoding="utf-8")
