def labels_of_figure(wildcards):
    """Title and source of a figure, as the report writes them beside the figures."""
    listing = json.loads(
        Path("results/figures/figures.json").read_text(encoding="utf-8")
    )
    drawn = {figure["name"]: figure for figure in listing}
    figure = drawn[f"{wildcards.study}/{wildcards.name}"]
    return {"figure": figure["title"], "after": figure["source"]}


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
    shell:
        "python -m pipeline report --database {input.database} --target {output.page}"
        " --figures {output.figures} 2> {log}"
