// SPDX-License-Identifier: Apache-2.0
// Tables that are sorted by the buttons in their heads and filtered by a field above them.
import { button, el, type Child } from "./dom";
import { plural } from "./units";

export interface Column<Row> {
  title: string;
  cell(row: Row): Child | Child[];
  by?(row: Row): number | string;  // what to sort by; without it the column is not sorted by
  isNumber?: boolean;
}

interface Options<Row> {
  caption: string;
  thing: string;                   // what a row is, for "12 functions"
  text?(row: Row): string;         // what the filter looks in; without it there is no filter
  sortedBy?: number;               // a column, dearest first; without it the rows stay as they come
}

const chunk = 200;      // rows drawn at a time
const printed = 5000;   // on paper

export function sortedTable<Row>(all: Row[], columns: Column<Row>[], options: Options<Row>): HTMLElement {
  let sorted = options.sortedBy ?? -1;
  let isDescending = true;
  let wanted = "";
  let limit = chunk;
  const heads = columns.map((column, index) => head(column, () => sortBy(index)));
  const body = el("tbody");
  const status = el("span", { role: "status", class: "muted" });
  const more = button("Show more", () => draw((limit += chunk)));
  const table = el("table", {}, el("caption", { class: "sr-only" }, options.caption),
    el("thead", {}, el("tr", {}, ...heads)), body);

  function sortBy(index: number): void {
    isDescending = sorted === index ? !isDescending : Boolean(columns[index].isNumber);
    sorted = index;
    draw(limit);
  }

  function rows(): Row[] {
    const { text } = options;
    const found = wanted && text ? all.filter((row) => text(row).toLowerCase().includes(wanted)) : [...all];
    const by = columns[sorted]?.by;
    if (!by) return found;
    const order = (a: Row, b: Row) => compare(by(a), by(b));
    return found.sort((a, b) => (isDescending ? order(b, a) : order(a, b)));
  }

  function draw(most: number): void {
    const found = rows();
    for (const [index, element] of heads.entries())
      if (columns[index].by) element.ariaSort = index !== sorted ? "none" : isDescending ? "descending" : "ascending";
    body.replaceChildren(...found.slice(0, most).map((row) => drawRow(row, columns)));
    more.hidden = found.length <= most;
    status.textContent = wanted
      ? `${found.length} of ${plural(all.length, options.thing)}`
      : plural(all.length, options.thing);
  }

  const tools = el("div", { class: "tools" });
  if (options.text) tools.append(filterField(options.thing, (text) => {
    wanted = text.toLowerCase();
    draw((limit = chunk));
  }));
  tools.append(status);
  window.addEventListener("beforeprint", () => draw(printed));
  window.addEventListener("afterprint", () => draw(limit));
  draw(limit);
  return el("div", { class: "table" }, tools, el("div", { class: "scrolls" }, table), more);
}

function compare(a: number | string, b: number | string): number {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}

function head<Row>(column: Column<Row>, pressed: () => void): HTMLTableCellElement {
  const attributes = { scope: "col", class: column.isNumber ? "number" : undefined };
  return el("th", attributes, column.by ? button(column.title, pressed) : column.title);
}

function drawRow<Row>(row: Row, columns: Column<Row>[]): HTMLTableRowElement {
  const cells = columns.map((column) => {
    const content = column.cell(row);
    return el("td", { class: column.isNumber ? "number" : undefined }, ...(Array.isArray(content) ? content : [content]));
  });
  return el("tr", {}, ...cells);
}

export function filterField(thing: string, changed: (text: string) => void): HTMLElement {
  const field = el("input", { type: "search", autocomplete: "off", spellcheck: "false" });
  field.addEventListener("input", () => changed(field.value.trim()));
  return el("label", { class: "filter" }, `Filter ${thing}s`, field);
}
