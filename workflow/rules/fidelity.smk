# Drops that a study's replays are compared with, as <study>/<drop>: those with the measurements that it takes.
COMPARED = [
    f"{study}/{drop}"
    for study in sources.with_module("fidelity")
    if study in STUDIES
    for drop, reader in READERS.items()
    if sources.fidelity_takes(study) in reader.GIVES
]


rule fidelity:
    """How far a study's replays of one drop are from what the drop measured."""
    input:
        ingested="results/ingest/{drop}",
        code=lambda wildcards: sources.of_fidelity(wildcards.study),
    output:
        directory("results/fidelity/{study}/{drop}"),
    log:
        "results/logs/fidelity/{study}/{drop}.log",
    benchmark:
        "results/logs/fidelity/{study}/{drop}.tsv"
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        limits=LIMITS_OF_DROP,
    shell:
        "python -m pipeline fidelity {wildcards.study} {input.ingested} --target {output} {resources.limits} 2> {log}"
