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

from pipeline.studies import plugins

SCHEDULERS = plugins(__name__, __path__)
