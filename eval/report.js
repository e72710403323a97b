// Filters and sorts the task tables. Without it the page shows everything.
"use strict";
(() => {
  const section = document.getElementById("tasks");
  if (!section) return;
  const input = section.querySelector("input");
  const said = section.querySelector("[role=status]");
  const groups = [...section.querySelectorAll(".group")];
  if (!groups.length) return;
  document.documentElement.classList.add("js");

  const rows = groups.map(g => [...g.querySelectorAll("tbody")].map(body => ({
    body, text: (body.rows[0].cells[0].textContent + " " + body.rows[0].cells[2].textContent).toLowerCase(),
  })));
  const open = groups.map(g => g.open);
  let timer;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      groups.forEach((g, i) => {
        let here = 0;
        for (const row of rows[i]) {
          row.body.hidden = !words.every(w => row.text.includes(w));
          if (!row.body.hidden) here++;
        }
        g.open = words.length ? here > 0 : open[i];
        shown += here;
      });
      said.textContent = words.length ? shown + (shown === 1 ? " task" : " tasks") : "";
    }, 80);
  });

  const key = (body, column, numeric) => {
    const cell = body.rows[0].cells[column];
    if (!numeric) return cell.textContent;
    return Number(cell.dataset.value);
  };
  const order = new Intl.Collator("en", { numeric: true });
  const sort = head => {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const table = head.closest("table");
    const numeric = head.dataset.sort === "number";
    const list = [...table.tBodies].map(body => [key(body, head.cellIndex, numeric), body]);
    list.sort(([a], [b]) => (numeric ? a - b : order.compare(a, b)) * (down ? -1 : 1));
    table.append(...list.map(([, body]) => body));
  };
  for (const head of section.querySelectorAll("th[data-sort]")) {
    head.tabIndex = 0;
    head.addEventListener("click", () => sort(head));
    head.addEventListener("keydown", event => {
      if (event.key === "Enter") sort(head);
    });
  }
})();
