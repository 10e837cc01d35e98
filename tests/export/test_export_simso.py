"""Partitions as simulations of SimSo: the tasks of each, and SimSo finds no deadline missed."""

import json
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest

from pipeline.export import export
from pipeline.studies.gpu_partition.exports import simso

SIMSO = ["simso==0.8.5"]


@pytest.fixture(scope="module")
def written(source, scenario, tmp_path_factory):
    chosen = scenario("gpu_partition", "workload_id = 'dropped/automotive_like' AND priority = 'edf'")
    folder = tmp_path_factory.mktemp("simso") / "partitions"
    export("simso", source, chosen, folder)
    return chosen, folder


def test_every_task_is_in_the_file_of_its_partition(source, written):
    chosen, folder = written
    outcome = source.rows(
        "SELECT task_id, period, deadline, partition, partition_sms, execution_time FROM outcome_gpu_partition "
        "JOIN task_gpu_partition USING (task_id) WHERE scenario_id = $1 AND taskset_id = 'dropped/automotive_like'",
        chosen,
    )
    assert len(outcome) == 32
    task_rows = []
    for file in sorted(folder.iterdir()):
        _, number, sms, _ = file.stem.split("_")
        root = ElementTree.parse(file).getroot()
        assert len(root.findall("processors/processor")) == 1
        assert root.find("sched").attrib["class"] == "simso.schedulers.EDF_mono"
        for task in root.iter("task"):
            at = {key: float(task.attrib[key]) for key in ("period", "deadline", "WCET")}
            task_rows.append(
                (task.attrib["name"].split(" ", 1)[1], at["period"], at["deadline"], int(number), int(sms), at["WCET"])
            )
    assert sorted(task_rows) == sorted(outcome.iter_rows())


def test_the_simulation_lasts_for_the_hyperperiod_or_a_thousand_periods():
    def of(*periods):
        return simso.horizon(pl.DataFrame({"period": periods}))

    assert of(20.0, 50.0, 8.0) == 200
    assert of(2003.0, 2011.0) == 1000 * 2011  # the hyperperiod is 2003 · 2011
    assert of(2.5, 10.0) == 10_000


def test_names_hold_letters_that_simso_takes():
    tasks = pl.DataFrame({"task_id": ["1 é<x>"], "period": [5.0], "deadline": [4.0], "execution_time": [1.0]})
    (task,) = ElementTree.fromstring(simso.simulation(tasks).encode()).iter("task")
    assert task.attrib["name"] == "t1 1___x_"


def test_another_policy_and_tasks_without_a_partition_are_refused(source, scenario, tmp_path):
    with pytest.raises(ValueError, match="preemptive dm in its partitions; this writes preemptive EDF"):
        export("simso", source, scenario("gpu_partition", "priority = 'dm'"), tmp_path / "x")
    with pytest.raises(ValueError, match=r"has no partition for [0-9]+ of 50 tasks"):
        export("simso", source, scenario("gpu_partition", "workload_id LIKE 'generated/%'"), tmp_path / "x")
    assert not list(tmp_path.iterdir())


@pytest.mark.peers
def test_simso_finds_no_deadline_missed(written, peer):
    _, folder = written
    files = sorted(folder.iterdir())
    seen = json.loads(peer("simso", SIMSO, Path(__file__).with_name("simso_driver.py"), *files))
    assert len(seen) == len(files)
    for file, counted in seen.items():
        assert counted["done"] > 0, file
        assert counted["late"] == 0, file
