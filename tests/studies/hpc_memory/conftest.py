"""The replays that a schedule computed by hand is compared with."""

import hpc_memory_slow as slow
import pytest
from hpc_memory_cases import compiled


def run_slow(jobs, scenario):
    result = slow.replay(jobs, scenario)
    return result.starts, result.ends, result.metrics


def run_exact(jobs, scenario):
    return run_slow(*slow.exact(jobs, scenario))


def run_compiled(jobs, scenario):
    return compiled([(jobs, scenario)])[0]


@pytest.fixture(params=[run_slow, run_exact, run_compiled], ids=["slow", "exact", "compiled"])
def schedule(request):
    """A function (jobs, scenario, {job_id: (start, end)}, **metrics) that checks one of the replays against both."""

    def check(jobs, scenario, expected, **metrics):
        starts, ends, measured = request.param(jobs, scenario)
        assert starts == pytest.approx({job_id: start for job_id, (start, _) in expected.items()}, abs=1e-9)
        assert ends == pytest.approx({job_id: end for job_id, (_, end) in expected.items()}, abs=1e-9)
        for name, value in metrics.items():
            result = measured[name]
            assert result == value if value is None else float(result) == pytest.approx(float(value), abs=1e-9), name

    return check
