"""A scheduler of one's own, as a user adds it: one file, loaded as if it lay in the folder of the schedulers."""

import importlib
import importlib.util
import sys
from pathlib import Path

import pytest


@pytest.fixture
def own_scheduler(monkeypatch):
    """own_scheduler(study, file): the file is a scheduler of the study, by its name, until the test ends."""

    def add(study: str, file: Path):
        package = importlib.import_module(f"pipeline.studies.{study}.schedulers")
        name = f"{package.__name__}.{file.stem}"
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        package.check(module)
        monkeypatch.setitem(package.SCHEDULERS, file.stem, module)
        return file.stem

    return add
