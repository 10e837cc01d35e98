"""The figure of why jobs waited: what it holds, and what it says of the job that is chosen."""

from itertools import combinations

import duckdb
import headless_chromium
import polars as pl
import pytest

from pipeline.report import page
from pipeline.studies.hpc_memory import waits
from pipeline.studies.hpc_memory.figures import waiting

FORM = "document.querySelector('form.waits')"
SAID = "document.querySelector('#hpc_memory-waiting .found').textContent"


@pytest.fixture(scope="module")
def short_parts():
    """Logs of the tests are short: their parts have few jobs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(waits, "WINDOW_JOBS", 6)
        yield


@pytest.fixture(scope="module")
def frame(hostile_database, short_parts):
    with duckdb.connect(str(hostile_database), read_only=True) as connection:
        return waiting.fig_waiting(connection).frame


@pytest.fixture(scope="module")
def built(hostile_database, short_parts, tmp_path_factory):
    """The page, logs in several parts."""
    folder = tmp_path_factory.mktemp("parts")
    page.build(hostile_database, folder / "index.html", folder / "figures")
    return folder / "index.html"


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    executable = headless_chromium.find()
    if executable is None:
        pytest.skip("Chromium absent: install the package chromium to test the page in a browser")
    with headless_chromium.Chromium(executable, tmp_path_factory.mktemp("profile")) as browser:
        yield browser


def test_each_log_has_its_jobs_once_on_nodes_of_their_own(frame):
    assert frame["log"].n_unique() >= 2
    for _, log in frame.group_by("log", "part"):
        held = log.group_by("job_id").agg(pl.first("nodes"), held=(pl.col("past_node") - pl.col("first_node")).sum())
        assert (held["held"] == held["nodes"]).all()
        assert log["past_node"].max() <= 8
        for a, b in combinations(log.iter_rows(named=True), 2):
            apart_h = min(a["end_h"], b["end_h"]) - max(a["start_h"], b["start_h"])
            nodes = min(a["past_node"], b["past_node"]) - max(a["first_node"], b["first_node"])
            assert apart_h <= 1e-5 or nodes <= 0


def test_the_first_log_has_several_parts_which_begin_at_different_hours(frame):
    parts = frame.filter(pl.col("log") == frame["log"][0]).group_by("part").agg(pl.col("from_h").unique())
    assert len(parts) > 1
    assert parts["from_h"].list.len().to_list() == [1] * len(parts)
    assert parts["from_h"].explode().is_unique().all()


def test_waits_are_those_of_the_outcomes(frame, hostile_database):
    with duckdb.connect(str(hostile_database), read_only=True) as connection:
        rows = connection.execute(
            "SELECT DISTINCT job_id, round(start_s - submit_s, 1) FROM outcome_hpc_memory "
            "JOIN scenario USING (scenario_id) JOIN job_hpc_memory USING (workload_id, job_id) "
            "WHERE workload_id LIKE 'replayed%' OR workload_id LIKE 'composed%'"
        ).fetchall()
    shown = {(row["job_id"], round(row["wait_s"], 1)) for row in frame.iter_rows(named=True)}
    assert shown <= set(rows)


@pytest.mark.browser
def test_the_lists_and_the_chart_say_why_a_job_waited(chromium, built, frame):
    chromium.errors.clear()
    chromium.open(built, 1280)
    chromium.evaluate("location.hash = '#hpc_memory-waiting'")
    logs = chromium.evaluate(f"[...{FORM}.elements.log.options].map((option) => option.value)")
    assert logs == frame["log"].unique(maintain_order=True).to_list()
    why = {(row["log"], row["job_id"]): row["why"] for row in frame.iter_rows(named=True)}
    for log in logs[:2]:
        for place in (0, 1):
            job = chromium.evaluate(f"""(() => {{
                const {{ log, job }} = {FORM}.elements;
                if (log.value !== {log!r}) {{
                    log.value = {log!r};
                    log.dispatchEvent(new Event('input', {{ bubbles: true }}));
                }}
                job.selectedIndex = {place};
                job.dispatchEvent(new Event('input', {{ bubbles: true }}));
                return job.value;
            }})()""")
            assert why[log, job] in chromium.evaluate(SAID)
    for part in (1, 0):
        chromium.evaluate(f"""(() => {{
            const {{ log, part }} = {FORM}.elements;
            log.value = {logs[0]!r};
            log.dispatchEvent(new Event('input', {{ bubbles: true }}));
            part.selectedIndex = {part};
            part.dispatchEvent(new Event('input', {{ bubbles: true }}));
        }})()""")
        chosen = chromium.evaluate(f"{FORM}.elements.part.value")
        listed = chromium.evaluate(f"[...{FORM}.elements.job.options].map((option) => option.value)")
        shown = frame.filter(pl.col("log") == logs[0], pl.col("part") == chosen)
        assert sorted(listed) == shown["job_id"].unique().sort().to_list()
        assert why[logs[0], listed[0]] in chromium.evaluate(SAID)
    # A box of the chart, clicked.
    box = "document.querySelector('#hpc_memory-waiting .chart svg .mark-rect path')"
    chromium.evaluate(f"""(() => {{
        const {{ left, top, width, height }} = {box}.getBoundingClientRect();
        const where = {{ clientX: left + width / 2, clientY: top + height / 2, bubbles: true }};
        {box}.dispatchEvent(new MouseEvent('click', where));
    }})()""")
    clicked = chromium.evaluate(f"{FORM}.elements.job.value")
    assert why[logs[0], clicked] in chromium.evaluate(SAID)
    assert chromium.errors == []


@pytest.mark.browser
def test_print_shows_the_log_that_the_page_began_with(chromium, built):
    chromium.open(built, 1280)
    began = chromium.evaluate(SAID)
    chromium.evaluate(f"""(() => {{
        const {{ job }} = {FORM}.elements;
        job.selectedIndex = 3;
        job.dispatchEvent(new Event('input', {{ bubbles: true }}));
    }})()""")
    chosen = chromium.evaluate(SAID)
    assert chosen != began
    chromium.call("Emulation.setEmulatedMedia", media="print")
    chromium.wait_for(f"{SAID} === {began!r}")
    chromium.call("Emulation.setEmulatedMedia", media="")
    chromium.wait_for(f"{SAID} === {chosen!r}")
