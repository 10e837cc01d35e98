rule second_round:
    """What a study's second round depends on of the configuration."""
    output:
        "results/settings/{study}.refined.json",
    log:
        "results/logs/settings/{study}.refined.log",
    localrule: True
    params:
        json=lambda wildcards: json.dumps(
            configuration.second_round(SETTINGS, wildcards.study)
        ),
    shell:
        "printf '%s' {params.json:q} > {output} 2> {log}"


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
        code=lambda wildcards: sources.of_refinement(wildcards.study),
    output:
        directory("results/scenarios/{study}/{part}.refined/{scheduler}"),
    log:
        "results/logs/scenarios/{study}/{part}.refined/{scheduler}.log",
    wildcard_constraints:
        part=NAMES_OF_PARTS,
    shell:
        "python -m pipeline refine {wildcards.study} {input.replays} --scenarios {input.scenarios}"
        " --settings {input.settings} --target {output} 2> {log}"
