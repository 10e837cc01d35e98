rule ingest:
    """One data drop into canonical tables."""
    input:
        files=lambda wildcards: drops.tracked(DROPS[wildcards.drop].path),
        code=sources.of_ingest(),
    output:
        directory("results/ingest/{drop}"),
    log:
        "results/logs/ingest/{drop}.log",
    params:
        folder=lambda wildcards: DROPS[wildcards.drop].path,
        roots=" ".join(f"--roots {shlex.quote(root)}" for root in SETTINGS.trace_roots),
    shell:
        "python -m pipeline ingest {params.folder:q} --target {output:q} {params.roots} 2> {log:q}"
