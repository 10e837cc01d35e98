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


rule configuration:
    """The whole configuration, for the database to say what it was made with."""
    output:
        "results/settings/configuration.json",
    log:
        "results/logs/settings/configuration.log",
    localrule: True
    params:
        json=lambda wildcards: SETTINGS.model_dump_json(),
    shell:
        "printf '%s' {params.json:q} > {output} 2> {log}"


rule scenarios:
    """A part of a study's workloads, and one row per run, where each scheduler has a job for its replays."""
    input:
        settings="results/settings/{study}.json",
        drops=lambda wildcards: drops_of_part(wildcards.study, wildcards.part),
        code=lambda wildcards: code_of_scenarios(wildcards.study),
    output:
        directory("results/scenarios/{study}/{part}"),
    log:
        "results/logs/scenarios/{study}/{part}.log",
    benchmark:
        "results/logs/scenarios/{study}/{part}.tsv"
    wildcard_constraints:
        study=STUDIES_ONE_BY_ONE,
        part=NAMES_ONE_BY_ONE,
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        limits=LIMITS_OF_DROP,
    params:
        drop=lambda wildcards: (
            f"--drop {PARTS[wildcards.study][wildcards.part][0]}"
            if PARTS[wildcards.study][wildcards.part]
            else ""
        ),
        schedulers=lambda wildcards: traits_of(wildcards.study),
    shell:
        "python -m pipeline scenarios {wildcards.study} {input.drops}"
        " --settings {input.settings} --target {output} {params.drop} {resources.limits} 2> {log}"
