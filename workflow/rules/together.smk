# One job a part of a study's workloads instead of one for its scenarios and one per scheduler and chunk; the files
# are the same.


def replayed_together(study, part):
    """Folders that such a job writes."""
    found = one_part.folders(Path("results"), study, part, SETTINGS.chunks)
    return [str(folder) for folder in found]


LARGE_BYTES = 1 << 18
MOST_CORES = 4
THREADED = sources.with_threads()


def cores_for(study):
    """A function of wildcards for threads: several where the replays use them and the drops are no small matter."""

    def cores(wildcards):
        files = [DROPS[drop].path for drop in DROPS_OF[part_of(wildcards)]]
        large = any(drops.size(folder) > LARGE_BYTES for folder in files)
        return MOST_CORES if large and study in THREADED else 1

    return cores


def part_of(wildcards):
    """The part that a rule replays, which is a wildcard for those of drops."""
    return wildcards.get("part", "synthetic")


for STUDY in STUDIES:
    for PART, PATTERN in (
        ("synthetic", "synthetic"),
        ("{part}", "|".join(sorted(IN_ONE_JOB - {"synthetic"}))),
    ):
        if not PATTERN or (PART == PATTERN and not replayed_in_one_job(STUDY, PART)):
            continue

        rule:
            name:
                f"replay_{STUDY}" + ("_synthetic" if PART == PATTERN else "")
            input:
                settings=f"results/settings/{STUDY}.json",
                drops=lambda wildcards, study=STUDY: drops_of_part(
                    study, part_of(wildcards)
                ),
                code=sources.of_part(STUDY),
            output:
                [directory(folder) for folder in replayed_together(STUDY, PART)],
            log:
                f"results/logs/replay/{STUDY}/{PART}.log",
            benchmark:
                f"results/logs/replay/{STUDY}/{PART}.tsv"
            wildcard_constraints:
                part=PATTERN,
            threads: cores_for(STUDY)
            resources:
                mem_mb=lambda wildcards, attempt: 4000 * attempt,
                limits=LIMITS_OF_DROP,
            params:
                study=STUDY,
                part=part_of,
                chunks=SETTINGS.chunks,
                schedulers=traits_of(STUDY),
            shell:
                "APPORTION_CORES={threads} python -m pipeline replay-part {params.study} {params.part} {input.drops}"
                " --settings {input.settings} --chunks {params.chunks} {resources.limits} 2> {log}"
