"""A copy of the tiny project for plans."""

import pytest
from projects import Project


@pytest.fixture(scope="session")
def project(tiny, tmp_path_factory) -> Project:
    """A copy of the tiny project for dry runs; what a test changes in it, the test undoes."""
    return tiny.copied(tmp_path_factory.mktemp("planned") / "project")
