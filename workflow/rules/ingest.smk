rule ingest:
    """One data drop into canonical tables."""
    input:
        code=sources.of_ingest(),
    output:
        directory("results/ingest/{drop}"),
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
        # Where the reader segments as it reads, how belongs to reading.
        delta=lambda wildcards: (
            f"--delta {SETTINGS.fit.delta} --node-memory {SETTINGS.fit.node_memory}"
            if getattr(READERS.get(wildcards.drop), "SEGMENTS", False)
            else ""
        ),
    shell:
        "python -m pipeline ingest {params.folder:q} --target {output:q} {params.roots} {params.delta} {resources.limits} 2> {log:q}"
