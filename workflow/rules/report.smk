rule report:
    """Figures and the page, replaced once they are whole."""
    input:
        database="results/apportion.duckdb",
        code=sources.of_report(),
    output:
        touch("results/report.done"),
    log:
        "results/logs/report.log",
    benchmark:
        "results/logs/report.tsv"
    threads: 2
    resources:
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
    shell:
        "APPORTION_CORES={threads} python -m pipeline report --database {input.database}"
        " --target results/report/index.html --figures results/figures 2> {log}"


rule page:
    """The page and its figures, as the report leaves them: the previous ones stay until then (see rule database)."""
    input:
        "results/report.done",
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
