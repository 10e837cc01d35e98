rule fit:
    """Phases, memory profiles and marginal laws of one drop."""
    input:
        ingested="results/ingest/{drop}",
        code=sources.of_fit(),
    output:
        directory("results/fit/{drop}"),
    log:
        "results/logs/fit/{drop}.log",
    benchmark:
        "results/logs/fit/{drop}.tsv"
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        limits=SETTINGS.limits.options("drop_s", "memory_gb"),
    params:
        delta=SETTINGS.fit.delta,
        node_memory=SETTINGS.fit.node_memory,
        bin_gb="" if SETTINGS.fit.bin_gb is None else f"--bin-gb {SETTINGS.fit.bin_gb}",
    shell:
        "python -m pipeline fit {input.ingested} --target {output} --delta {params.delta}"
        " --node-memory {params.node_memory} {params.bin_gb} {resources.limits} 2> {log}"
