"""Snakemake looks for jobs when one has ended, not ever more often; a limit that was asked for is kept."""

from snakemake.cli import get_argument_parser
from snakemake.settings.types import MaxJobsPerTimespan, SchedulingSettings

from workflow.scheduling import without_usual_limit


def settings(limit):
    return SchedulingSettings(max_jobs_per_timespan=limit)


def test_the_usual_limit_is_the_one_snakemake_has():
    usual = settings(get_argument_parser(profiles=[]).get_default("max_jobs_per_timespan"))
    if isinstance(usual.max_jobs_per_timespan, str):
        usual = settings(MaxJobsPerTimespan.parse_choice(usual.max_jobs_per_timespan))
    without_usual_limit(usual)
    assert usual.max_jobs_per_timespan is None


def test_a_limit_that_was_asked_for_stays():
    asked = settings(MaxJobsPerTimespan.parse_choice("20/1m"))
    without_usual_limit(asked)
    assert asked.max_jobs_per_timespan.max_jobs == 20
    none = settings(None)
    without_usual_limit(none)
    assert none.max_jobs_per_timespan is None
    without_usual_limit(None)
