"""Names that are SQL, HTML or shell go through every study, the database, its views and the page as names."""

import csv
import io
import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import duckdb
import polars as pl
import pytest
import seeds
from examples import cases

from pipeline import config, drops
from pipeline.readers import _recognise
from pipeline.report import page
from pipeline.runtime import sources
from pipeline.runtime.study import declared
from pipeline.stages import fit as fit_drop
from pipeline.stages import ingest
from pipeline.stages import replay as stage
from pipeline.stages import scenarios as stages
from pipeline.warehouse import load
from pipeline.warehouse.definitions import definitions

NAMES = (
    "'; DROP TABLE job; --", '"; DROP TABLE job; --', "$$; DROP TABLE job; $$", "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>", "{{ 7 * 7 }}", "$(touch x)", "{wildcards.drop}", "%s", "a' OR '1'='1",
)  # fmt: skip
SETTINGS = {
    "hpc_memory": {"sweeps": {"replayed": {"workload": "replayed", "memory_over_mean": [1.0]}}},
    "pim_ranks": {"sweeps": {"queue": {"workload": "queue"}}},
    "gpu_corun": {"sweeps": {"dropped": {"workload": "pairs", "kernels": "dropped"}}},
    "gpu_sharing": {
        "fairness": {},
        "qos": {"dropped": {"curves": "dropped", "sms": 4, "gamma": [0.0], "levels": [80]}},
        "variation": {},
    },
    "gpu_partition": {"sweeps": {"dropped": {"workload": "dropped"}}},
    "pim_graph": {"sweeps": {"dropped": {"workload": "dropped", "batches": 1, "qr": [64], "stacks": [4]}}},
}


def _csv(header, rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header.split(","), *rows])
    return text.getvalue().encode()


def _drops():
    """A drop a kind of table, with the hostile names as ids, applications, users, kernels, sets and files."""
    jobs = [(name, 10 * n, 1 + n % 3, 100, name) for n, name in enumerate(NAMES)]
    phases = [(name, phase, 30 + n, 1.0 + phase + n) for n, name in enumerate(NAMES) for phase in (0, 1)]
    kernels = [(name, name, 100 * (n + 1), 20 + n, 0.5, 3, 64, 0.5, 30) for n, name in enumerate(NAMES[:4])]
    curves = [(name, sms, 10 / sms**0.7) for name in NAMES[:3] for sms in (1, 2, 4)]
    tasks = [(name, 100, 90, 10 + n, "compute" if n % 2 else "memory", NAMES[0]) for n, name in enumerate(NAMES)]
    points = [(name, ranks, 8 / ranks) for name in NAMES[:3] for ranks in range(1, 9)]
    queue = [(name, NAMES[n % 3], n) for n, name in enumerate(NAMES)]
    edges = b"".join(b"%d %d\n" % (n, (n * 7 + 1) % 40) for n in range(40))
    return {
        "canonical": {
            "jobs.csv": _csv("job_id,submit_s,nodes,walltime_s,user", jobs),
            "phases.csv": _csv("job_id,phase,duration_s,memory_gb", phases),
            "trace.yaml": b'nodes: 8\nnode_memory_gb: 16\nnote: "<b>\'; DROP TABLE job; --"\n',
        },
        "kernels": {
            "kernels.csv": _csv("app,kernel,gflops,memory_gbps,time_s,launches,blocks,occupancy,gpu_sms", kernels)
        },
        "curves": {"sm_curve.csv": _csv("app,sms,time_s", curves), "trace.yaml": b"sms: 4\n"},
        "tasks": {
            "tasks.csv": _csv("task_id,period,deadline,work,kind,taskset_id", tasks),
            "trace.yaml": b"sms: 68\n",
        },
        "pim": {
            "perf_table.csv": _csv("app,ranks,time_s", points),
            "queue.csv": _csv("job_id,app,arrival_s", queue),
            "trace.yaml": b"ranks: 8\n",
        },
        "graphs": {f"{NAMES[0]}.el": edges, f"{NAMES[6]}.el": edges},
    }


@pytest.fixture(scope="session")
def results(once):
    """Results of every study on these drops, and the database."""
    return once("hostile-names", _made)


def _made(folder):
    for name, files in _drops().items():
        seeds.write(files, folder / "traces" / name)
    all_drops = drops.discover([folder / "traces"])
    for drop in all_drops:
        assert ingest.ingest(drop.path, folder / "ingest" / drop.key).code == 0
        fit_drop.fit(folder / "ingest" / drop.key, folder / "fit" / drop.key)
    parsed = config.parse(SETTINGS)
    (folder / "settings").mkdir()
    (folder / "settings" / "configuration.json").write_text(parsed.model_dump_json())
    for study in sources.studies():
        settings = folder / "settings" / f"{study}.json"
        settings.write_text(json.dumps(config.section(parsed, study)))
        together = _recognise.workload_drops(
            _recognise.modules(all_drops), declared()[study].takes, config.lenders(parsed, study)
        )
        for drop, others in together.items():
            folders = [folder / step / name for step in ("ingest", "fit") for name in others]
            part = folder / "scenarios" / study / f"trace-{drop}"
            stages.write_scenarios(study, settings, folders, part, drop)
            for scheduler in sources.schedulers(study):
                target = folder / "replay" / study / scheduler / part.name / "0"
                stage.write_replay(study, scheduler, 0, 1, part, target)
    load.build(folder, folder / "apportion.duckdb")


@pytest.fixture(scope="module")
def connection(results):
    with duckdb.connect(str(results / "apportion.duckdb"), read_only=True) as opened:
        yield opened


def test_names_come_back_as_they_were_dropped(connection):
    def column(sql):
        return {row[0] for row in connection.execute(sql).fetchall()}

    assert column("SELECT job_id FROM job") == set(NAMES)
    assert column('SELECT "user" FROM job') == set(NAMES)
    assert column("SELECT task_id FROM task") == set(NAMES)
    assert column("SELECT kernel FROM kernel") == set(NAMES[:4])
    assert column("SELECT app FROM perf_table") == set(NAMES[:3])
    assert {f"graphs/{NAMES[0]}", f"graphs/{NAMES[6]}"} <= column("SELECT trace FROM graph")


def test_every_study_replayed_them(connection):
    studies = {row[0] for row in connection.execute("SELECT DISTINCT study FROM scenario").fetchall()}
    assert studies == set(sources.studies())


def test_every_view_and_macro_answers_and_no_table_is_lost(connection):
    tables = connection.execute("SELECT count(*) FROM duckdb_tables()").fetchone()
    for definition in definitions(*load.VIEWS, *load.MACROS):
        if definition.parameters is None:
            connection.execute(f"SELECT * FROM {definition.name}").fetchall()
    assert connection.execute("SELECT count(*) FROM duckdb_tables()").fetchone() == tables


@pytest.mark.parametrize("name", cases(NAMES, NAMES[:3]))
def test_a_macro_takes_a_name_as_a_name(connection, name):
    """A hostile name as any text argument gives rows or a refusal to convert it, and never an error of syntax."""
    tables = connection.execute("SELECT count(*) FROM duckdb_tables()").fetchone()
    answered = 0
    for definition in definitions(*load.MACROS):
        if not definition.parameters:
            continue
        for place in range(len(definition.parameters)):
            marks = ", ".join("?" if n == place else "NULL" for n in range(len(definition.parameters)))
            what = "* FROM " if definition.is_table else ""
            try:
                connection.execute(f"SELECT {what}{definition.name}({marks})", [name]).fetchall()
                answered += 1
            except (duckdb.ConversionException, duckdb.BinderException, duckdb.InvalidInputException):
                continue
    assert answered >= 5
    assert connection.execute("SELECT count(*) FROM duckdb_tables()").fetchone() == tables


def test_claims_were_judged(connection):
    assert connection.execute("SELECT count(*) FROM claim").fetchone()[0] > 0


class _Elements(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


@pytest.mark.exhaustive
def test_the_page_holds_them_as_text(results):
    page.build(results / "apportion.duckdb", results / "report" / "index.html", results / "figures")
    text = (results / "report" / "index.html").read_text(encoding="utf-8")
    elements = _Elements(text).found
    assert not [(tag, attrs) for tag, attrs in elements if any(name.startswith("on") for name in attrs)]
    assert not [attrs for tag, attrs in elements if tag == "img" and attrs.get("src") == "x"]
    assert "<script>alert(1)" not in text
    for path in (results / "figures").rglob("*.svg"):
        elements = ElementTree.parse(path).iter()
        assert not [
            each for each in elements if each.tag.endswith("script") or any(a.startswith("on") for a in each.attrib)
        ]


def test_files_of_results_are_named_by_keys(results):
    names = {path.name for path in results.rglob("*") if "traces" not in path.parts}
    assert not [name for name in names if not re.fullmatch(r"[\w.-]+", name)]
    assert not list(results.rglob("x"))


def test_names_are_in_parquet_as_they_are(results):
    assert set(pl.read_parquet(results / "ingest" / "canonical" / "jobs.parquet")["user"]) == set(NAMES)
