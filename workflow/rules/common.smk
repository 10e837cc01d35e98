# What a step on a drop may take, as a resource, since no result depends on it.
LIMITS_OF_DROP = SETTINGS.limits.options("drop_s", "memory_gb")


def replayed_in_one_job(study, part):
    """Whether one job replays all schedulers of the study on this part."""
    by_default = SETTINGS.together == "small" and part == "synthetic"
    return part in IN_ONE_JOB or (by_default and study in BRIEF)


def drops_of_part(study, part):
    """The ingested and the fitted drops that a part of a study's workloads is made of."""
    return expand(
        "results/{stage}/{drop}", stage=["ingest", "fit"], drop=PARTS[study][part]
    )


def labels_of_figure(wildcards):
    """Title and source of a figure, as the report writes them beside the figures."""
    listing = json.loads(
        Path("results/figures/figures.json").read_text(encoding="utf-8")
    )
    drawn = {figure["name"]: figure for figure in listing}
    figure = drawn[f"{wildcards.study}/{wildcards.name}"]
    return {"figure": figure["title"], "after": figure["source"]}


# Parts that take a job for each scheduler, and the studies whose synthetic part does not.
NAMES_ONE_BY_ONE = "|".join(sorted(DROPS_OF.keys() - IN_ONE_JOB)) or "(?!)"
STUDIES_ONE_BY_ONE = "|".join(
    study + (r"(?!/\w+/synthetic)" if replayed_in_one_job(study, "synthetic") else "")
    for study in STUDIES
)
