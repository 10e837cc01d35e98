rule report:
    """Figures and the page."""
    input:
        database="results/apportion.duckdb",
        code=sources.of_report(),
    output:
        page="results/report/index.html",
        figures=directory("results/figures"),
    log:
        "results/logs/report.log",
    resources:
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
    shell:
        "python -m pipeline report --database {input.database} --target {output.page}"
        " --figures {output.figures} 2> {log}"
