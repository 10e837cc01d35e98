"""What a slurm.conf says of a queue; files written by hand after slurm.conf(5)."""

import pytest
import yaml

from pipeline.config import parse
from validation.slurm import slurm_conf

SITE = """\
# a site
ClusterName=hand
SlurmctldHost=head   # controller
schedulertype=sched/backfill
SchedulerParameters=bf_interval=60,bf_max_job_test=1000,\\
bf_window=2880,bf_max_job_part=50,bf_continue,bf_job_part_count_reserve=10
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightJobSize=500
PriorityWeightFairshare=10000
PriorityWeightQOS=0
PriorityMaxAge=14-12
PriorityFavorSmall=YES
PreemptType=preempt/none
SelectType=select/cons_tres
OverTimeLimit=10
NodeName=n[1-32] CPUs=32
PartitionName=DEFAULT Nodes=n[1-32]
PartitionName=short MaxTime=60
PartitionName=long
Include nodes.conf
"""
BACKFILL = {
    "reserve_depth": -1,
    "backfill_interval_s": 30,
    "backfill_depth": 500,
    "backfill_resolution_s": 60,
    "backfill_window_s": 86400,
    "kill_at_limit": True,
}


def said(tmp_path, text):
    path = tmp_path / "slurm.conf"
    path.write_text(text, encoding="utf-8")
    text = slurm_conf.read(path)
    notes = [line.removeprefix("# not modelled: ") for line in text.splitlines() if line.startswith("# not modelled")]
    return yaml.safe_load(text), notes


def test_a_site(tmp_path):
    sweep, notes = said(tmp_path, SITE)
    assert sweep == {
        "backfilling": ["reserve"],
        "queue": {
            "reserve_depth": 10,
            "backfill_interval_s": 60,
            "backfill_depth": 1000,
            "backfill_resolution_s": 60,
            "backfill_window_s": 172800,
            "kill_at_limit": True,
            "queue_order": "multifactor",
            "age_weight": 1000,
            "size_weight": 500,
            "age_max_s": 14.5 * 86400,
        },
    }
    assert notes == [
        "SchedulerParameters bf_max_job_part=50",
        "SchedulerParameters bf_continue",
        "PriorityWeightFairshare=10000: fair share needs users and their past",
        "OverTimeLimit=10: a job ends at its limit, at once",
        "SelectType=select/cons_tres: jobs may share nodes; a replay gives whole ones",
        "Include=nodes.conf: the file is not read",
        "2 partitions (short, long): a replay has one, all nodes are its own",
        "PriorityFavorSmall: large jobs are favoured",
    ]


def test_it_can_be_pasted_into_a_configuration(tmp_path):
    sweep, _ = said(tmp_path, SITE)
    parsed = parse({"hpc_memory": {"sweeps": {"site": {"workload": "replayed"} | sweep}}})
    assert parsed.hpc_memory.sweeps["site"].queue.backfill_window_s == 172800


def test_defaults_are_slurms(tmp_path):
    assert said(tmp_path, "ClusterName=c\n") == ({"backfilling": ["reserve"], "queue": BACKFILL}, [])


@pytest.mark.parametrize("line", ["SchedulerType=sched/builtin", "SchedulerParameters=bf_interval=-1"])
def test_nothing_is_backfilled(tmp_path, line):
    sweep, _ = said(tmp_path, line)
    assert sweep["queue"] == {"backfill_depth": 0, "kill_at_limit": True}


@pytest.mark.parametrize(
    ("time", "seconds"),
    [("90", 5400), ("1:30", 90), ("2:00:00", 7200), ("1-0", 86400), ("1-6:30", 109800), ("1-1:1:1", 90061)],
)
def test_times(tmp_path, time, seconds):
    sweep, _ = said(tmp_path, f"PriorityType=priority/multifactor\nPriorityMaxAge={time}\n")
    assert sweep["queue"]["age_max_s"] == seconds


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "slurm.conf: no line has a keyword and a value"),
        ("# nothing\n", "SchedulerType=sched/backfill would be one"),
        ("some prose\n", "line 1: 'some prose' is no Keyword=value"),
        (
            "A=1\nSchedulerParameters=bf_window=day\n",
            "line 2: bf_window is 'day'; a whole number of at least 1 would be",
        ),
        ("SchedulerParameters=bf_interval\n", "line 1: bf_interval is ''; a whole number"),
        ("SchedulerType=sched/wiki\n", "SchedulerType is 'sched/wiki'; sched/backfill or sched/builtin would be right"),
        ("PriorityType=priority/fair\n", "PriorityType is 'priority/fair'; priority/basic or"),
        (
            "PriorityType=priority/multifactor\nPriorityMaxAge=week\n",
            "line 2: PriorityMaxAge is 'week'; a time such as",
        ),
        (
            "PriorityType=priority/multifactor\nPriorityWeightAge=-5\n",
            "PriorityWeightAge is '-5'; a whole number of at",
        ),
    ],
)
def test_bad_files(tmp_path, text, sentence):
    with pytest.raises(ValueError, match=sentence):
        said(tmp_path, text)


def test_binary(tmp_path):
    path = tmp_path / "slurm.conf"
    path.write_bytes(b"A=1\n\xff\xfe")
    with pytest.raises(ValueError, match="byte 5 is no text"):
        slurm_conf.read(path)
