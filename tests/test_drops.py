"""Drops are found, their settings checked, their formats recognised; bad ones are refused alone."""

import itertools
import os
from types import SimpleNamespace

import pytest

from pipeline import config, drops
from pipeline.drops import Drop, DropSettings, Refusal
from pipeline.readers import _recognise
from pipeline.tables import CANONICAL


def make(root, name, files=(), settings=None):
    folder = root / name
    folder.mkdir(parents=True)
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text("x\n")
    if settings is not None:
        (folder / "trace.yaml").write_text(settings)
    return folder


def refusal_of(path):
    with pytest.raises(Refusal) as caught:
        drop = drops.load(path)
        _recognise.recognise(drop)
    return caught.value


def test_discover_lists_folders_of_all_roots_by_name_without_hidden_ones_and_files(tmp_path):
    make(tmp_path, "one/b")
    make(tmp_path, "two/a")
    make(tmp_path, "one/.hidden")
    (tmp_path / "one" / "README.md").write_text("x")
    result = drops.discover([tmp_path / "one", tmp_path / "two"])
    assert [(folder.key, folder.refusal) for folder in result] == [("a", None), ("b", None)]


@pytest.mark.parametrize("name", ["my drop", "kth.sp2", "größe", "a+b"])
def test_drop_name_with_other_characters_is_refused_and_leaves_others_alone(tmp_path, name):
    make(tmp_path, name)
    make(tmp_path, "good")
    folders = {folder.path.name: folder for folder in drops.discover([tmp_path])}
    assert folders["good"].refusal is None
    assert folders[name].refusal.reason == "drop_name"
    assert "rename the folder, for example to" in folders[name].refusal.detail
    assert drops.DROP_NAME.fullmatch(folders[name].key)


def test_names_that_differ_only_in_refused_characters_keep_different_keys(tmp_path):
    make(tmp_path, "a b")
    make(tmp_path, "a.b")
    make(tmp_path, "a-b")
    assert len({folder.key for folder in drops.discover([tmp_path])}) == 3


def test_second_drop_of_a_name_is_refused(tmp_path):
    make(tmp_path, "one/kth")
    make(tmp_path, "two/kth")
    first, second = drops.discover([tmp_path / "one", tmp_path / "two"])
    assert first.refusal is None
    assert first.path.parent.name == "one"
    assert second.refusal.reason == "drop_duplicate"
    assert "'one'" in second.refusal.detail
    assert first.key != second.key


def test_missing_root_names_it(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent"):
        drops.discover([tmp_path / "absent"])


def test_settings_accept_every_form_of_column_source(tmp_path):
    folder = make(
        tmp_path,
        "d",
        settings="nodes: 4\nnode_memory_gb: 96\ntime_zone: Europe/Rome\ncolumns:\n"
        "  job_id: [workflow, task]\n  time_s: t\n  used_gb: {from: rss, unit: KiB}\n",
    )
    settings = drops.load(folder).settings
    assert settings.node_memory_gb == 96
    assert settings.columns["job_id"].names == ["workflow", "task"]
    assert settings.columns["time_s"].scale == 1
    assert settings.columns["used_gb"].scale == pytest.approx(1024 / 1e9)


def test_bad_settings_report_all_problems_at_once_with_hints(tmp_path):
    folder = make(
        tmp_path,
        "d",
        settings='nods: 4\nkind: mesured\ncpus_per_node: "4"\ntime_zone: Europe/Romee\n'
        "columns: {t: {from: a, unit: kb}}\n",
    )
    refusal = refusal_of(folder)
    assert (refusal.reason, refusal.file) == ("settings_invalid", "trace.yaml")
    for part in (
        "did you mean 'nodes'",
        "did you mean 'measured'",
        "cpus_per_node",
        "did you mean 'Europe/Rome'",
        "unit",
    ):
        assert part in refusal.detail


@pytest.mark.parametrize(
    ("columns", "part"),
    [
        ("{used_gbs: a}", "did you mean 'used_gb'"),
        ("{time_s: [a, b]}", "only job_id and app may be made of several"),
        ("{used_gb: {from: a, unit: ms}}", "cannot have the unit ms"),
        ("{used_gb: {form: a}}", "did you mean 'from'"),
    ],
)
def test_bad_column_maps_are_explained(tmp_path, columns, part):
    assert part in refusal_of(make(tmp_path, "d", settings=f"columns: {columns}\n")).detail


@pytest.mark.parametrize("text", ["a: [1", "- 1\n- 2\n", "\x00", "just words"])
def test_settings_that_are_no_mapping_are_malformed(tmp_path, text):
    assert refusal_of(make(tmp_path, "d", settings=text)).reason == "settings_malformed"


def test_malformed_settings_name_the_line(tmp_path):
    assert refusal_of(make(tmp_path, "d", settings="nodes: 1\nnote: [\n")).row is not None


def test_empty_settings_are_the_defaults(tmp_path):
    assert drops.load(make(tmp_path, "d", settings="")).settings == DropSettings()


def test_every_reader_keeps_the_interface():
    modules = _recognise.reader_modules()
    known = {"swf", "sacct", "pm100", "memory_samples", "canonical"}
    assert known <= {module.FORMAT for module in modules}
    for module in modules:
        assert module.__doc__
        assert set(module.GIVES) <= set(CANONICAL)
        assert callable(module.recognises)
        assert callable(module.read)
        assert module.recognises([], DropSettings()) == []


@pytest.mark.parametrize(
    ("files", "settings", "expected"),
    [
        (["a.swf", "b.swf.gz"], None, "swf"),
        (["samples.parquet"], None, "memory_samples"),
        (["samples.csv.gz", "jobs.csv"], None, "memory_samples"),
        (["x.parquet"], "columns: {used_gb: v}", "memory_samples"),
        (["jobs.csv", "phases.parquet"], None, "canonical"),
        (["2024.sacct", "2025.psv"], None, "sacct"),
        (["job_table.parquet"], None, "pm100"),
        (["anything.parquet"], "format: pm100\njobs: anything.parquet", "pm100"),
        (["samples.parquet", "job_table.parquet"], "jobs: job_table.parquet", "memory_samples"),
        (["jobs.csv", "phases.csv", "samples.csv"], "format: canonical", "canonical"),
    ],
)
def test_formats_are_recognised_from_names(tmp_path, files, settings, expected):
    module = _recognise.recognise(drops.load(make(tmp_path, "d", files, settings)))
    assert module.__name__ == f"pipeline.readers.{expected}"


@pytest.mark.parametrize(
    ("files", "settings", "reason", "part"),
    [
        ([], None, "drop_empty", "no file"),
        ([], "nodes: 3", "drop_empty", "no file"),
        (["a.txt~", "b.bin"], None, "format_unknown", "a.txt~, b.bin"),
        (["a.swf"], "format: sfw", "format_unknown", "did you mean 'swf'"),
        (["b.bin"], "format: swf", "format_unknown", "b.bin"),
        (["a.swf", "samples.csv"], None, "format_ambiguous", "split it into one drop per format"),
    ],
)
def test_what_is_not_one_format_is_refused(tmp_path, files, settings, reason, part):
    refusal = refusal_of(make(tmp_path, "d", files, settings))
    assert refusal.reason == reason
    assert part in refusal.detail


def test_links_out_of_the_drop_are_refused_and_links_inside_are_read(tmp_path):
    outside = make(tmp_path, "outside", ["secret.swf"])
    folder = make(tmp_path, "root/d", ["real.swf"])
    (folder / "file.swf").symlink_to(outside / "secret.swf")
    (folder / "folder").symlink_to(outside)
    (folder / "alias.swf").symlink_to(folder / "real.swf")
    (folder / "dangling.swf").symlink_to(folder / "nothing")
    (folder / "loop").symlink_to(folder)
    files, refusals = drops.contents(Drop("d", folder))
    assert [file.name for file in files] == ["alias.swf", "real.swf"]
    assert sorted((r.reason, r.file) for r in refusals) == [
        ("link_broken", "dangling.swf"),
        ("link_outside", "file.swf"),
        ("link_outside", "folder"),
    ]


def test_settings_linked_from_outside_are_not_read(tmp_path):
    (tmp_path / "secret.yaml").write_text("nodes: 3\n")
    folder = make(tmp_path, "root/d", ["a.swf"])
    (folder / "trace.yaml").symlink_to(tmp_path / "secret.yaml")
    assert refusal_of(folder).reason == "link_outside"


def test_named_pipes_are_not_opened(tmp_path):
    folder = make(tmp_path, "d", ["a.swf"])
    os.mkfifo(folder / "pipe.swf")
    files, refusals = drops.contents(Drop("d", folder))
    assert [file.name for file in files] == ["a.swf"]
    assert [r.reason for r in refusals] == ["not_a_file"]


def test_size_is_of_the_files_that_ingest_sees(tmp_path):
    drop = tmp_path / "mine"
    (drop / "below").mkdir(parents=True)
    (drop / "a.csv").write_bytes(bytes(1000))
    (drop / "below" / "b.csv").write_bytes(bytes(24))
    (drop / "trace.yaml").write_text("format: swf\n")
    (tmp_path / "outside.csv").write_bytes(bytes(5000))
    (drop / "link.csv").symlink_to(tmp_path / "outside.csv")
    assert drops.size(drop) == 1024


def test_aliases_in_trace_yaml_are_refused_at_once(tmp_path):
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{name}: &{name} [*{before}, *{before}, *{before}, *{before}, *{before}, *{before}, *{before}, *{before}]\n"
        for before, name in itertools.pairwise("abcdefghij")
    )
    (tmp_path / "drop").mkdir()
    (tmp_path / "drop" / "trace.yaml").write_text(bomb)
    with pytest.raises(drops.Refusal, match="aliases") as refused:
        drops.load(tmp_path / "drop")
    assert refused.value.reason == "settings_malformed"


def test_a_replaced_file_changes_the_fingerprint_whatever_its_name_and_age(tmp_path):
    drop = tmp_path / "drop"
    drop.mkdir()
    before = drops.fingerprint(drop)
    log = drop / "log{1} *.swf"
    log.write_text("one")
    first = drops.fingerprint(drop)
    log.write_text("six")
    os.utime(log, (1e9, 1e9))
    assert len({before, first, drops.fingerprint(drop)}) == 3


def test_what_a_workflow_sees_of_a_drop_is_its_content_and_of_large_files_the_second(tmp_path, monkeypatch):
    drop = tmp_path / "drop"
    drop.mkdir()
    log = drop / "log.swf"
    log.write_text("one")
    os.utime(log, ns=(1, 1_000_000_123_456_789))
    first, exact = drops.content(drop), drops.fingerprint(drop)
    os.utime(log, (2e9, 2e9))
    assert drops.content(drop) == first
    assert drops.fingerprint(drop) != exact
    log.write_text("two")
    assert drops.content(drop) != first
    # Too large to be hashed at each planning.
    monkeypatch.setattr(drops.folders, "SMALL_BYTES", 2)
    os.utime(log, ns=(1, 1_000_000_123_456_789))
    first = drops.content(drop)
    os.utime(log, ns=(1, 1_000_000_000_000_000))
    assert drops.content(drop) == first
    os.utime(log, ns=(1, 999_999_000_000_000))
    assert drops.content(drop) != first
    (drop / "more.swf").write_text("")
    assert len({first, drops.content(drop)}) == 2


def test_links_and_unreadable_names_are_part_of_what_a_workflow_sees(tmp_path):
    (tmp_path / "drop").mkdir()
    before = drops.content(tmp_path / "drop")
    (tmp_path / "drop" / "link.swf").symlink_to("/etc/passwd")
    assert drops.content(tmp_path / "drop") != before


def test_workloads_are_made_of_their_own_drop_and_of_those_that_the_configuration_names():
    readers = {
        "log": SimpleNamespace(GIVES=("jobs",)),
        "series": SimpleNamespace(GIVES=("samples",)),
        "curves": SimpleNamespace(GIVES=("sm_curves",)),
    }
    takes = ("jobs", "samples")
    assert _recognise.workload_drops(readers, takes) == {"log": ["log"], "series": ["series"]}
    assert _recognise.workload_drops(readers, takes, ["series"]) == {"log": ["log", "series"], "series": ["series"]}
    named = config.parse({"hpc_memory": {"sweeps": {"composed": {"workload": "composed", "shapes": ["series/a"]}}}})
    assert config.lenders(named, "hpc_memory") == {"series"}
    assert config.lenders(config.parse({}), "hpc_memory") == config.lenders(named, "pim_ranks") == set()
