def labels_of_figure(wildcards):
    """Title and source of a figure, as the report writes them beside the figures."""
    listing = json.loads(
        Path("results/figures/figures.json").read_text(encoding="utf-8")
    )
    drawn = {figure["name"]: figure for figure in listing}
    figure = drawn[f"{wildcards.study}/{wildcards.name}"]
    return {"figure": figure["title"], "after": figure["source"]}
