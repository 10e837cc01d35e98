// Draws the figures: those in view first, the others when there is time, those of a closed part once it is opened; fitted
// to the width there is, in light or dark, again whenever either changes. What is drawn stands in window.apportion for the other scripts.
window.unpacked.then((data) => {
  "use strict";
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  // Left of a plot: the labels' fixed extent, title and padding; right of it: half a label.
  const LEFT = 72;
  const RIGHT = 18;
  const NARROWEST_PANEL = 260;
  const MOST_ATTEMPTS = 4;
  // A browser may find no idle moment at all, however long the page waits: then figures are drawn all the same.
  const PATIENCE_MS = 100;
  const LOOKS = {
    light: { ground: "#ffffff", grid: "#e3e6e8", tick: "#b4bac0", label: "#3c4248", text: "#23282d" },
    dark: { ground: "#14171a", grid: "#30363c", tick: "#59626a", label: "#b9c1c7", text: "#e6e9eb" },
  };
  const look = () => (dark.matches ? LOOKS.dark : LOOKS.light);
  const views = new Map();

  // Rows of a stored data set: a list per column, of its values or of their places among the distinct ones.
  function unpacked(stored) {
    if (Array.isArray(stored)) return stored;
    const columns = Object.entries(stored.columns).map(([name, column]) => [
      name, Array.isArray(column) ? column : column.at.map((place) => column.of[place]),
    ]);
    return Array.from({ length: stored.length }, (_, i) => Object.fromEntries(columns.map(([name, values]) => [name, values[i]])));
  }

  const datasets = (name) =>
    Object.fromEntries(data.figures[name].datasets.map((set) => [set, unpacked(data.datasets[set])]));

  function groupBy(rows, key) {
    const groups = new Map();
    for (const row of rows) groups.set(row[key], [...(groups.get(row[key]) ?? []), row]);
    return groups;
  }

  // What other scripts do to a figure once it is drawn.
  const redrawn = new Map();
  window.apportion = { data, views, datasets, redrawn, groupBy, ground: () => look().ground };

  function configured(width) {
    const { grid, tick, label, text } = look();
    const config = structuredClone(data.config);
    config.background = "transparent";
    Object.assign(config.axis, { gridColor: grid, tickColor: tick, labelColor: label, titleColor: label });
    Object.assign(config.legend, {
      labelColor: text, titleColor: label, columns: Math.max(1, Math.floor(width / data.entry)),
    });
    config.header.labelColor = config.title.color = config.text.color = text;
    return config;
  }

  // A specification whose inks can be read on the ground there is.
  function onGround(spec) {
    const swap = (_, value) => (typeof value === "string" ? data.dark[value] ?? value : value);
    return JSON.parse(JSON.stringify(spec), dark.matches ? swap : undefined);
  }

  // Whether labels of an axis that lie side by side overlap.
  function crowded(element) {
    for (const axis of element.querySelectorAll(".role-axis-label")) {
      const boxes = [...axis.querySelectorAll("text")]
        .filter((text) => text.textContent && getComputedStyle(text).opacity !== "0")
        .map((text) => text.getBoundingClientRect())
        .sort((a, b) => a.left - b.left);
      const touches = (box, i) => i > 0 && Math.abs(box.top - boxes[i - 1].top) < 1 && box.left < boxes[i - 1].right;
      if (boxes.some(touches)) return true;
    }
    return false;
  }

  // A specification whose horizontal axes of names have upright labels.
  function upright(part) {
    if (part === null || typeof part !== "object") return part;
    if (Array.isArray(part)) return part.map(upright);
    const found = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, upright(value)]));
    const { x } = found.encoding ?? {};
    if (x?.axis !== null && (x?.type === "nominal" || x?.type === "ordinal")) {
      const above = x.axis?.orient === "top";
      x.axis = { ...x.axis, labelAngle: -90, labelAlign: above ? "left" : "right", labelBaseline: "middle" };
    }
    return found;
  }

  function fitted(name, width, turned) {
    const figure = data.figures[name];
    const legible = onGround(figure.spec);
    const spec = { ...(turned ? upright(legible) : legible), datasets: datasets(name) };
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
    // What stands beside the plots (labels at the ends of lines) shows only once drawn: they give way by as much.
    let beside = 0;
    let turned = false;
    for (let attempt = 1; ; attempt++) {
      const figure = fitted(element.dataset.figure, width - beside, turned);
      const result = await window.vegaEmbed(element, figure, {
        renderer: "svg", actions: false, config: configured(width),
        tooltip: { theme: dark.matches ? "dark" : "light" },
      });
      views.set(element, result);
      const over = (element.querySelector("svg")?.width.baseVal.value ?? 0) - width;
      const turn = !turned && crowded(element);
      if ((over <= 0 && !turn) || attempt === MOST_ATTEMPTS) break;
      beside += Math.max(0, over);
      turned ||= turn;
      result.finalize();
    }
    element.style.minHeight = "";
    element.dataset.width = width;
    element.dataset.look = look().ground;
    redrawn.get(element)?.();
  }

  const charts = [...document.querySelectorAll(".chart")];
  const inView = new Set();
  const outdated = (chart) => !chart.closest("details:not([open])") && changed(chart);
  const changed = (chart) => Number(chart.dataset.width) !== chart.clientWidth || chart.dataset.look !== look().ground;
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
  document.addEventListener("toggle", drawOutdated, true);
  // The answers first: nothing is drawn before the page has been shown.
  if (document.readyState === "complete") setTimeout(drawOutdated, 0);
  else window.addEventListener("load", () => setTimeout(drawOutdated, 0));
});
