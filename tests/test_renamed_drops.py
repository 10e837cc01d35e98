"""A drop under another name gets the same workloads: random numbers come from what it holds."""

import importlib
import shutil

import examples
import pytest

from pipeline.config import Configuration
from pipeline.stages import fit, ingest
from pipeline.tables.catalog import catalog, content_of

NAMES = "called_one", "called_two"
DROPS = {
    "hpc_memory": "lublin_like",
    "memory_tiers": "marconi_like",
    "gpu_corun": "nvprof_like",
    "gpu_sharing": "thesis_table_6",
    "gpu_partition": "thesis_table_6",
    "pim_graph": "amazon_like",
}


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """`read(drop, name)`: the catalog of an example drop that is read under another name."""

    def made(drop, name):
        folder = tmp_path_factory.mktemp("renamed")
        shutil.copytree(examples.trace(drop), folder / "drops" / name)
        ingest.ingest(folder / "drops" / name, folder / "ingest" / name)
        fit.fit(folder / "ingest" / name, folder / "fit" / name)
        return catalog([folder / "ingest" / name, folder / "fit" / name])

    return made


@pytest.mark.slow
@pytest.mark.parametrize(("study", "drop"), DROPS.items())
def test_a_renamed_drop_has_the_same_workloads(read, study, drop):
    module = importlib.import_module(f"pipeline.studies.{study}")
    workloads = []
    for name in NAMES:
        tables = read(drop, name)
        config = module.part(Configuration(), tables, name)
        made = module.workloads(config, tables)
        workloads.append(
            {key: frame.write_ndjson().replace(name, "called") for key, frame in made.items() if len(frame)}
        )
    assert workloads[0] == workloads[1]
    assert any("called" in text for text in workloads[0].values())


def test_content_is_that_of_the_file_where_a_drop_has_several(read, tmp_path):
    tables = read("lublin_like", NAMES[0])
    (trace,) = tables["traces"]["trace"]
    assert content_of(tables, trace) == content_of(read("lublin_like", NAMES[1]), trace.replace(*NAMES))
    assert content_of(tables, "no_such_trace") == "no_such_trace"
    assert content_of({}, trace) == trace
