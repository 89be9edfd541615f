"use strict";
const number = (text) => parseFloat(text.replace(/[,\u2212]/g, (c) => (c === "," ? "" : "-")));
for (const table of document.querySelectorAll("table.sortable")) {
  table.querySelectorAll("thead th").forEach((head, column) => {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    button.title = "Sort by this column";
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      table.querySelectorAll("thead th").forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.children[column].textContent;
      const rows = [...table.tBodies[0].rows].sort((a, b) => {
        const x = number(key(a)), y = number(key(b));
        const order = isNaN(x) || isNaN(y) ? (isNaN(x) ? (isNaN(y) ? key(a).localeCompare(key(b)) : 1) : -1) : x - y;
        return isNaN(x) !== isNaN(y) ? order : down ? -order : order;
      });
      table.tBodies[0].append(...rows);
    });
  });
}
for (const table of document.querySelectorAll("table.filtered, table.sortable")) {
  if (table.tBodies[0].rows.length < 13) continue;
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = "Show only rows with ...";
  field.setAttribute("aria-label", "Show only rows of the table " + table.caption.textContent + " with this text");
  const line = document.createElement("p");
  line.className = "filter";
  line.append(field);
  table.parentElement.before(line);
  field.addEventListener("input", () => {
    const wanted = field.value.toLowerCase();
    for (const row of table.tBodies[0].rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
}
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => (one.open = true)));
