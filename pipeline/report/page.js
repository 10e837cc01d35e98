// Draws the figures: fitted to the width there is, in light or dark, again whenever either changes.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("figure-data").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  // Left of a plot: the labels' fixed extent, title and padding; right of it: half a label.
  const LEFT = 72;
  const RIGHT = 18;
  const LOOKS = {
    light: { grid: "#e3e6e8", tick: "#b4bac0", label: "#3c4248", text: "#23282d" },
    dark: { grid: "#30363c", tick: "#59626a", label: "#b9c1c7", text: "#e6e9eb" },
  };

  function configured(width) {
    const look = dark.matches ? LOOKS.dark : LOOKS.light;
    const config = structuredClone(data.config);
    config.background = "transparent";
    Object.assign(config.axis, {
      gridColor: look.grid, tickColor: look.tick, labelColor: look.label, titleColor: look.label,
    });
    Object.assign(config.legend, {
      labelColor: look.text, titleColor: look.label, columns: Math.max(1, Math.floor(width / data.entry)),
    });
    config.header.labelColor = config.title.color = look.text;
    return config;
  }

  function fitted(figure, width) {
    const spec = structuredClone(figure.spec);
    const plot = width - LEFT - RIGHT;
    if (spec.facet) {
      const fit = Math.floor((plot + data.spacing) / (260 + data.spacing));
      spec.columns = Math.max(1, Math.min(figure.columns, fit));
      spec.spec.width = Math.floor((plot - (spec.columns - 1) * data.spacing) / spec.columns);
    } else {
      for (const part of spec.vconcat ?? [spec]) part.width = plot;
    }
    return spec;
  }

  const drawn = new Map();

  async function draw(element) {
    const width = element.clientWidth;
    drawn.get(element)?.finalize();
    const controls = element.parentElement.querySelector(".controls");
    // What stands beside the plots (labels at the ends of lines) shows only once drawn: they give way by as much.
    let beside = 0;
    for (let attempt = 0; attempt < 2; attempt++) {
      controls.replaceChildren();
      const figure = fitted(data.figures[element.dataset.figure], width - beside);
      const result = await window.vegaEmbed(element, figure, {
        renderer: "svg", actions: false, bind: controls, config: configured(width),
        tooltip: { theme: dark.matches ? "dark" : "light" },
      });
      drawn.set(element, result);
      beside = (element.querySelector("svg")?.width.baseVal.value ?? 0) - width;
      if (beside <= 0) break;
      if (attempt === 0) result.finalize();
    }
    element.dataset.width = width;
  }

  async function drawAll(elements) {
    const root = document.documentElement;
    root.dataset.figures = "drawing";
    for (const element of elements) await draw(element);
    root.dataset.figures = "drawn";
  }

  const charts = [...document.querySelectorAll(".chart")];
  let pending = drawAll(charts);
  let timer;
  window.addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const changed = charts.filter((chart) => Number(chart.dataset.width) !== chart.clientWidth);
      if (changed.length) pending = pending.then(() => drawAll(changed));
    }, 150);
  });
  dark.addEventListener("change", () => { pending = pending.then(() => drawAll(charts)); });
})();
