"""Drops are not trusted: what the code never does, and that nothing outside a drop is read, run or reached."""

import ast
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
import traps

from pipeline import drops
from pipeline.runtime.sources import ROOT
from pipeline.stages import ingest

FORBIDDEN_MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "jsonpickle"}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__", "breakpoint"}
NETWORK_MODULES = {"socket", "http", "urllib", "requests", "httpx", "aiohttp", "ftplib", "smtplib", "ssl"}
SOURCES = sorted((ROOT / "pipeline").rglob("*.py"))
OWN_FILES = {"pipeline/runtime/kernel_cache.py": ["pickle"]}
"""What reads files of the project's own: compiled kernels are pickles by numba's making, and lie in no drop."""
SECRET = "root:x:0:0"


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def _imported(tree: ast.Module) -> set[str]:
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.add(node.module.partition(".")[0])
    return modules


def _faults(tree: ast.Module) -> list[str]:
    """Calls that run what a text says, or load objects."""
    faults = sorted(_imported(tree) & FORBIDDEN_MODULES)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        owner = getattr(getattr(node.func, "value", None), "id", "")
        if isinstance(node.func, ast.Name) and name in FORBIDDEN_CALLS:
            faults.append(f"{name}:{node.lineno}")
        if (owner, name) in {("os", "system"), ("os", "popen"), ("yaml", "unsafe_load"), ("yaml", "full_load")}:
            faults.append(f"{owner}.{name}:{node.lineno}")
        if (owner, name) == ("yaml", "load") and not any(k.arg == "Loader" for k in node.keywords):
            faults.append(f"yaml.load:{node.lineno}")
        faults += [
            f"{keyword.arg}:{node.lineno}"
            for keyword in node.keywords
            if keyword.arg in ("shell", "allow_pickle") and getattr(keyword.value, "value", True) is not False
        ]
    return faults


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_module_runs_texts_or_loads_objects(path):
    assert _faults(_tree(path)) == OWN_FILES.get(path.relative_to(ROOT).as_posix(), [])


@pytest.mark.parametrize(
    "text",
    [
        "import pickle", "from pickle import loads", "eval('1')", "exec(x)", "np.load(f, allow_pickle=True)",
        "os.system(x)",
        "subprocess.run(x, shell=True)", "subprocess.run(x, shell=flag)", "yaml.load(x)", "yaml.unsafe_load(x)",
    ],
)  # fmt: skip
def test_the_search_for_them_finds_them(text):
    assert _faults(ast.parse(text))


def test_no_module_of_the_package_knows_the_network():
    assert {path.name: modules for path in SOURCES if (modules := _imported(_tree(path)) & NETWORK_MODULES)} == {}


def test_the_loader_of_trace_yaml_makes_plain_values_only():
    assert issubclass(drops.settings._PlainLoader, __import__("yaml").SafeLoader)


@pytest.fixture
def sprung(tmp_path, monkeypatch):
    """Ingest a trap in a folder of its own, with the working directory there: summary, and the folder around it."""
    monkeypatch.chdir(tmp_path)

    def spring(name):
        drop = tmp_path / "traces" / name
        traps.make(name, drop)
        return ingest.ingest(drop, tmp_path / "out"), tmp_path

    return spring


@pytest.mark.parametrize("name", ["yaml_objects", "extension_types_parquet", "zip_and_tar"])
def test_nothing_in_a_drop_is_run_or_unpacked(name, sprung):
    before = set(Path("/tmp").glob("escaped*"))
    _, around = sprung(name)
    assert list(around.rglob("escaped*")) == []
    assert set(Path("/tmp").glob("escaped*")) == before


def test_columns_that_claim_to_be_python_objects_are_what_they_are_stored_as(sprung):
    sprung("extension_types_parquet")
    path = Path("traces/extension_types_parquet/jobs.parquet")
    assert pa.parquet.read_schema(path).field("job_id").type == pa.string()
    assert pl.read_parquet("out/jobs.parquet")["job_id"].to_list() == ["a"]


def test_nothing_outside_the_drop_is_read(sprung):
    opened = []
    watching = [True]
    sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" and watching[0] else None)
    summary, around = sprung("links_out")
    watching[0] = False
    assert summary.rejected.keys() >= {"link_outside"}
    assert not [name for name in opened if name.startswith(("/etc/passwd", "/etc/hostname", "/dev/zero"))]
    assert SECRET.encode() not in b"".join(path.read_bytes() for path in (around / "out").iterdir())


def test_names_with_dots_stay_where_they_are(tmp_path):
    """A name that leads up is no name of a file that a drop can hold; one in trace.yaml is none of the drop's."""
    (tmp_path / "outside.csv").write_text("job_id,time_s,used_gb\na,0,1\n")
    drop = tmp_path / "drop"
    drop.mkdir()
    (drop / "samples.csv").write_text("job_id,time_s,used_gb\na,0,1\n")
    (drop / "trace.yaml").write_text("samples: ../outside.csv\n")
    summary = ingest.ingest(drop, tmp_path / "out")
    assert summary.code == 2
    assert "file_unknown" in summary.rejected


@pytest.mark.parametrize("name", [name for name in traps.HOSTILE_NAMES if "/" not in name and name != ".."])
def test_a_hostile_name_of_a_drop_becomes_a_safe_key(name, tmp_path):
    (tmp_path / name).mkdir()
    (folder,) = drops.discover([tmp_path])
    assert folder.refusal is not None
    assert drops.DROP_NAME.fullmatch(folder.key)
    assert not folder.key.startswith("-")


def test_ingest_needs_no_network(tmp_path):
    """A process whose sockets refuse to connect reads a drop and fits it."""
    program = (
        "import socket, sys\n"
        "def refuse(*_):\n    raise OSError('no network here')\n"
        "socket.socket.connect = socket.socket.connect_ex = refuse\n"
        "socket.getaddrinfo = socket.create_connection = refuse\n"
        "from pipeline.__main__ import main\n"
        "sys.exit(main())\n"
    )
    out, fitted = tmp_path / "ingested", tmp_path / "fit"
    arguments = ["ingest", "traces/automotive_like", "--target", out, "--fitted", fitted]
    done = subprocess.run([sys.executable, "-c", program, *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (out / "tasks.parquet").is_file()
    assert fitted.is_dir()


def test_the_refusal_of_sockets_would_be_noticed():
    with socket.socket() as listener, pytest.raises(OSError):
        listener.settimeout(0.2)
        listener.connect(("127.0.0.1", 1))


def test_the_lock_pins_every_package_by_its_hash():
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pinned = [i for i, line in enumerate(lines) if "==" in line and not line.startswith((" ", "#"))]
    assert pinned
    assert all(lines[i].endswith("\\") and "--hash=sha256:" in lines[i + 1] for i in pinned)
    assert not [line for line in lines if line.startswith(("--index-url", "--extra-index-url", "--trusted-host"))]
    assert "dependencies" in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_a_drop_of_hostile_files_is_read_file_by_file(sprung):
    summary, _ = sprung("files_with_hostile_names")
    names = set(pl.read_parquet("out/provenance.parquet")["file"])
    writable = {f"{name}.swf" for name in traps.HOSTILE_NAMES if "/../" not in name}
    assert {name for name in writable if not Path(name).name.startswith(".")} <= names
    assert "name_not_utf8" in summary.rejected
