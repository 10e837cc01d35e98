// Filters and sorts tables, and copies queries. Without this script the tables are whole and in their order.
(() => {
  "use strict";

  function filtered(form) {
    const rows = [...document.getElementById(form.dataset.filters).tBodies[0].rows];
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const choices = [...form.querySelectorAll("select")];
    const { text } = form.elements;

    function apply() {
      const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
      rows.forEach((row, i) => {
        const chosen = choices.every(({ name, value }) => !value || row.dataset[name] === value);
        row.hidden = !(chosen && words.every((word) => texts[i].includes(word)));
      });
      const shown = rows.filter((row) => !row.hidden).length;
      form.querySelector("output").textContent = `${shown} of ${rows.length}`;
    }

    // A link to a row shows it, whatever was filtered.
    function showTarget() {
      const row = rows.find(({ id }) => id && `#${id}` === location.hash);
      if (!row?.hidden) return;
      form.reset();
      row.scrollIntoView();
    }

    form.addEventListener("input", apply);
    form.addEventListener("reset", () => setTimeout(apply, 0));
    form.addEventListener("submit", (event) => event.preventDefault());
    window.addEventListener("hashchange", showTarget);
    form.hidden = false;
    apply();
  }

  function sortable(table) {
    const body = table.tBodies[0];
    const headings = [...table.tHead.rows[0].cells];
    const key = (row, column) => row.cells[column].dataset.sort ?? row.cells[column].textContent.trim();
    headings.forEach((heading, column) => {
      if ("unsorted" in heading.dataset) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const direction = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        headings.forEach((other) => other.removeAttribute("aria-sort"));
        heading.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
        const rows = [...body.rows];
        rows.sort((a, b) => direction * key(a, column).localeCompare(key(b, column), "en", { numeric: true }));
        body.append(...rows);
      });
    });
  }

  async function copied(button) {
    const code = button.parentElement.querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
  }

  document.querySelectorAll("form[data-filters]").forEach(filtered);
  document.querySelectorAll("table.sortable").forEach(sortable);
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => copied(button));
  }
})();
