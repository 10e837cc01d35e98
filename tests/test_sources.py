"""What a stage's results depend on."""

import importlib

import pytest

from pipeline import sources


def names(files):
    return {str(path.resolve().relative_to(sources.ROOT)) for path in files}


def test_a_replay_depends_on_its_own_scheduler_only():
    files = names(sources.of_replay("hpc_memory", "priority"))
    folder = "pipeline/studies/hpc_memory/schedulers"
    assert f"{folder}/priority.py" in files
    assert {f for f in files if f.startswith(folder)} == {f"{folder}/__init__.py", f"{folder}/priority.py"}
    assert {"pipeline/studies/hpc_memory/model.py", "pipeline/replay/easy.py", "pipeline/replay/stage.py"} <= files


def test_stages_do_not_depend_on_later_ones():
    assert not any(
        "warehouse" in f or "report" in f or "claims" in f for f in names(sources.of_scenarios("hpc_memory"))
    )
    assert not any("studies" in f for f in names(sources.of_ingest()) | names(sources.of_fit()))
    for files in (sources.of_ingest(), sources.of_fit(), sources.of_replay("hpc_memory", "priority")):
        assert {"requirements.lock", "pipeline/__main__.py"} <= names(files)


def test_the_second_round_is_in_no_other_stage_and_knows_its_baseline():
    own = "pipeline/studies/hpc_memory/refinement.py"
    assert own in names(sources.of_refinement("hpc_memory"))
    assert not any(
        "/schedulers/" in f and not f.endswith("__init__.py") for f in names(sources.of_refinement("hpc_memory"))
    )
    for files in (sources.of_scenarios("hpc_memory"), sources.of_replay("hpc_memory", "priority")):
        assert own not in names(files)
    assert sources.refined_against("hpc_memory") == "unlimited"


def test_a_study_without_refinement_has_no_second_round(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "PACKAGE", tmp_path)
    assert sources.refined_against("plain") is None


def test_what_a_study_takes_is_what_readers_give():
    given = {p.stem: importlib.import_module(f"pipeline.readers.{p.stem}").GIVES
             for p in (sources.PACKAGE / "readers").glob("[!_]*.py")}  # fmt: skip
    takers = {reader: [s for s in sources.studies() if set(sources.takes(s)) & set(gives)]
              for reader, gives in given.items()}  # fmt: skip
    assert takers["swf"] == takers["memory_samples"] == takers["canonical"] == ["hpc_memory"]
    assert takers["prim"] == takers["pim_tables"] == ["pim_ranks"]
    assert takers["edge_list"] == takers["matrix_market"] == ["pim_graph"]
    assert takers["tasks"] == ["gpu_partition"]
    # Pairs of GPU applications are judged where they are fitted, whether or not a study replays their kernels.
    assert all(takers[reader] for reader, gives in given.items() if not {"corun_pairs", "sm_curves"} & set(gives))
    for study in sources.studies():
        assert set(sources.takes(study)) <= {table for gives in given.values() for table in gives}
        assert sources.takes(study) == importlib.import_module(f"pipeline.studies.{study}").TAKES


def test_what_a_study_takes_is_read_without_running_its_code(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "PACKAGE", tmp_path)
    package = tmp_path / "studies" / "plain"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError\nTAKES = ('jobs',)\n")
    assert sources.takes("plain") == ("jobs",)
    (package / "__init__.py").write_text("")
    with pytest.raises(ValueError, match=r"study plain: its __init__\.py has no TAKES"):
        sources.takes("plain")


def test_the_warehouse_depends_on_views_and_claims():
    files = names(sources.of_warehouse())
    assert "pipeline/claims/hpc_memory/M1.sql" in files
    assert "pipeline/warehouse/views/recommended_scheduler.sql" in files


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


def test_the_version_changes_with_content_and_name(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "b.py").write_text("x = 1\n")
    one = sources.version([tmp_path / "a.py"])
    assert one == sources.version([tmp_path / "a.py"])
    assert one != sources.version([tmp_path / "b.py"])
    (tmp_path / "a.py").write_text("x = 2\n")
    assert one != sources.version([tmp_path / "a.py"])
