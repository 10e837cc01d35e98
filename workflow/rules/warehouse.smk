REPLAYS = [
    f"results/replay/{study}/{scheduler}/{part}/{chunk}"
    for study in STUDIES
    for scheduler in sources.schedulers(study)
    for part in PARTS[study]
    for chunk in range(SETTINGS.chunks)
]


rule warehouse:
    """The database: tables, comments, views and the ledger of claims; replaced in one rename."""
    input:
        ingested=expand("results/ingest/{drop}", drop=DROPS),
        fitted=expand("results/fit/{drop}", drop=DROPS),
        fidelity=expand("results/fidelity/{compared}", compared=COMPARED),
        scenarios=[
            f"results/scenarios/{study}/{part}"
            for study in STUDIES
            for part in PARTS[study]
        ],
        replays=REPLAYS,
        configuration="results/settings/configuration.json",
        code=sources.of_warehouse(),
    output:
        touch("results/warehouse.done"),
    log:
        "results/logs/warehouse.log",
    benchmark:
        "results/logs/warehouse.tsv"
    threads: 2
    resources:
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
    params:
        drops=[f"--drop {drop}" for drop in DROPS],
        parts=[f"--part {study}/{part}" for study in STUDIES for part in PARTS[study]],
        chunks=SETTINGS.chunks,
    shell:
        "APPORTION_CORES={threads} python -m pipeline warehouse --target results/apportion.duckdb {params.drops} {params.parts}"
        " --chunks {params.chunks} 2> {log}"


rule database:
    """The database, as the warehouse leaves it.

    Snakemake deletes what a job is to make before it starts, and what it was making when it fails. A rule without a
    command deletes nothing, so the previous database can be read until the new one takes its place.
    """
    input:
        "results/warehouse.done",
    output:
        "results/apportion.duckdb",
