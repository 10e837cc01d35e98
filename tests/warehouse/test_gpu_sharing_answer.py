"""What is said of curves against SMs: the policy, and how much of the GPU is enough for a part of the speed."""

import pytest
import words

POLICY = words.row("""study 'gpu_sharing', trace 't', origin 'measured', kind 'mixes', applications 2, sms 98, mixes 3,
    scheduler 'max_throughput', value 1.2, least_speedup 1.1, fastest 'max_throughput', fastest_speedup 1.2,
    fastest_least_speedup 1.1, runner_up NULL::VARCHAR, margin NULL::DOUBLE, margin_lo NULL::DOUBLE,
    margin_hi NULL::DOUBLE, margin_kind 'relative', tied NULL::BOOLEAN""")


def answers(needs, *, mig=True):
    """{topic: row} of trace t, from {(application, share of its speed): sevenths}."""
    rows = words.answer(
        "answer_gpu_sharing",
        recommended_gpu_sharing=POLICY,
        curve_gpu_sharing={"curve_set": "'t'", "mig_slices": "3" if mig else "NULL::INT"},
        sms_for_qos=[
            words.row(f"curves 't', origin 'measured', sms 98, app '{app}', beside NULL::VARCHAR, target {target}")
            | {"needed_sms": 14 * needed, "needed_slices": needed if mig else "NULL::INT"}
            for (app, target), needed in needs.items()
        ],
    )
    return {row["topic"]: row for row in rows}


def test_one_application_needs_slices_for_a_part_of_its_speed():
    said = answers({("a", 0.8): 4, ("a", 0.9): 7})["target"]
    assert said["amount"] == ("for 90 % of its speed alone on the GPU: 7 of 7 slices; for 80 %: 4 of 7 slices")
    assert (said["measure"], said["scheduler"]) == ("enough", None)


def test_applications_that_need_as_much_stand_together():
    needs = {(app, 0.8): 4 for app in "ab"} | {(app, 0.8): 7 for app in "cdef"}
    said = answers(needs)["target"]
    assert (
        said["amount"]
        == "for 80 % of their speed alone on the GPU: 4 of 7 slices (a, b), 7 of 7 slices (4 applications)"
    )
    assert said["about"] == "each of 6 applications with a part of the GPU to itself"


def test_targets_up_to_half_of_the_speed_are_left_to_the_view():
    assert "target" not in answers({("a", 0.5): 2})


@pytest.mark.parametrize(
    ("mig", "about", "needed"), [(True, "MIG slices", "4 of 7 slices"), (False, "98 SMs", "56 of 98 SMs")]
)
def test_slices_are_called_slices(mig, about, needed):
    said = answers({("a", 0.8): 4}, mig=mig)
    assert said["sms"]["about"] == f"3 mixes of 2 applications on {about}"
    assert said["target"]["amount"].endswith(needed)
