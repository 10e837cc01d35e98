"""Tables that a replay takes; each may have a column curve_set."""

from pipeline.runtime.study import REQUIRED, Table, count, number, text

INPUTS = {
    "sm_curves": Table(
        {
            "app": text("application", REQUIRED),
            "sms": count("SMs that it runs on", REQUIRED, min=0),
            "ipc": number("its throughput there: instructions a cycle, or another rate", "1", REQUIRED, min=0),
        }
    ),
    "mixes": Table(
        {
            "mix_id": text("mix of applications", REQUIRED),
            "slot": text("place in the mix, which may be a name", REQUIRED),
            "app": text("application", REQUIRED),
        },
        key=("mix_id", "slot"),
    ),
}
APPS = {"apps": Table({"app": text("application", REQUIRED)})}
"""Where there is one; its other columns are numbers."""
