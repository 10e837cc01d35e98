# One job a part of a study's workloads instead of one per scheduler, round and chunk; the files are the same.


def replayed_together(study, part):
    """Folders that the replays of a part write: of both rounds, where the study has a second one."""
    replays = [
        f"results/replay/{study}/{scheduler}/{part}{suffix}/{chunk}"
        for scheduler in sources.schedulers(study)
        for suffix in ("", sources.REFINED)
        for chunk in range(SETTINGS.chunks)
        if not suffix or (study in REFINING and scheduler != AGAINST[study])
    ]
    return replays + [
        f"results/scenarios/{study}/{part}{sources.REFINED}/{scheduler}"
        for scheduler in sources.schedulers(study)
        if study in REFINING and scheduler != AGAINST[study]
    ]


LARGE_BYTES = 1 << 18
MOST_CORES = 4
THREADED = sources.with_threads()


def cores_of(study, part):
    """Cores for a part: several where the study's replays use threads, and the drops are no small matter."""
    large = any(drops.size(DROPS[drop].path) > LARGE_BYTES for drop in DROPS_OF[part])
    return MOST_CORES if large and study in THREADED else 1


for STUDY in STUDIES:

    rule:
        name:
            f"replay_{STUDY}"
        input:
            scenarios=f"results/scenarios/{STUDY}/{{part}}",
            settings=(
                [f"results/settings/{STUDY}.refined.json"] if STUDY in REFINING else []
            ),
            code=sources.of_part(STUDY),
        output:
            [directory(folder) for folder in replayed_together(STUDY, "{part}")],
        log:
            f"results/logs/replay/{STUDY}/{{part}}.log",
        benchmark:
            f"results/logs/replay/{STUDY}/{{part}}.tsv"
        wildcard_constraints:
            part=NAMES_IN_ONE_JOB,
        threads: lambda wildcards, study=STUDY: cores_of(study, wildcards.part)
        resources:
            mem_mb=lambda wildcards, attempt: 4000 * attempt,
        params:
            study=STUDY,
            chunks=SETTINGS.chunks,
            settings=lambda wildcards, input: (
                f"--settings {input.settings[0]}" if input.settings else ""
            ),
        shell:
            "APPORTION_CORES={threads} python -m pipeline replay-part {params.study} {wildcards.part} --chunks {params.chunks}"
            " {params.settings} 2> {log}"
