"""Memory or compute intensive by the curve: hand-made curves, and laws of the threshold."""

import polars as pl
import pytest

from pipeline.fit import kernel_class


def curve(app, speeds, sms=None):
    sms = sms or list(range(1, len(speeds) + 1))
    return pl.DataFrame({"app": app, "sms": sms, "time_s": [100.0 / speed for speed in speeds]})


def classes(frame, **kw):
    return {app: (kind, sms) for app, kind, sms in kernel_class.classify(frame, **kw).rows()}


def test_saturation_by_hand():
    frame = pl.concat(
        [
            curve("linear", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
            curve("early", [1, 2, 3, 3.1, 3.1, 3.1, 3.1, 3.1, 3.1, 3.1]),
            curve("late", [1, 2, 3, 4, 5, 6, 7, 8, 9, 9]),
        ]
    )
    assert classes(frame) == {"linear": ("compute", 10), "early": ("memory", 3), "late": ("compute", 9)}


def test_the_boundary_belongs_to_memory():
    frame = curve("a", [1, 2, 3, 4, 5, 6, 7, 8, 8, 8])
    assert classes(frame) == {"a": ("memory", 8)}
    assert classes(frame, share=0.79) == {"a": ("compute", 8)}


def test_the_paper_saturates_near_40_of_68():
    speeds = [min(m, 40) for m in range(1, 69)]
    # 39 SMs are within 5 % of 40: the least number that is good enough.
    assert classes(curve("m", speeds)) == {"m": ("memory", 39)}
    assert classes(curve("m", speeds), gain=0.0) == {"m": ("memory", 40)}


def test_slow_gains_that_add_up_are_gains():
    # Each step gains 4 %, all of them a third.
    speeds = [1.04**m for m in range(10)]
    kind, sms = classes(curve("a", speeds))["a"]
    assert (kind, sms) == ("compute", 9)


def test_a_dip_after_saturation_moves_it_behind_the_dip():
    assert classes(curve("a", [1, 2, 3, 3, 2, 3, 3, 3, 3, 3]))["a"] == ("memory", 6)


def test_sms_of_the_gpu_may_be_more_than_were_measured():
    frame = curve("a", [1, 2, 3, 4])
    assert classes(frame)["a"] == ("compute", 4)
    assert classes(frame, sms=68)["a"] == ("memory", 4)


def test_one_point_is_left_out_and_bad_parameters_are_named():
    assert classes(curve("a", [1.0])) == {}
    assert classes(curve("a", [1.0, 2.0])) == {"a": ("compute", 2)}
    with pytest.raises(ValueError, match="gain is -1"):
        kernel_class.classify(curve("a", [1, 2]), gain=-1)
    with pytest.raises(ValueError, match="share is 0"):
        kernel_class.classify(curve("a", [1, 2]), share=0)
    with pytest.raises(ValueError, match="no column sms"):
        kernel_class.classify(curve("a", [1, 2]).drop("sms"))
