// SPDX-License-Identifier: Apache-2.0
// The sources with what their lines cost, files and hottest lines beside them, and one line's details below.
import { shareCell } from "./cells";
import type { Line, SourceFile } from "./data";
import { lineDetails } from "./details";
import { bar, button, el, shown } from "./dom";
import { highlighter, type Highlighter } from "./highlight";
import { sourceLink, type Report } from "./report";
import { Rows } from "./rows";
import { change, heat, heatOf, isBelow, percent, shareOf, sumOf, times } from "./units";

const hottestShown = 10;
const longest = 2000;   // characters of a line: what follows is of generated code, and costs seconds to lay out

interface FileRows {
  file: number;
  numbers: number[];          // line of each row
  texts: string[];
  highlight: Highlighter;
}

function cell(name: string, ...children: (Node | string)[]): HTMLElement {
  return el("span", { role: "gridcell", class: name }, ...children);
}

export class SourceView {
  readonly element: HTMLElement;
  private readonly rows: Rows;
  private readonly heading = el("h2", { class: "path" });
  private readonly note = el("p", { class: "note" });
  private readonly details = el("section", { class: "details", "aria-label": "Line", hidden: true });
  private readonly aside: HTMLElement;
  private readonly isCompared: boolean;
  private opened = 0;  // line whose details are shown
  private shownFile: FileRows = { file: -1, numbers: [], texts: [], highlight: () => [] };

  constructor(private readonly report: Report) {
    this.isCompared = report.profile.against !== null;
    this.rows = new Rows("lines", "grid", "Source with costs; Enter shows a line's details",
      [this.report.profile.recorded ? "Cost" : "Typical", "Share", this.report.hasLines ? "Hits" : "Calls", ...(this.isCompared ? ["Change"] : []), "Line", "Code"], {
        count: () => this.shownFile.numbers.length,
        draw: (index, row) => this.draw(index, row),
        chosen: (index, how) => this.choose(index, how),
      });
    this.aside = el("nav", { class: "aside", "aria-label": "Hottest lines and files" }, ...this.hottest(), ...this.files());
    if (this.isCompared) this.rows.element.classList.add("compared");
    this.element = el("div", { class: "source" }, this.aside,
      el("div", { class: "code" }, this.heading, this.note, this.rows.element, this.details));
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !this.details.hidden) this.close();
    });
  }

  /// `at`: "FILE:LINE", what a link to a line carries; without it the hottest line is brought into sight.
  show(at: string): void {
    const start = this.report.lines.find((line) => this.report.file(line.file)) ?? { file: 0, line: 1 };
    const [file, line] = at ? at.split(":").map(Number) : [this.shownFile.file >= 0 ? this.shownFile.file : start.file, 0];
    const source = this.report.file(file);
    if (!source) return;
    if (file !== this.shownFile.file) this.load(file, source);
    if (line > 0 && line !== this.opened) this.open(line);
    else if (!at && file === start.file && this.rows.active === 0) this.reveal(start.line);
  }

  private load(file: number, { path, text, why }: SourceFile): void {
    const known = this.report.knownLines(file);
    const texts = text?.replace(/\r?\n$/, "").split(/\r?\n/) ?? [];
    const numbers = text === null ? known : texts.map((_, index) => index + 1);
    this.shownFile = { file, numbers, texts, highlight: highlighter(path, texts) };
    this.heading.textContent = shown(path);
    this.note.textContent = text === null ? `Only numbers are shown: ${shown(why || "the source is not there, or has changed since it was measured")}.` : "";
    this.details.hidden = true;
    this.opened = 0;
    this.rows.active = 0;
    this.rows.refresh();
    this.rows.activate(0);
    this.markCurrent(file, 0);
  }

  private reveal(line: number): void {
    const index = this.shownFile.numbers.indexOf(line);
    if (index >= 0) this.rows.activate(index, "centre");
  }

  private open(line: number): void {
    this.opened = line;
    const { file, numbers } = this.shownFile;
    const close = button("Close", () => this.close(), { class: "close" });
    this.details.hidden = false;
    this.details.replaceChildren(close, ...lineDetails(this.report, file, line));
    this.details.scrollTop = 0;
    if (numbers[this.rows.active] === line) this.rows.activate(this.rows.active);
    else this.reveal(line);
    this.markCurrent(file, line);
  }

  private close(): void {
    this.details.hidden = true;
    this.opened = 0;
    history.replaceState(null, "", "#source");  // so that the same link opens the line again
    this.rows.element.focus();
  }

  private choose(index: number, how: "pointer" | "keyboard"): void {
    const { file, numbers } = this.shownFile;
    this.open(numbers[index]);
    location.hash = sourceLink({ file, line: numbers[index] });
    if (how === "keyboard") this.details.querySelector("h2")?.focus();
  }

  private markCurrent(file: number, line: number): void {
    for (const link of this.aside.querySelectorAll("a")) {
      const target = link.getAttribute("href");
      const isCurrent = target === sourceLink({ file, line }) || target === sourceLink({ file, line: 0 });
      if (isCurrent) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  private draw(index: number, row: HTMLElement): void {
    const { file, numbers, texts, highlight } = this.shownFile;
    const number = numbers[index];
    const known = this.report.linesAt(file, number);
    row.append(...(known.length > 0 ? this.costCells(known, row) : this.emptyCells(file, number, row)));
    if (this.isCompared) row.append(cell("change", this.changeOf(file, number)));
    const text = texts[number - 1] ?? "";
    row.append(cell("number", String(number)),
      cell("text", ...highlight(text.length > longest ? `${text.slice(0, longest)}…` : text, number - 1)));
  }

  private costCells(known: Line[], row: HTMLElement): HTMLElement[] {
    const cost = sumOf(known.map((line) => line.cost));
    row.classList.add("known", `warm-${heatOf(cost)}`);
    const told = this.report.units.cost(cost);
    return [
      cell(cost.resolved ? "cost" : "cost muted", isBelow(cost) ? `below resolution ${told}` : told),
      cell("share-cell", shareCell(this.report, cost, this.report.hottest)),
      cell("hits", times(known.reduce((sum, line) => sum + line.hits, 0))),
    ];
  }

  private emptyCells(file: number, number: number, row: HTMLElement): HTMLElement[] {
    const isUnreached = this.report.isUnreached(file, number);
    if (isUnreached) row.classList.add("unreached");
    return [cell("cost", isUnreached ? "not reached" : ""), cell("share-cell"), cell("hits")];
  }

  /// The change against the earlier profile where it is certain; the rest is in the line's details.
  private changeOf(file: number, number: number): HTMLElement | string {
    const compared = this.report.compared(file, number);
    if (!compared || compared.verdict === "same" || compared.verdict === "unresolved") return "";
    const relative = compared.relative?.[0] ?? null;
    return el("span", { class: compared.verdict }, relative === null ? compared.verdict : change(relative));
  }

  private hottest(): HTMLElement[] {
    const items = this.report.lines.filter((line) => this.report.file(line.file)).slice(0, hottestShown).map((line) => {
      const text = this.report.file(line.file)?.text?.split("\n", line.line)[line.line - 1]?.trim() ?? "";
      return el("li", {}, el("a", { href: sourceLink(line) },
        el("span", { class: "at" }, this.report.shortPlace(line)),
        el("span", { class: "share-figure" }, shareOf(line.cost)),
        bar(this.report.knownShare(line.cost) / this.report.hottest, heatOf(line.cost)),
        el("code", {}, shown(text) || shown(line.function))));
    });
    return [el("h2", {}, this.report.hasLines ? "Hottest lines" : "Hottest functions"), el("ol", { class: "hottest" }, ...items)];
  }

  private files(): HTMLElement[] {
    const files = this.report.profile.files
      .map(({ path }, file) => ({ path, file, share: this.report.fileShare(file) }))
      .sort((a, b) => b.share - a.share);
    const items = files.map(({ path, file, share }) => el("li", {}, el("a", { href: sourceLink({ file, line: 0 }) },
      el("span", { class: "at" }, shown(path)), el("span", { class: "share-figure" }, percent(share)), bar(share, heat(share)))));
    return [el("h2", {}, "Files"), el("ul", { class: "files" }, ...items)];
  }
}
