rule warehouse:
    """The database: tables, comments, views and the ledger of claims; replaced in one rename."""
    input:
        ingested=expand("results/ingest/{drop}", drop=DROPS),
        fitted=expand("results/fit/{drop}", drop=DROPS),
        scenarios=expand("results/scenarios/{study}", study=STUDIES),
        replays=[
            f"results/replay/{study}/{scheduler}/{chunk}"
            for study in STUDIES
            for scheduler in sources.schedulers(study)
            for chunk in range(SETTINGS.chunks)
        ],
        code=sources.of_warehouse(),
    output:
        "results/apportion.duckdb",
    log:
        "results/logs/warehouse.log",
    params:
        drops=[word for drop in DROPS for word in ("--drop", drop)],
        chunks=SETTINGS.chunks,
    shell:
        "python -m pipeline warehouse --target {output} {params.drops} --chunks {params.chunks} 2> {log}"
