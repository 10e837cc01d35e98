"""The capacity curve that is asked in the browser, beside what the database answers."""

import duckdb
import headless_chromium
import pytest

pytestmark = pytest.mark.browser

LOSSES = (0.001, 0.005, 0.01, 0.02, 0.05, 0.2)
GROWTHS = (0.0, 0.1, 0.6)
ROWS = """(() => {
    const { datasets } = window.apportion;
    return Object.values(datasets('hpc_memory/explore')).find(([row]) => row?.workload);
})()"""
SMALLEST = f"""(() => {{
    const rows = {ROWS};
    const {{ explore: {{ smallest }} }} = window.apportion;
    const asked = {list(LOSSES)}.flatMap((accepted) => {list(GROWTHS)}.map((growth) => ({{ accepted, growth }})));
    return [...new Set(rows.map((row) => row.workload))].flatMap((workload) => asked.map((bounds) => {{
        const found = smallest(rows.filter((row) => row.workload === workload), bounds);
        return [workload, bounds.accepted, bounds.growth, found?.enough.scheduler ?? null,
                found?.enough.memory_per_node_gb ?? null, found?.lo ?? null, found?.hi ?? null];
    }}));
}})()"""
AT_MEMORY = f"""((workload, gb, growth) => {{
    const rows = {ROWS}.filter((row) => row.workload === workload);
    const first = window.apportion.explore.atMemory(rows, gb, growth);
    return first.map((row) => [row.scheduler, row.memory_per_node_gb, row.loss]);
}})"""
FIELDS = "document.querySelector('form.explore').elements"
SAID = "document.querySelector('.found').textContent.replaceAll('\\u00a0', ' ')"
TITLE = "document.querySelector('#hpc_memory-explore h3').textContent"


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    executable = headless_chromium.find()
    if executable is None:
        pytest.skip("Chromium absent: install the package chromium to test the page in a browser")
    with headless_chromium.Chromium(executable, tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def opened(chromium, pages):
    chromium.errors.clear()
    chromium.open(pages["full"], 1280)
    yield chromium
    assert chromium.errors == []


def _set(chromium, field, value):
    chromium.evaluate(
        f"(() => {{ const f = {FIELDS}['{field}']; f.value = {value!r};"
        " f.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )


def test_the_size_that_is_enough_is_that_of_the_macro(opened, hostile_database):
    page_rows = opened.evaluate(SMALLEST)
    assert any(row[3] for row in page_rows)
    assert any(row[3] is None for row in page_rows)
    with duckdb.connect(str(hostile_database), read_only=True) as connection:
        for workload, loss, growth, scheduler, gb, lo, hi in page_rows:
            asked = workload, loss, growth
            rows = connection.execute(
                "SELECT scheduler, memory_per_node_gb, memory_lo_gb, memory_hi_gb "
                "FROM smallest_memory_at([?], ?) JOIN scheduler USING (study, scheduler) "
                "WHERE workload = ? AND scheduler <> 'unlimited' AND memory_per_node_gb IS NOT NULL "
                "ORDER BY memory_per_node_gb, complexity LIMIT 1",
                [loss, growth, workload],
            ).fetchall()
            if not rows:
                assert scheduler is None, asked
                continue
            ((named, *sizes),) = rows
            assert scheduler == named, asked
            for ours, theirs in zip((gb, lo, hi), sizes, strict=True):
                # Nothing is where nothing bounds it.
                assert ours is theirs is None or ours == pytest.approx(theirs, rel=1e-5), asked


def test_a_size_between_two_has_the_results_of_the_smaller_one(opened, hostile_database):
    sizes = sorted({row["memory_per_node_gb"] for row in opened.evaluate(ROWS) if row["workload"].startswith("phased")})
    (workload,) = {row["workload"] for row in opened.evaluate(ROWS) if row["workload"].startswith("phased/n")}
    asked = (sizes[0] + sizes[1]) / 2
    page_rows = opened.evaluate(f"{AT_MEMORY}({workload!r}, {asked}, 0.1)")
    with duckdb.connect(str(hostile_database), read_only=True) as connection:
        rows = connection.execute(
            "SELECT scheduler, memory_per_node_gb, loss FROM at_memory('phased', ?) "
            "JOIN scheduler USING (scheduler) WHERE study = 'hpc_memory' AND workload = ? "
            "ORDER BY response_ratio - 1 > 0.1, loss, complexity",
            [asked, workload],
        ).fetchall()
    assert len(page_rows) == len(rows) > 3
    for ours, theirs in zip(page_rows, rows, strict=True):
        assert ours[0] == theirs[0]
        assert ours[1:] == pytest.approx(theirs[1:], rel=1e-4, abs=1e-9)


@pytest.mark.parametrize("growth", [0, 10])
def test_what_is_said_of_a_size_is_of_the_first_scheduler_there(opened, growth):
    _set(opened, "growth", str(growth))
    here = f"{FIELDS}.workload.value, Number({FIELDS}.gb.value), {growth / 100}"
    (first, gb, _), *_ = opened.evaluate(f"{AT_MEMORY}({here})")
    said, workload = opened.evaluate(SAID), opened.evaluate(f"{FIELDS}.workload.value")
    assert f"{first} loses" in said
    (row,) = (
        row
        for row in opened.evaluate(ROWS)
        if (row["workload"], row["scheduler"], row["memory_per_node_gb"]) == (workload, first, gb)
    )
    assert (f"more than {growth} % longer with every scheduler" in said) == (row["response_ratio"] - 1 > growth / 100)


def test_what_was_not_tried_is_said(opened):
    least, most = opened.evaluate(f"[Number({FIELDS}.gb.min), Number({FIELDS}.gb.max)]")
    _set(opened, "gb", least)
    assert "was not tried: the smallest size tried is" in opened.evaluate(SAID)
    _set(opened, "gb", most)
    assert "not tried; at " in opened.evaluate(SAID)
    assert "the largest size tried" in opened.evaluate(SAID)


def test_sliders_move_by_keys_and_say_what_they_are_at(opened):
    opened.evaluate(f"{FIELDS}.loss.focus()")
    before, title = opened.evaluate(SAID), opened.evaluate(TITLE)
    for _ in range(20):
        opened.call(
            "Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39
        )
        opened.call(
            "Input.dispatchKeyEvent", type="keyUp", key="ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39
        )
    assert opened.evaluate(SAID) != before
    assert opened.evaluate(TITLE) != title
    assert opened.evaluate(f"{FIELDS}.loss.getAttribute('aria-valuetext')") == opened.evaluate(
        f"{FIELDS}.loss_said.value"
    )


def test_the_price_decides_what_is_saved_and_nothing_is_saved_on_assumed_memory(opened):
    options = opened.evaluate(f"[...{FIELDS}.workload.options].map((o) => o.value)")
    known = {row["workload"]: row["node_memory_gb"] for row in opened.evaluate(ROWS)}
    priced = next(workload for workload in options if known[workload] is not None)
    _set(opened, "workload", priced)
    _set(opened, "price", "10")
    at_ten = opened.evaluate(SAID)
    assert "at 10 USD per GB" in at_ten
    _set(opened, "price", "20")
    assert opened.evaluate(SAID) != at_ten
    unpriced = next(workload for workload in options if known[workload] is None)
    _set(opened, "workload", unpriced)
    assert "Savings are not known" in opened.evaluate(SAID)


def test_print_shows_what_the_page_began_with_and_the_screen_what_was_asked(opened):
    began = opened.evaluate(SAID)
    _set(opened, "loss", "150")
    asked = opened.evaluate(SAID)
    assert asked != began
    opened.call("Emulation.setEmulatedMedia", media="print")
    opened.wait_for(f"{SAID} === {began!r}")
    opened.call("Emulation.setEmulatedMedia", media="")
    opened.wait_for(f"{SAID} === {asked!r}")


@pytest.mark.parametrize("which", ["full", pytest.param("bare", marks=pytest.mark.exhaustive)])
def test_the_first_screen_fits(chromium, pages, which):
    chromium.open(pages[which], 1280)
    bottom = "Math.max(...[...document.querySelector('#first').children].map((e) => e.getBoundingClientRect().bottom))"
    assert chromium.evaluate(bottom) <= 900
    assert chromium.evaluate("document.documentElement.scrollHeight") <= 960
