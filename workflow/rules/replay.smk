rule replay:
    """One scheduler on one chunk of a part of the scenarios."""
    input:
        scenarios="results/scenarios/{study}/{part}",
        code=lambda wildcards: code_of_replay(wildcards.study, wildcards.scheduler),
    output:
        directory("results/replay/{study}/{scheduler}/{part}/{chunk}"),
    log:
        "results/logs/replay/{study}/{scheduler}/{part}/{chunk}.log",
    benchmark:
        "results/logs/replay/{study}/{scheduler}/{part}/{chunk}.tsv"
    wildcard_constraints:
        study=STUDIES_ONE_BY_ONE,
        part=NAMES_ONE_BY_ONE,
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        limits=LIMITS_OF_DROP,
    params:
        chunks=SETTINGS.chunks,
    shell:
        "python -m pipeline replay {wildcards.study} {wildcards.scheduler} --scenarios {input.scenarios}"
        " --chunk {wildcards.chunk} --chunks {params.chunks} --target {output} {resources.limits} 2> {log}"
