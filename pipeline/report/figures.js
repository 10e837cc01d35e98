// Draws the figures: those in view first, the others when there is time; fitted to the width there is, in light or dark,
// again whenever either changes. What is drawn stands in window.apportion for the other scripts.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("figure-data").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  // Left of a plot: the labels' fixed extent, title and padding; right of it: half a label.
  const LEFT = 72;
  const RIGHT = 18;
  const NARROWEST_PANEL = 260;
  const MOST_ATTEMPTS = 3;
  // A browser may find no idle moment at all, however long the page waits: then figures are drawn all the same.
  const PATIENCE_MS = 100;
  const LOOKS = {
    light: { ground: "#ffffff", grid: "#e3e6e8", tick: "#b4bac0", label: "#3c4248", text: "#23282d" },
    dark: { ground: "#14171a", grid: "#30363c", tick: "#59626a", label: "#b9c1c7", text: "#e6e9eb" },
  };
  const look = () => (dark.matches ? LOOKS.dark : LOOKS.light);
  const views = new Map();
  window.apportion = { data, views, ground: () => look().ground };

  function configured(width) {
    const { grid, tick, label, text } = look();
    const config = structuredClone(data.config);
    config.background = "transparent";
    Object.assign(config.axis, { gridColor: grid, tickColor: tick, labelColor: label, titleColor: label });
    Object.assign(config.legend, {
      labelColor: text, titleColor: label, columns: Math.max(1, Math.floor(width / data.entry)),
    });
    config.header.labelColor = config.title.color = text;
    return config;
  }

  function fitted(figure, width) {
    const spec = structuredClone(figure.spec);
    const plot = width - LEFT - RIGHT;
    if (spec.facet) {
      const fit = Math.floor((plot + data.spacing) / (NARROWEST_PANEL + data.spacing));
      spec.columns = Math.max(1, Math.min(figure.columns, fit));
      spec.spec.width = Math.floor((plot - (spec.columns - 1) * data.spacing) / spec.columns);
    } else {
      for (const part of spec.vconcat ?? [spec]) part.width = plot;
    }
    return spec;
  }

  async function draw(element) {
    const width = element.clientWidth;
    // Room for what was there keeps the page from jumping while it is drawn again.
    element.style.minHeight = `${element.clientHeight}px`;
    views.get(element)?.finalize();
    const controls = element.parentElement.querySelector(".controls");
    // What stands beside the plots (labels at the ends of lines) shows only once drawn: they give way by as much.
    let beside = 0;
    for (let attempt = 1; ; attempt++) {
      controls.replaceChildren();
      const figure = fitted(data.figures[element.dataset.figure], width - beside);
      const result = await window.vegaEmbed(element, figure, {
        renderer: "svg", actions: false, bind: controls, config: configured(width),
        tooltip: { theme: dark.matches ? "dark" : "light" },
      });
      views.set(element, result);
      const over = (element.querySelector("svg")?.width.baseVal.value ?? 0) - width;
      if (over <= 0 || attempt === MOST_ATTEMPTS) break;
      beside += over;
      result.finalize();
    }
    element.style.minHeight = "";
    element.dataset.width = width;
    element.dataset.look = look().ground;
  }

  const charts = [...document.querySelectorAll(".chart")];
  const inView = new Set();
  const outdated = (chart) => Number(chart.dataset.width) !== chart.clientWidth || chart.dataset.look !== look().ground;
  const idle = window.requestIdleCallback ?? ((work) => setTimeout(work, 0));
  let drawing = false;

  // One figure at a time, so that the page answers in between; what is in view goes first.
  async function drawOutdated() {
    if (drawing) return;
    drawing = true;
    document.documentElement.dataset.figures = "drawing";
    for (let left = charts.filter(outdated); left.length; left = charts.filter(outdated)) {
      const seen = left.find((chart) => inView.has(chart));
      if (!seen) await new Promise((resume) => idle(resume, { timeout: PATIENCE_MS }));
      await draw(seen ?? left.find((chart) => inView.has(chart)) ?? left[0]);
    }
    drawing = false;
    document.documentElement.dataset.figures = "drawn";
  }

  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) inView[isIntersecting ? "add" : "delete"](target);
  }, { rootMargin: "400px" });
  charts.forEach((chart) => observer.observe(chart));

  let timer;
  window.addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(drawOutdated, 150);
  });
  dark.addEventListener("change", drawOutdated);
  // The answers first: nothing is drawn before the page has been shown.
  window.addEventListener("load", () => setTimeout(drawOutdated, 0));
})();
