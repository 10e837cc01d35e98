// Answers questions on a capacity curve from what was replayed: what a size of memory costs, which size is enough for a
// loss, and what that saves at a price. Nothing is interpolated: a size between two has the results of the smaller one,
// as in the macro at_memory; enough is what the macro smallest_memory says. Print shows what the page began with.
window.unpacked.then(() => {
  "use strict";
  const { data, datasets, views, redrawn, groupBy } = window.apportion;
  const STEPS = 200;
  const LEAST_LOSS = 0.001;
  const MOST_LOSS = 0.2;
  // So far beyond the sizes tried, as a share of their range, can a size be asked for.
  const BEYOND = 0.15;
  const FEWEST_BLOCKS = 5;

  // As pipeline/runtime/quantities.py writes them.
  function number(value) {
    const digits = Math.abs(value) < 1e4 ? { maximumSignificantDigits: 4 } : { maximumFractionDigits: 0 };
    return value.toLocaleString("en", digits).replace("-", "−");
  }
  // Sizes in one unit, or as multiples of a mean that is assumed: macro said_size.
  function scaled({ assumed_mean_gb: mean }, ...gb) {
    if (mean) return { numbers: gb.map((each) => String(Number((each / mean).toPrecision(3)))), unit: "times the mean" };
    const largest = Math.max(...gb);
    const [unit, factor] = largest >= 1000 ? ["TB", 1000] : largest >= 0.1 || !largest ? ["GB", 1] : ["MB", 0.001];
    return { numbers: gb.map((each) => number(each / factor)), unit };
  }

  function sizeText(row, gb) {
    const { numbers: [size], unit } = scaled(row, gb);
    return `${size} ${unit}`;
  }

  const perNode = (row, gb) => `${sizeText(row, gb)}${row.assumed_mean_gb ? "" : ` per ${row.per ?? "node"}`}`;
  const share = (value, digits = 1) => `${(100 * value).toFixed(digits)}\u00a0%`.replace("-", "−");
  const percent = (value) => `${number(Number((100 * value).toPrecision(2)))}\u00a0%`;

  // How much longer users wait, both waits in one unit: macro said_waits.
  function waits(ours, unlimited) {
    const longest = Math.max(ours, unlimited);
    if (longest < 1) return "users wait less than a second";
    const [unit, length] = [["days", 86400], ["h", 3600], ["min", 60]].find((each) => longest >= 2 * each[1]) ?? ["s", 1];
    const [one, other] = [ours, unlimited].map((each) => Number((each / length).toPrecision(3)));
    const growth = ours / unlimited - 1;
    if (!(growth < 10)) return `users wait ${one} instead of ${other} ${unit}`;
    if (Math.abs(growth) < 0.005) return `users wait as long as with unlimited memory (${other} ${unit})`;
    const more = growth > 0 ? "longer" : "less";
    return `users wait ${share(Math.abs(growth), 0)} ${more} (${one} instead of ${other} ${unit})`;
  }

  const tooSlow = (row, growth) => row.response_ratio - 1 > growth;

  // For each scheduler its row at the largest size that was replayed and is at most `gb`; first those whose responses
  // take no longer than accepted, and of them that of the least loss.
  function atMemory(rows, gb, growth) {
    return [...groupBy(rows, "scheduler").values()]
      .map((its) => its.filter((row) => row.memory_per_node_gb <= gb).at(-1))
      .filter(Boolean)
      .sort((a, b) => tooSlow(a, growth) - tooSlow(b, growth) || a.loss - b.loss || a.complexity - b.complexity);
  }

  // Rows of one scheduler from the largest size down to the last one before a row that fails.
  function lasting(rows, keeps) {
    const fails = rows.findLastIndex((row) => !keeps(row));
    return rows.slice(fails + 1);
  }

  function enoughOf(rows, { accepted, growth }) {
    const keeps = (loss, ratio) => (row) =>
      row[loss] !== null && row[loss] <= accepted && row[ratio] - 1 <= growth;
    const [enough] = lasting(rows, keeps("loss", "response_ratio"));
    // Sizes without an interval say nothing about its ends.
    const known = rows.filter((row) => row.loss_hi !== null);
    const [surely] = lasting(known, keeps("loss_hi", "response_ratio_hi"));
    const breaks = (row) => row.loss_lo > accepted || row.response_ratio_lo - 1 > growth;
    return {
      enough,
      lo: known.findLast(breaks)?.memory_per_node_gb,
      hi: surely?.memory_per_node_gb,
      atMost: enough === rows[0],
    };
  }

  // The least size that keeps the loss and the growth of the response time, there and at every larger one, with any
  // scheduler, and its interval; undefined where none does.
  function smallest(rows, bounds) {
    const found = [...groupBy(rows, "scheduler").values()].map((its) => enoughOf(its, bounds));
    const size = ({ enough }) => enough.memory_per_node_gb;
    return found
      .filter(({ enough }) => enough)
      .sort((a, b) => size(a) - size(b) || a.enough.complexity - b.enough.complexity)[0];
  }

  function sizeOf({ enough, lo, hi, atMost }) {
    const { numbers: [size, ...ends], unit } = scaled(enough, ...[enough.memory_per_node_gb, lo, hi].filter(Boolean));
    const least = atMost ? "≤ " : "";
    const each = enough.assumed_mean_gb ? "" : ` per ${enough.unit ?? "node"}`;
    return `${least}${size} ${unit} (${within(ends)})${each}${atMost ? ", the smallest tried," : ""}`;

    function within([first, last]) {
      if (last) return `${first}–${last}`;
      if (first) return `${lo ? "above" : "up to"} ${first}`;
      return enough.blocks < FEWEST_BLOCKS ? "no interval" : "interval beyond the sizes tried";
    }
  }

  function ofMemory(rows, gb, growth) {
    const sizes = rows.map((row) => row.memory_per_node_gb);
    const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
    const asked = perNode(rows[0], gb);
    if (gb < least) return `${asked} was not tried: the smallest size tried is ${sizeText(rows[0], least)}.`;
    const [best] = atMemory(rows, gb, growth);
    const size = sizeText(best, best.memory_per_node_gb);
    const replayed = gb > most ? `not tried; at ${size}, the largest size tried` : `by the replay with ${size}`;
    const where = size === sizeText(best, gb) ? asked : `${asked} (${replayed})`;
    const interval = best.loss_lo === null ? "no interval" : `${share(best.loss_lo)} to ${share(best.loss_hi)}`;
    const slow = tooSlow(best, growth) ? `responses take more than ${percent(growth)} longer with every scheduler; ` : "";
    const lost = `${best.scheduler} loses ${share(best.loss)} of utilisation (${interval})`;
    return `${where}: ${slow}${lost}; ${waits(best.wait_s, best.unlimited_wait_s)}.`;
  }

  function ofLoss(rows, bounds) {
    const found = smallest(rows, bounds);
    const kept = `at most ${percent(bounds.accepted)} lost and ${percent(bounds.growth)} more response time`;
    if (!found) {
      const most = Math.max(...rows.map((row) => row.memory_per_node_gb));
      return `No size tried keeps ${kept}; the largest is ${sizeText(rows[0], most)}.`;
    }
    const { scheduler, wait_s: wait, unlimited_wait_s: unlimited } = found.enough;
    return `Enough for ${kept}: ${sizeOf(found)} with ${scheduler}; ${waits(wait, unlimited)}.`;
  }

  function ofPrice(rows, bounds, price) {
    const [{ node_memory_gb: today, nodes, unit }] = rows;
    if (today === null) return "Savings are not known: today’s memory per node is not known, or jobs’ memory is assumed.";
    const found = smallest(rows, bounds);
    if (!found) return "";
    const usd = Math.round((today - found.enough.memory_per_node_gb) * nodes * price);
    const machine = `the ${number(nodes)} ${unit ?? "node"}s with ${sizeText(rows[0], today)} today`;
    return `That ${usd < 0 ? "costs" : "saves"} ${number(Math.abs(usd))} USD against ${machine}, at ${number(price)} USD per GB.`;
  }

  // As the figure's own title, for what is asked now.
  function titleOf(rows, bounds) {
    const found = smallest(rows, bounds);
    const loss = `for a loss of ${percent(bounds.accepted)} on ${rows[0].jobs_from}`;
    if (!found) return `No size that was tried is enough ${loss}`;
    return `With ${found.enough.scheduler}, ${perNode(found.enough, found.enough.memory_per_node_gb)} is enough ${loss}`;
  }

  // A loss is chosen on a scale on which a tenth is as far from a hundredth as that from a thousandth.
  const decades = Math.log(MOST_LOSS / LEAST_LOSS);
  const lossAt = (step) => Number((LEAST_LOSS * Math.exp((decades * step) / STEPS)).toPrecision(2));
  const stepOf = (loss) => (STEPS * Math.log(loss / LEAST_LOSS)) / decades;

  function paragraph(text) {
    const element = document.createElement("p");
    element.textContent = text;
    return element;
  }

  function prepare(form) {
    const figure = form.closest("figure");
    const chart = figure.querySelector(".chart");
    const name = chart.dataset.figure;
    const rows = Object.values(datasets(name)).find(([row]) => row?.workload);
    const firstLoss = data.figures[name].spec.params.find((parameter) => parameter.name === "explore_loss").value;
    const workloads = groupBy(rows, "workload");
    const { workload, gb, loss, growth, price } = form.elements;
    const said = (input) => form.elements[`${input.name}_said`];
    const asked = () => ({
      its: workloads.get(workload.value), size: Number(gb.value), paid: Number(price.value),
      bounds: { accepted: lossAt(Number(loss.value)), growth: Number(growth.value) / 100 },
    });

    for (const [group, its] of groupBy([...workloads.values()].map(([row]) => row), "group")) {
      const options = document.createElement("optgroup");
      options.label = group;
      options.append(...its.map((row) => new Option(row.jobs_from, row.workload)));
      workload.append(options);
    }

    function begin() {
      const { its, bounds } = asked();
      const sizes = its.map((row) => row.memory_per_node_gb);
      const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
      const room = BEYOND * (most - least);
      Object.assign(gb, { min: Math.max(0, least - room), max: most + room });
      gb.value = smallest(its, bounds)?.enough.memory_per_node_gb ?? most;
    }

    function show() {
      const { its, size, bounds, paid } = asked();
      for (const [input, text] of [
        [gb, sizeText(its[0], size)], [loss, percent(bounds.accepted)], [growth, `${percent(bounds.growth)} longer`],
        [price, `${number(paid)} USD/GB`],
      ]) {
        said(input).value = text;
        input.setAttribute("aria-valuetext", text);
      }
      figure.querySelector("h3").textContent = titleOf(its, bounds);
      const [{ assumed }] = its;
      const sentences = [ofMemory(its, size, bounds.growth), ofLoss(its, bounds), ofPrice(its, bounds, paid)];
      if (assumed) sentences.push(`Assumed: ${assumed}.`);
      figure.querySelector(".found").replaceChildren(...sentences.filter(Boolean).map(paragraph));
      mark();
    }

    function mark() {
      const { size, bounds } = asked();
      const view = views.get(chart)?.view;
      view?.signal("explore_workload", workload.value).signal("explore_gb", size).signal("explore_loss", bounds.accepted);
      view?.runAsync();
    }

    function restart() {
      workload.selectedIndex = 0;
      Object.assign(loss, { min: 0, max: STEPS, value: stepOf(firstLoss) });
      growth.value = 100 * rows[0].response_bound;
      price.value = rows[0].usd_per_gb;
      begin();
      show();
    }

    form.addEventListener("input", ({ target }) => {
      if (target === workload) begin();
      show();
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    redrawn.set(chart, mark);
    let before = null;
    window.matchMedia("print").addEventListener("change", ({ matches }) => {
      if (matches) {
        before = [workload, loss, growth, price, gb].map(({ value }) => value);
        restart();
      } else if (before) {
        [workload.value, loss.value, growth.value, price.value] = before;
        begin();
        gb.value = before.at(-1);
        show();
      }
    });
    form.hidden = false;
    restart();
  }

  window.apportion.explore = { atMemory, smallest };
  document.querySelectorAll("form.explore").forEach(prepare);
});
