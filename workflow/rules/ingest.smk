rule ingest:
    """One data drop into canonical tables."""
    input:
        code=sources.of_ingest(),
    output:
        directory("results/ingest/{drop}"),
    log:
        "results/logs/ingest/{drop}.log",
    params:
        folder=lambda wildcards: DROPS[wildcards.drop].path,
        roots=" ".join(f"--roots {shlex.quote(root)}" for root in SETTINGS.trace_roots),
        # The files themselves are no inputs: their names are anybody's, and a replaced file may be older.
        state=lambda wildcards: STATES[wildcards.drop],
    shell:
        "python -m pipeline ingest {params.folder:q} --target {output:q} {params.roots} 2> {log:q}"
