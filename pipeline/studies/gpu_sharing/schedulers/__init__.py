"""Schedulers of the study: one file each, found because of where it lies.

A scheduler module imports the module that runs it, states it as `FAMILY`, and beside it what that module asks for:

* `splits`: `POLICY`, how all SMs are split once and for all (a key of `splits.POLICIES`);
* `dynamic`: `POLICY`, by which a split is chosen again from predictions, round after round;
* `quality_of_service`: `METHOD`, how many SMs applications with a target get: "least" or "rounds";
* `process_variation`: `SPLIT`, how SMs that differ in frequency are split: "even" or "profile".

A family is a module of the study with `SMS`, the SMs of a scenario that states none, and
`replay(problem) -> dict[str, polars.DataFrame]` (see `arrays.Problem`). `SIMPLICITY` ranks a scheduler by what it needs
to know and do: where two are as good, the simpler one is recommended. The first line of its docstring describes it in
the results.
"""

from types import ModuleType

from pipeline.studies import plugins, require_word, stated, wrong
from pipeline.studies.gpu_sharing import splits

STATES = {
    "splits": ("POLICY", tuple(splits.POLICIES)),
    "dynamic": ("POLICY", tuple(name for name in splits.POLICIES if name != "cooperative")),
    "quality_of_service": ("METHOD", ("least", "rounds")),
    "process_variation": ("SPLIT", ("even", "profile")),
}
"""What a scheduler states beside each family of the study, and the words that are known."""


def check(scheduler: ModuleType) -> None:
    """Raise ValueError for words or types that the replay does not know."""
    family = stated(scheduler, "FAMILY")
    if not (isinstance(family, ModuleType) and hasattr(family, "replay") and hasattr(family, "SMS")):
        raise wrong(scheduler, "FAMILY", family, f"a module with SMS and replay would be right, as {', '.join(STATES)}")
    package, _, name = family.__name__.rpartition(".")
    if package == splits.__name__.rpartition(".")[0] and name in STATES:
        require_word(scheduler, *STATES[name])


SCHEDULERS = plugins(__name__, __path__, check)
