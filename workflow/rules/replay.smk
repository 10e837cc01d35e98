rule settings:
    """What a study depends on of the configuration, so that a change elsewhere in it replays nothing."""
    output:
        "results/settings/{study}.json",
    log:
        "results/logs/settings/{study}.log",
    localrule: True
    params:
        json=lambda wildcards: json.dumps(
            configuration.section(SETTINGS, wildcards.study)
        ),
    shell:
        "printf '%s' {params.json:q} > {output} 2> {log}"


rule scenarios:
    """Workloads of a study, and one row a run."""
    input:
        settings="results/settings/{study}.json",
        ingested=expand("results/ingest/{drop}", drop=DROPS),
        fitted=expand("results/fit/{drop}", drop=DROPS),
        code=lambda wildcards: sources.of_scenarios(wildcards.study),
    output:
        directory("results/scenarios/{study}"),
    log:
        "results/logs/scenarios/{study}.log",
    params:
        schedulers=lambda wildcards: sources.schedulers(wildcards.study),
    shell:
        "python -m pipeline scenarios {wildcards.study} {input.ingested} {input.fitted}"
        " --settings {input.settings} --target {output} 2> {log}"


rule replay:
    """One scheduler on one chunk of the scenarios."""
    input:
        scenarios="results/scenarios/{study}",
        code=lambda wildcards: sources.of_replay(wildcards.study, wildcards.scheduler),
    output:
        directory("results/replay/{study}/{scheduler}/{chunk}"),
    log:
        "results/logs/replay/{study}/{scheduler}/{chunk}.log",
    params:
        chunks=SETTINGS.chunks,
    shell:
        "python -m pipeline replay {wildcards.study} {wildcards.scheduler} --scenarios {input.scenarios}"
        " --chunk {wildcards.chunk} --chunks {params.chunks} --target {output} 2> {log}"
