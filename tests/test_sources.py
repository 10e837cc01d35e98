"""What a stage's results depend on."""

import ast
import importlib
import re

import pytest

from pipeline.runtime import sources
from pipeline.runtime.study import declared


def names(files):
    return {str(path.resolve().relative_to(sources.ROOT)) for path in files}


def test_a_replay_depends_on_its_own_scheduler_only():
    files = names(sources.of_replay("hpc_memory", "priority"))
    folder = "pipeline/studies/hpc_memory/schedulers"
    assert f"{folder}/priority.py" in files
    assert {f for f in files if f.startswith(folder)} == {f"{folder}/__init__.py", f"{folder}/priority.py"}
    assert {"pipeline/studies/hpc_memory/model.py", "pipeline/simulation/easy.py", "pipeline/stages/replay.py"} <= files


def test_stages_do_not_depend_on_later_ones():
    assert not any(
        "warehouse" in f or "report" in f or "claims" in f for f in names(sources.of_scenarios("hpc_memory"))
    )
    assert not any("studies" in f for f in names(sources.of_ingest()) | names(sources.of_fit()))
    for files in (sources.of_ingest(), sources.of_fit(), sources.of_replay("hpc_memory", "priority")):
        assert "requirements.lock" in names(files)
        assert not any(f in ("pipeline/__main__.py", "pipeline/runtime/one_run.py") for f in names(files))


def stages() -> dict[tuple[str, ...], set[str]]:
    """Files of every stage, by its name, study and scheduler."""
    stage_files = {("ingest",): sources.of_ingest(), ("fit",): sources.of_fit(), ("warehouse",): sources.of_warehouse()}
    for study in sources.studies():
        stage_files["scenarios", study] = sources.of_scenarios(study)
        stage_files["part", study] = sources.of_part(study)
        for scheduler in sources.schedulers(study):
            stage_files["replay", study, scheduler] = sources.of_replay(study, scheduler)
    return {stage: names(files) for stage, files in stage_files.items()}


EDITS = {
    "pipeline/__main__.py": {},
    "pipeline/studies/pim_graph/views/pim_graph_result.sql": {"*": {"warehouse"}},
    "pipeline/studies/pim_graph/claims/G1.sql": {"*": {"warehouse"}},
    "pipeline/readers/swf.py": {"*": {"ingest"}},
    "pipeline/readers/names.yaml": {"*": {"ingest"}},
    "pipeline/fit/pim.py": {"*": {"fit"}},
    "pipeline/config/whole.py": {},
    "pipeline/warehouse/schemas.py": {"*": {"warehouse"}},
    "pipeline/studies/pim_graph/config.py": {"pim_graph": {"scenarios", "part"}},
    "pipeline/studies/hpc_memory/config.py": {"hpc_memory": {"scenarios", "part"}},
    "pipeline/studies/pim_graph/tables.py": {"*": {"warehouse"}, "pim_graph": {"scenarios", "part"}},
    "pipeline/studies/hpc_memory/tables.py": {"*": {"warehouse"}, "hpc_memory": {"scenarios", "part"}},
    "pipeline/studies/pim_graph/workload.py": {"pim_graph": {"scenarios", "part"}},
    "pipeline/studies/pim_graph/model/traversal.py": {"pim_graph": {"scenarios", "replay", "part"}},
    "pipeline/tables/canonical/memory.py": {"*": {"ingest", "fit", "warehouse"}}
    | {study: {"scenarios", "part"} for study in sources.studies()},
}
"""Files of every kind, and by study which stages depend on them: `*` are the stages that no study has alone."""


@pytest.mark.slow
@pytest.mark.parametrize("name", EDITS)
def test_an_edit_re_runs_the_stages_that_use_the_file_and_no_other(name):
    assert (sources.ROOT / name).is_file()
    rerun_stages: dict[str, set[str]] = {}
    for (kind, *of), files in stages().items():
        if name in files:
            rerun_stages.setdefault(of[0] if of else "*", set()).add(kind)
    assert rerun_stages == EDITS[name]


def test_an_edited_scheduler_re_runs_its_own_replays_alone():
    users = {stage for stage, files in stages().items() if "pipeline/studies/gpu_corun/schedulers/mps.py" in files}
    assert users == {("replay", "gpu_corun", "mps"), ("part", "gpu_corun")}


def test_a_replay_depends_on_few_files_none_of_them_of_another_study():
    for (kind, *of), files in stages().items():
        if kind == "replay":
            assert len([f for f in files if "/orders/" not in f]) <= 35  # an order of a queue is a file
            assert not any(f.startswith(("pipeline/config/", "pipeline/tables/")) for f in files)
            studies = {f.split("/")[2] for f in files if f.startswith("pipeline/studies/")}
            assert studies == {"__init__.py", of[0]}


def test_no_stage_of_a_study_asks_for_the_whole_configuration():
    # It is imported on demand, so the lists do not follow it.
    asks = re.compile(r"^from pipeline\.config import|^from pipeline import .*\bconfig\b|config\.whole", re.MULTILINE)
    for kind, files in stages().items():
        python = {f for f in files if f.endswith(".py")} - {"pipeline/config/__init__.py"}
        assert not [f for f in python if asks.search((sources.ROOT / f).read_text())], kind


def test_what_a_study_takes_is_what_readers_give():
    given = {
        p.stem: importlib.import_module(f"pipeline.readers.{p.stem}").GIVES
        for p in (sources.PACKAGE / "readers").glob("[!_]*.py")
    }
    takers = {
        reader: [s for s in sources.studies() if set(declared()[s].takes) & set(gives)]
        for reader, gives in given.items()
    }
    both = ["hpc_memory", "memory_tiers"]
    assert takers["swf"] == takers["memory_samples"] == takers["canonical"] == both
    assert takers["prim"] == takers["pim_tables"] == ["pim_ranks"]
    assert takers["edge_list"] == takers["matrix_market"] == ["pim_graph"]
    assert takers["tasks"] == ["gpu_partition"]
    # The best pairs of GPU applications are found where they are fitted, and slices chosen there, whether or not a
    # study replays their kernels.
    alone = {"corun_pairs", "sm_curves", "slice_points"}
    assert all(takers[reader] for reader, gives in given.items() if not alone & set(gives))
    for study in sources.studies():
        assert set(declared()[study].takes) <= {table for gives in given.values() for table in gives}


def test_the_warehouse_depends_on_views_and_claims():
    files = names(sources.of_warehouse())
    assert "pipeline/studies/hpc_memory/claims/M1.sql" in files
    assert "pipeline/studies/hpc_memory/views/recommended_hpc_memory.sql" in files


def test_no_study_imports_another_and_the_package_never_imports_snakemake():
    for path in sources.PACKAGE.rglob("*.py"):
        text = path.read_text()
        assert "import snakemake" not in text
        assert "from snakemake" not in text
        for study in sources.studies():
            if study not in path.parts:
                continue
            others = [other for other in sources.studies() if other != study]
            assert not any(f"pipeline.studies.{other}" in text for other in others)


def parsed_imports(path):
    """Modules of the package that a file imports, as its syntax tree says."""
    names = []
    for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return {name for name in names if name.partition(".")[0] == "pipeline"}


def statements(node):
    """Statements below a node but those that run on demand, or for types alone."""
    for inner in ast.iter_child_nodes(node):
        on_demand = isinstance(inner, ast.FunctionDef) and inner.name == "__getattr__"
        for_types = isinstance(inner, ast.If) and getattr(inner.test, "id", "") == "TYPE_CHECKING"
        if not on_demand and not for_types:
            yield inner
            yield from statements(inner)


def test_imports_are_those_of_the_syntax_tree():
    paths = list(sources.PACKAGE.rglob("*.py"))
    assert len(paths) > 300
    imports = {(path, name) for path in paths for name in sources._imports(path)}
    parsed = {(path, name) for path in paths for name in parsed_imports(path)}
    assert parsed <= imports
    # What else is found stands in examples of docstrings.
    assert len(imports - parsed) < len(parsed) / 1000


def test_imports_are_found_however_they_are_written(tmp_path):
    path = tmp_path / "rule.py"
    path.write_text(
        "from pipeline.a import (\n    b,  # the first, c\n    d as e,\n)\n"
        "from pipeline.f import g, \\\n    h\n"
        "import numpy, pipeline.i as j; import pipeline.k\n"
        "if TYPE_CHECKING:\n    from pipeline.types import T\n\n    import pipeline.more\n"
        "def __getattr__(name):\n    from pipeline.late import L\n    return L\n"
        "def use():\n    from pipeline import m  # as n\n    if m: from pipeline.o import p\n"
        "import pipelines\nfrom . import sibling\n"
    )
    imports = set(sources._imports(path))
    assert imports == parsed_imports(path)
    assert imports == {
        *("pipeline.a", "pipeline.a.b", "pipeline.a.d", "pipeline.f", "pipeline.f.g", "pipeline.f.h"),
        *("pipeline.i", "pipeline.k", "pipeline", "pipeline.m", "pipeline.o", "pipeline.o.p"),
    }


def test_the_version_changes_with_content_and_name(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "b.py").write_text("x = 1\n")
    one = sources.version([tmp_path / "a.py"])
    assert one == sources.version([tmp_path / "a.py"])
    assert one != sources.version([tmp_path / "b.py"])
    (tmp_path / "a.py").write_text("x = 2\n")
    assert one != sources.version([tmp_path / "a.py"])


LAYERS = (
    ("runtime", "statistics", "gpus"),
    ("simulation", "tables"),
    ("drops",),
    ("readers", "fit"),
    ("config",),
    ("studies",),
    ("claims",),
    ("warehouse",),
    ("report", "reference"),
    ("stages",),
    ("__main__",),
)
"""Rooms of the package from below: each imports its own layer and those before it."""
UPWARDS: set[tuple[str, str]] = set()
"""None: what is found because of where it lies is imported by its name."""


def test_rooms_import_downwards():
    place = {room: place for place, rooms in enumerate(LAYERS) for room in rooms}
    upward_imports = set()
    for path in sources.PACKAGE.rglob("*.py"):
        inside = path.relative_to(sources.PACKAGE).parts
        if inside == ("__init__.py",):
            continue
        # What a study draws is part of the report.
        room = "report" if "figures" in str(path) else inside[0].removesuffix(".py")
        for module in sources._imports(path):
            other = module.split(".")[1] if "." in module else ""
            if place.get(other, -1) > place[room]:
                upward_imports.add((room, other))
    assert upward_imports <= UPWARDS


def test_no_shared_room_names_a_study():
    named = re.compile("|".join(sources.studies()))
    shared = [path for path in sources.PACKAGE.rglob("*") if path.parts[len(sources.PACKAGE.parts)] != "studies"]
    texts = [path for path in shared if path.suffix in (".py", ".sql", ".html", ".js", ".css", ".csv")]
    assert [str(path) for path in texts if named.search(path.read_text(encoding="utf-8"))] == []
