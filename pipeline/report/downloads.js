// Saves a figure as SVG or PNG, as it is drawn now, and its data as CSV; all made here, nothing is asked for.
window.unpacked.then(() => {
  "use strict";
  const { datasets, views, ground } = window.apportion;
  const PNG_SCALE = 2;

  function cell(value) {
    const text = value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : `${value}`;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  function table(rows) {
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    return [columns, ...rows.map((row) => columns.map((column) => row[column]))].map((row) => row.map(cell).join(","));
  }

  // A figure of several data sets has them one below the other, an empty line between.
  function csv(name) {
    const sets = Object.values(datasets(name)).filter((rows) => Object.keys(rows[0] ?? {}).length);
    return `${sets.map((rows) => table(rows).join("\n")).join("\n\n")}\n`;
  }

  async function drawn(chart, kind) {
    const { view } = views.get(chart);
    view.background(ground());
    await view.runAsync();
    try {
      if (kind === "svg") return new Blob([await view.toSVG()], { type: "image/svg+xml" });
      const canvas = await view.toCanvas(PNG_SCALE);
      return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    } finally {
      view.background("transparent");
      await view.runAsync();
    }
  }

  function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  for (const row of document.querySelectorAll(".save")) {
    const chart = row.parentElement.querySelector(".chart");
    row.hidden = false;
    row.addEventListener("click", async ({ target }) => {
      const kind = target.closest("button")?.dataset.save;
      if (!kind || (kind !== "csv" && !views.has(chart))) return;
      const name = chart.dataset.figure;
      const blob = kind === "csv" ? new Blob([csv(name)], { type: "text/csv" }) : await drawn(chart, kind);
      save(blob, `${name.replace("/", "-")}.${kind}`);
    });
  }
});
