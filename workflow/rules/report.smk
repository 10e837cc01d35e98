rule report:
    """Figures and the page."""
    input:
        database="results/apportion.duckdb",
        code=sources.of_report(),
    output:
        page=report(
            "results/report/index.html",
            caption="../report/page.rst",
            category="Answers",
            labels={"figure": "Answers, figures and claims on one page", "after": "–"},
        ),
        figures=report(
            directory("results/figures"),
            patterns=["{study}/{name}.svg"],
            caption="../report/figure.rst",
            category="Figures",
            subcategory="{study}",
            labels=labels_of_figure,
        ),
    log:
        "results/logs/report.log",
    benchmark:
        "results/logs/report.tsv"
    threads: 2
    resources:
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
    shell:
        "APPORTION_CORES={threads} python -m pipeline report --database {input.database} --target {output.page}"
        " --figures {output.figures} 2> {log}"
