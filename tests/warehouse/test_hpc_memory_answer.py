"""What is said of memory that nodes share: sizes in a row, who ties, how much is enough and how sure that is."""

import pytest
import words

WORKLOAD = words.row("""family 'w', load NULL::DOUBLE, release NULL::VARCHAR, job_nodes 8,
    memory_law NULL::VARCHAR, law_spread NULL::VARCHAR, origin 'measured', jobs 1234, knowledge NULL::VARCHAR""")
BASIS = words.row("""workload 'w', kind 'replayed', trace 't', shapes NULL::VARCHAR, share_of_log 1.0, nodes 8,
    unit 'node', per 'node', cores_per_node 1, offered_load 0.5, memory_origin 'measured', node_memory_gb NULL::DOUBLE,
    assumed_mean_gb NULL::DOUBLE, assumed NULL::VARCHAR, warnings 'a warning'""")
ENOUGH = words.row("""workload 'w', loss_bound 0.01::DOUBLE, response_bound 0.1::DOUBLE, memory_per_node_gb 133.9,
    memory_lo_gb 128.6::DOUBLE, memory_hi_gb 178.5::DOUBLE, at_most false, blocks 30, scheduler 'a',
    tied_with NULL::VARCHAR, open_with NULL::VARCHAR, tried 6, wait_s 499.2, unlimited_wait_s 364.2""")
SIZE = words.row("""workload 'w', memory_per_node_gb 100.0, scheduler 'a', runner_up 'b',
    verdict 'better', tied false, tied_with NULL::VARCHAR, compared 3, evidence 'intervals', margin 0.0,
    margin_lo -0.01, margin_hi 0.01, response_margin -0.1, response_margin_lo -0.2, response_margin_hi -0.06""")
CLOSEST = words.row("""trace 't', setting 'easy', mean_wait_error 0.274, mean_wait_measured_s 7380.0,
    mean_wait_replayed_s 9402.0, wait_error_least NULL::DOUBLE, wait_error_most NULL::DOUBLE,
    discordant_queued 0.0063, wait_noise NULL::DOUBLE, queued_noise NULL::DOUBLE,
    held_back 0.0, held_back_node_time 0.0""")
KNOWLEDGE = words.row("""workload 'other', scheduler 'a', knowledge 'own', memory_per_node_gb 1.0, loss 0.0,
    is_default true""")
OPEN = {"verdict": "'open'", "response_margin": "-0.1"}


def answer(sizes=({},), enough=({},), true=None, **basis):
    """Rows of the view, of sizes and bounds that differ from the usual ones in what is given."""
    return words.answer(
        "answer_hpc_memory",
        workload=WORKLOAD,
        hpc_memory_basis=BASIS | basis,
        enough_memory=[ENOUGH | each for each in enough],
        recommended_hpc_memory=[SIZE | each for each in sizes],
        trace=words.row("trace 't', kind 'measured'"),
        hpc_memory_knowledge=KNOWLEDGE,
        closest_dialects=CLOSEST | (true or {}),
    )


@pytest.mark.parametrize(
    ("changed", "basis", "said"),
    [
        ({}, {}, "130 GB (130–180) per node with a: at most 1 %"),
        # Sizes that are no multiples of a mean are said as they are.
        ({}, {"kind": "'phased'"}, "133.9 GB (128.6–178.5) per node with a: at most 1 %"),
        ({}, {"per": "'core'"}, "130 GB (130–180) per core with"),
        ({}, {"assumed_mean_gb": "105.0"}, "1.28 times (1.22–1.7) the mean memory that its jobs use with a:"),
        ({"memory_hi_gb": "NULL::DOUBLE"}, {}, "130 GB (above 130) per node"),
        ({"memory_lo_gb": "NULL::DOUBLE", "memory_hi_gb": "NULL::DOUBLE", "blocks": "2"}, {},
         "130 GB (no interval) per"),
        # At the smallest size that was tried the interval still has its upper end.
        (
            {"memory_per_node_gb": "0.0266", "memory_lo_gb": "NULL::DOUBLE", "memory_hi_gb": "0.0443",
             "at_most": "true"},
            {},
            "≤ 27 MB (up to 44) per node, the smallest tried with a",
        ),
        (
            {"memory_per_node_gb": "1339.0", "memory_lo_gb": "1286.0", "memory_hi_gb": "1785.0"},
            {},
            "1.3 TB (1.3–1.8) per node",
        ),
        ({"memory_per_node_gb": "NULL::DOUBLE"}, {}, "no size that was tried is enough"),
        ({"tied_with": "'b'", "open_with": "'c, d'"}, {}, "with a (tie with b; c, d may need as little): at most 1 %"),
        ({"tied_with": "'b, c'", "tried": "3"}, {}, "per node with any scheduler, all tie: at"),
    ],
)  # fmt: skip
def test_a_size_that_is_enough_has_its_interval_and_who_ties(changed, basis, said):
    (row,) = answer(enough=[changed], **basis)
    assert row["amount"].startswith(said) or said in row["amount"]


def test_a_mean_that_nobody_states_is_asked_for():
    (row,) = answer(assumed_mean_gb="105.0")
    assert row["setting"] == "0.952 times the mean"
    assert row["amount"].endswith("say mean_memory_gb in trace.yaml to have it in GB")
    assert "GB" not in row["amount"].removesuffix("to have it in GB")
    assert "trace.yaml" not in answer()[0]["amount"]


def test_users_waits_are_told():
    assert "users wait 37 % longer (8.32 instead of 6.07 min)" in answer()[0]["amount"]


@pytest.mark.parametrize(
    ("today_gb", "said"),
    [
        ("256.0", "; 48 % less memory than today (256 GB)"),
        ("100.0", "; 34 % more memory than today (100 GB)"),
        ("134.0", "; as much memory as today"),
    ],
)
def test_the_memory_of_today_is_told_where_it_is_known(today_gb, said):
    assert answer(node_memory_gb=today_gb)[0]["amount"].endswith(said)
    assert "today" not in answer()[0]["amount"]


def test_used_memory_that_is_a_default_gives_no_amount():
    (row,) = answer(memory_origin="'default'", assumed_mean_gb="0.4")
    assert row["amount"].startswith("cannot be said: used memory is a default of the site, no measurement")
    assert "used_memory_gb" in row["amount"]


def test_other_losses_are_told_where_they_need_another_size():
    bounds = [{"loss_bound": f"{bound}::DOUBLE"} for bound in (0.005, 0.01, 0.02)]
    assert answer(enough=bounds)[0]["details"] is None
    bounds[0]["memory_per_node_gb"], bounds[2]["scheduler"] = "150.0", "'b'"
    assert answer(enough=bounds)[0]["details"] == (
        "for at most 0.5 % utilisation lost 150 GB (130–180) with a; "
        "for at most 2 % utilisation lost 130 GB (130–180) with b"
    )


def test_sizes_in_a_row_with_one_scheduler_as_sure_are_one_row():
    alike = [{"memory_per_node_gb": f"{gb}.0"} for gb in (100, 110, 147, 200)]
    alike[2] |= {"scheduler": "'b'"}
    rows = answer(sizes=alike)
    assert [(row["setting"], row["scheduler"]) for row in rows] == [
        ("100–110 GB per node", "a"),
        ("150 GB per node", "b"),
        ("200 GB per node", "a"),
    ]
    assert [row["gain"] for row in rows] == [None, *["response time −10.0 % against b (−20.0 % to −6.0 %)"] * 2]


@pytest.mark.parametrize(
    ("changed", "scheduler", "said"),
    [
        ({"tied": "true", "tied_with": "'b'", "verdict": "'tie'"}, "a", "tie with b"),
        ({"tied": "true", "tied_with": "'b, c'", "verdict": "'tie'"}, None, "tie"),
        ({"verdict": "'trade_off'"}, "a", "trade-off: less response time and less utilisation than b"),
        (OPEN | {"response_margin_lo": "-0.129", "response_margin_hi": "0.051"}, "a", "b may be as good"),
        # A difference whose interval excludes none is not called open.
        (OPEN | {"response_margin_lo": "-0.175", "response_margin_hi": "-0.028"}, "a",
         "less response time than b, perhaps under 5 %"),
        (OPEN | {"response_margin_lo": "-0.1", "response_margin_hi": "0.1", "margin_lo": "0.001"}, "a",
         "more utilisation than b, perhaps under 1 point"),
        ({"evidence": "'estimates'"}, "a", "no interval"),
        ({}, "a", None),
    ],
)  # fmt: skip
def test_what_else_is_known_of_a_scheduler_is_told(changed, scheduler, said):
    (row,) = answer(sizes=[changed])
    assert (row["scheduler"], row["also"]) == (scheduler, said)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {},
            "mean wait 27.4 % above the machine's 2.05 h; 0.63 % of the pairs that waited together start in the other "
            "order (dialect easy, second half of the log)",
        ),
        ({"discordant_queued": "NULL::DOUBLE"}, "2.05 h; no two jobs waited together (dialect easy"),
        ({"mean_wait_error": "-0.1"}, "mean wait 10.0 % below the machine's"),
        ({"mean_wait_error": "1.5"}, "mean wait 2.5 times the machine's 2.05 h"),
        ({"wait_error_least": "-0.1", "wait_error_most": "0.5"},
         "2.05 h (mean over drawn limits; error −10.0 % to 50.0 %)"),
        ({"mean_wait_error": "NULL::DOUBLE"}, "nobody waited on the machine, 2.61 h in the replay"),
        ({"wait_noise": "0.02", "queued_noise": "0.001"},
         "two runs on the machine differ by 2.0 % in mean wait and 0.10 %"),
        ({"held_back": "0.05", "held_back_node_time": "0.02"},
         "5.0 % of the jobs, with 2.0 % of the node time, waited over a minute although"),
        ({"held_back": "0.05", "held_back_node_time": "NULL::DOUBLE"}, "5.0 % of the jobs waited over a minute"),
    ],
)  # fmt: skip
def test_how_true_a_replay_is_is_told(changed, said):
    assert said in answer(true=changed)[0]["how_true"]


def test_the_basis_is_told():
    (row,) = answer(share_of_log="0.5")
    assert row["about"] == "50.0 % of its jobs on 8 nodes, offered load 0.5"
    assert (row["subject"], row["trace"], row["assumed"]) == ("t", "t", "a warning")
    (row,) = answer(nodes="256", unit="'core'", cores_per_node="32")
    assert row["about"] == "all its jobs on 256 cores (32 a node), offered load 0.5"
    assert row["setting"].endswith(" per node")
    (row,) = answer(kind="'dynamic'", trace="NULL::VARCHAR")
    assert row["trace"] is None
    assert row["about"] == "1,234 jobs on 8 nodes, offered load 0.5"
