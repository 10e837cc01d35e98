// Says why a job waited: the sentence that the pipeline has for it. A part of a log and a job of it are chosen in
// lists, longest wait first, or the job in the chart. Print shows what the page began with.
window.unpacked.then(() => {
  "use strict";
  const { datasets, views, redrawn, groupBy } = window.apportion;
  const HOUR_S = 3600;

  function prepare(form) {
    const figure = form.closest("figure");
    const chart = figure.querySelector(".chart");
    // A job on nodes that are not neighbours has a row for each range of them.
    const rows = Object.values(datasets(chart.dataset.figure)).find(([row]) => row?.why !== undefined);
    const logs = groupBy(rows, "log");
    const { log, part, job } = form.elements;

    function listParts() {
      part.replaceChildren(...[...groupBy(logs.get(log.value), "part").keys()].map((name) => new Option(name)));
      list();
    }

    const inPart = () => logs.get(log.value).filter((row) => row.part === part.value);

    function list() {
      const jobs = [...new Map(inPart().map((row) => [row.job_id, row])).values()];
      jobs.sort((a, b) => b.wait_s - a.wait_s);
      job.replaceChildren(...jobs.map((row) => {
        const hours = (row.wait_s / HOUR_S).toLocaleString("en", { maximumSignificantDigits: 3 });
        return new Option(`${row.job_id}: ${row.wait_s > 0 ? `${hours} h for ${row.reason}` : "did not wait"}`, row.job_id);
      }));
    }

    function show() {
      const chosen = inPart().find((row) => row.job_id === job.value);
      const [found, by] = [chosen.why, chosen.by].map((text) => {
        const element = document.createElement("p");
        element.textContent = text;
        return element;
      });
      by.className = "meta";
      figure.querySelector(".found").replaceChildren(found, by);
      views.get(chart)?.view.signal("waits_log", log.value).signal("waits_part", part.value)
        .signal("waits_job", job.value).runAsync();
    }

    function restart() {
      log.selectedIndex = 0;
      listParts();
      show();
    }

    form.addEventListener("input", ({ target }) => {
      if (target === log) listParts();
      else if (target === part) list();
      show();
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    redrawn.set(chart, () => {
      views.get(chart).view.addEventListener("click", (_, item) => {
        if (!item?.datum?.job_id) return;
        job.value = item.datum.job_id;
        show();
      });
      show();
    });
    let before = null;
    window.matchMedia("print").addEventListener("change", ({ matches }) => {
      if (matches) {
        before = [log, part, job].map(({ value }) => value);
        restart();
      } else if (before) {
        [log.value] = before;
        listParts();
        [, part.value] = before;
        list();
        [, , job.value] = before;
        show();
      }
    });
    log.append(...[...logs.keys()].map((name) => new Option(name)));
    form.hidden = false;
    restart();
  }

  document.querySelectorAll("form.waits").forEach(prepare);
});
