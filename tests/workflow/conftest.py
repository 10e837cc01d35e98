"""Copies of the project in which snakemake has run."""

import shutil
from pathlib import Path

import examples
import pytest
from project_copy import QUICK, Project


@pytest.fixture(scope="session")
def finished(once) -> Project:
    """The project, copied and run once on two cores; tests only read it."""

    def make(folder: Path) -> None:
        project = Project(folder)
        project.create()
        examples.only(folder / "traces")
        (folder / QUICK[1]).write_text("together: small\n")
        project.snakemake()

    return Project(once("apportion", make))


def _copied(of: Project, folder: Path) -> Project:
    shutil.copytree(of.folder, folder, symlinks=True)
    return Project(folder)


@pytest.fixture(scope="session")
def project(finished, tmp_path_factory) -> Project:
    """A copy of the finished project for dry runs; what a test changes in it, the test undoes."""
    return _copied(finished, tmp_path_factory.mktemp("planned") / "apportion")


@pytest.fixture
def own_project(finished, tmp_path) -> Project:
    """A copy of the finished project for a test that runs it."""
    return _copied(finished, tmp_path / "apportion")
