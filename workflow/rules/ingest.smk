rule ingest:
    """One data drop into canonical tables, and their fits: phases, memory profiles and marginal laws."""
    input:
        code=sorted({*sources.of_ingest(), *sources.of_fit()}),
    output:
        ingested=directory("results/ingest/{drop}"),
        fitted=directory("results/fit/{drop}"),
    log:
        "results/logs/ingest/{drop}.log",
    benchmark:
        "results/logs/ingest/{drop}.tsv"
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        # As a resource, since no result depends on it.
        limits=SETTINGS.limits.options("recognition_s", "drop_s", "memory_gb"),
    params:
        folder=lambda wildcards: DROPS[wildcards.drop].path,
        # Where a folder's name is refused, what else has this name says why; other drops depend on no root.
        roots=lambda wildcards: (
            " ".join(f"--roots {shlex.quote(root)}" for root in SETTINGS.trace_roots)
            if DROPS[wildcards.drop].refusal
            else ""
        ),
        # The files themselves are no inputs: their names are anybody's, and a replaced file may be older.
        state=lambda wildcards: STATES[wildcards.drop],
        delta=SETTINGS.fit.delta,
        node_memory=SETTINGS.fit.node_memory,
        bin_gb="" if SETTINGS.fit.bin_gb is None else f"--bin-gb {SETTINGS.fit.bin_gb}",
    shell:
        "python -m pipeline ingest {params.folder:q} --target {output.ingested:q} --fitted {output.fitted:q}"
        " {params.roots} --delta {params.delta} --node-memory {params.node_memory} {params.bin_gb} {resources.limits}"
        " 2> {log:q}"
