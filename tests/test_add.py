"""The verb `add`: a file or a folder becomes a drop, or nothing is left."""

import pytest

from pipeline.stages.add import add
from pipeline.stages.ingest import check

JOBS = "job_id,submit_s,nodes,runtime_s\n1,0,2,10\n2,5,1,20\n"


@pytest.fixture
def root(tmp_path):
    (tmp_path / "traces").mkdir()
    return tmp_path / "traces"


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "my export 2024.01.csv"
    file.write_text(JOBS)
    return file


def test_a_file_is_linked_into_a_drop_of_its_own(root, table):
    text, code = add(table, root)
    assert code == 0
    assert "2 jobs" in text
    placed = root / "my-export-2024-01" / table.name
    assert placed.samefile(table)
    assert f"added as {placed.parent}" in text


def test_a_copy_is_a_file_of_its_own(root, table):
    add(table, root, "copied", copy=True)
    table.write_text("changed")
    assert (root / "copied" / table.name).read_text() == JOBS


def test_a_folder_is_linked_as_a_whole_and_read_through_the_link(root, tmp_path):
    folder = tmp_path / "site.log"
    folder.mkdir()
    (folder / "jobs.csv").write_text(JOBS)
    text, code = add(folder, root)
    assert code == 0
    assert (root / "site-log").resolve() == folder
    assert "2 jobs" in text


def test_what_would_be_refused_is_not_added(root, tmp_path):
    file = tmp_path / "holiday.csv"
    file.write_text("place,days\nRome,3\n")
    text, code = add(file, root)
    assert code == 2
    assert "nothing was added" in text
    assert list(root.iterdir()) == []
    assert file.read_text() == "place,days\nRome,3\n"


def test_a_refused_folder_stays_where_it_is(root, tmp_path):
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "a.bin").write_bytes(b"\0")
    assert add(folder, root)[1] == 2
    assert list(root.iterdir()) == []
    assert (folder / "a.bin").is_file()


def test_a_drop_with_a_bad_row_is_added_and_the_code_says_so(root, tmp_path):
    file = tmp_path / "some.csv"
    file.write_text(JOBS + "3,6,x,20\n")
    assert add(file, root)[1] == 1
    assert (root / "some" / "some.csv").is_file()


@pytest.mark.parametrize("name", ["-x", "a b", "é", "../out"])
def test_a_name_that_no_drop_can_have_is_refused(root, table, name):
    with pytest.raises(ValueError, match="cannot be the name of a drop"):
        add(table, root, name)
    assert list(root.iterdir()) == []


def test_a_name_that_is_taken_is_said_with_another_one(root, table):
    add(table, root, "mine")
    with pytest.raises(ValueError, match="--name, as mine-2"):
        add(table, root, "mine")
    assert (root / "mine" / table.name).is_file()


def test_a_folder_does_not_become_a_drop_of_itself(root):
    with pytest.raises(ValueError, match="would lie inside"):
        add(root.parent, root, "all")
    assert list(root.iterdir()) == []


def test_what_is_not_there_is_said(root, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.csv does not exist"):
        add(tmp_path / "nothing.csv", root)
    (tmp_path / "x.csv").write_text(JOBS)
    with pytest.raises(FileNotFoundError, match="--root"):
        add(tmp_path / "x.csv", tmp_path / "no-traces")


def test_a_proposed_trace_yaml_is_taken_where_asked_for(root, tmp_path):
    file = tmp_path / "export.csv"
    file.write_text(
        "Job;Queued;Started;Finished;NodeCount;PeakMem_MB\n"
        "1;13.03.2024 00:02:43;13.03.2024 00:07:22;13.03.2024 00:52:02;8;1044\n"
    )
    text, code = add(file, root)
    assert code == 2
    assert "used_memory_gb: {from: PeakMem_MB, unit: MB}" in text
    assert "--write" in text
    assert list(root.iterdir()) == []
    text, code = add(file, root, write=True)
    assert code == 0
    assert "1 jobs" in text
    assert "PeakMem_MB" in (root / "export" / "trace.yaml").read_text()


CODES = "\x1b]0;gone\x07\x9b2J\u202eevil\u2028end"


def test_control_codes_of_a_drop_do_not_reach_the_terminal(root, tmp_path):
    shown = [add(file, root)[0] for file in (tmp_path / "a.csv", tmp_path / "jobs.csv") if file.write_text(
        f"{'job_id,submit_s,nodes,runtime_s' if file.stem == 'jobs' else 'one,two,three'},x{CODES}\n1,0,2{CODES},10,3\n"
    )]  # fmt: skip
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "jobs.csv").write_text(JOBS)
    (folder / f"line\nbreak{CODES}.md").write_text("x")
    shown.append(add(folder, root)[0])
    assert "line\\nbreak\\x1b" in shown[2]
    for text in shown:
        assert "\\x1b]0;gone\\x07\\x9b2J\\u202eevil\\u2028end" in text
        assert all(code not in text for code in CODES if not code.isprintable())


@pytest.mark.parametrize("name", ["photo.csv", "photo.swf", "photo.txt", "photo.bin"])
def test_a_binary_file_is_called_one(root, tmp_path, name):
    (tmp_path / name).write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 8)
    text, code = add(tmp_path / name, root)
    assert code == 2
    assert f"{name} is a binary file" in text
    assert "\x89" not in text


def test_check_and_add_agree_on_odd_names_and_on_links(root, tmp_path, table):
    folder = tmp_path / "Jöbs März"
    folder.mkdir()
    (folder / "jobs.csv").write_text(JOBS)
    text, code = check(folder)
    assert code == 0
    assert text.startswith("J-bs-M-rz: jobs\n")
    assert "`apportion add` makes one named J-bs-M-rz" in text
    assert add(folder, root)[1] == 0
    assert (root / "J-bs-M-rz").is_dir()
    link = tmp_path / "link.csv"
    link.symlink_to(table)
    text, code = check(link)
    assert code == 0
    assert text.startswith("my-export-2024-01: jobs\n")
    assert add(link, root)[1] == 0
    assert (root / "my-export-2024-01" / table.name).samefile(table)


@pytest.mark.parametrize("name", ["jobs.xlsx", "jobs.xls", "jobs.ods"])
def test_a_spreadsheet_is_to_be_saved_as_csv(root, tmp_path, name):
    (tmp_path / name).write_bytes(b"PK\3\4")
    text, code = add(tmp_path / name, root)
    assert code == 2
    assert f"{name} is a spreadsheet, which is not read itself. Save each of its sheets as CSV" in text


@pytest.mark.parametrize("text", ["1 0.5\n2 0.3\n4 0.2\n", "ranks time\n1 12\n2 6\n4 3\n", "a 1\nb 2\nc 3\n"])
def test_a_text_file_of_times_is_no_graph(root, tmp_path, text):
    (tmp_path / "times.txt").write_text(text)
    said, code = add(tmp_path / "times.txt", root)
    assert code == 2
    assert "no format recognised" in said
    (tmp_path / "graph.txt").write_text("FromNodeId ToNodeId\n1 2\n2 3\n3 1\n")
    assert add(tmp_path / "graph.txt", root)[1] in (0, 1)
