REPLAYS = [
    f"results/replay/{study}/{scheduler}/{part}/{chunk}"
    for study in STUDIES
    for scheduler in sources.schedulers(study)
    for part in PARTS
    for chunk in range(SETTINGS.chunks)
]


rule warehouse:
    """The database: tables, comments, views and the ledger of claims; replaced in one rename."""
    input:
        ingested=expand("results/ingest/{drop}", drop=DROPS),
        fitted=expand("results/fit/{drop}", drop=DROPS),
        scenarios=expand("results/scenarios/{study}/{part}", study=STUDIES, part=PARTS),
        replays=REPLAYS,
        configuration="results/settings/configuration.json",
        code=sources.of_warehouse(),
    output:
        "results/apportion.duckdb",
    log:
        "results/logs/warehouse.log",
    params:
        drops=[f"--drop {drop}" for drop in DROPS],
        parts=[f"--part {part}" for part in PARTS],
        chunks=SETTINGS.chunks,
    shell:
        "python -m pipeline warehouse --target {output} {params.drops} {params.parts}"
        " --chunks {params.chunks} 2> {log}"
