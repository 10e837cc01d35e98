rule replay:
    """One scheduler on one chunk of a part of the scenarios, of the first round or of the second."""
    input:
        scenarios=lambda wildcards: (
            f"results/scenarios/{wildcards.study}/{wildcards.part}/{wildcards.scheduler}"
            if wildcards.part.endswith(sources.REFINED)
            else f"results/scenarios/{wildcards.study}/{wildcards.part}"
        ),
        workloads=lambda wildcards: (
            f"results/scenarios/{wildcards.study}/{wildcards.part.removesuffix(sources.REFINED)}"
        ),
        code=lambda wildcards: code_of_replay(wildcards.study, wildcards.scheduler),
    output:
        directory("results/replay/{study}/{scheduler}/{part}/{chunk}"),
    log:
        "results/logs/replay/{study}/{scheduler}/{part}/{chunk}.log",
    benchmark:
        "results/logs/replay/{study}/{scheduler}/{part}/{chunk}.tsv"
    wildcard_constraints:
        study=STUDIES_ONE_BY_ONE,
        part=rf"({NAMES_ONE_BY_ONE})(\.refined)?",
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        limits=LIMITS_OF_DROP,
    params:
        chunks=SETTINGS.chunks,
    shell:
        "python -m pipeline replay {wildcards.study} {wildcards.scheduler} --scenarios {input.scenarios}"
        " --workloads {input.workloads} --chunk {wildcards.chunk} --chunks {params.chunks} --target {output} {resources.limits} 2> {log}"


rule refine:
    """One scheduler's second round of scenarios on a part of the workloads, by what its first one gave."""
    input:
        settings="results/settings/{study}.refined.json",
        scenarios="results/scenarios/{study}/{part}",
        replays=lambda wildcards: [
            f"results/replay/{wildcards.study}/{scheduler}/{wildcards.part}/{chunk}"
            for scheduler in (wildcards.scheduler, AGAINST[wildcards.study])
            for chunk in range(SETTINGS.chunks)
        ],
        code=lambda wildcards: code_of_refinement(wildcards.study),
    output:
        directory("results/scenarios/{study}/{part}.refined/{scheduler}"),
    log:
        "results/logs/scenarios/{study}/{part}.refined/{scheduler}.log",
    benchmark:
        "results/logs/scenarios/{study}/{part}.refined/{scheduler}.tsv"
    wildcard_constraints:
        part=NAMES_ONE_BY_ONE,
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        limits=LIMITS_OF_DROP,
    shell:
        "python -m pipeline refine {wildcards.study} {input.replays} --scenarios {input.scenarios}"
        " --settings {input.settings} --target {output} {resources.limits} 2> {log}"
