// SPDX-License-Identifier: Apache-2.0
// A long list of rows of equal height, of which only those are in the document that are seen. One row is active: arrow
// keys move it, and it is what a screen reader reads.
import { el } from "./dom";

export const rowHeight = 20;
const margin = 12;          // rows drawn beyond what is seen, so that a slow frame shows no gap
const printed = 5000;       // rows at most on paper

export interface RowSource {
  count(): number;
  /// A row's cells; classes and attributes go onto `row`.
  draw(index: number, row: HTMLElement): void;
  /// A row was clicked, or Enter was pressed on it.
  chosen(index: number, how: "pointer" | "keyboard"): void;
  /// Other keys; true: taken.
  key?(index: number, event: KeyboardEvent): boolean;
}

export class Rows {
  readonly element: HTMLElement;
  active = 0;
  private readonly room = el("div", { class: "room", role: "rowgroup" });
  private readonly drawn = new Map<number, HTMLElement>();
  private readonly source: RowSource;
  private readonly id: string;
  private isPrinting = false;
  private isAsked = false;

  constructor(id: string, role: "grid" | "treegrid", label: string, titles: string[], source: RowSource) {
    this.id = id;
    this.source = source;
    const header = el("div", { class: "row header", role: "row", "aria-rowindex": 1 },
      ...titles.map((title) => el("span", { role: "columnheader" }, title)));
    this.element = el("div", { class: `rows ${id}`, role, tabindex: 0, "aria-label": label },
      el("div", { role: "rowgroup", class: "head" }, header), this.room);
    this.element.addEventListener("scroll", () => this.ask(), { passive: true });
    this.element.addEventListener("keydown", (event) => this.pressed(event));
    this.room.addEventListener("click", (event) => this.clicked(event));
    new ResizeObserver(() => this.ask()).observe(this.element);
    window.addEventListener("beforeprint", () => this.print(true));
    window.addEventListener("afterprint", () => this.print(false));
  }

  /// After the source has changed.
  refresh(): void {
    for (const row of this.drawn.values()) row.remove();
    this.drawn.clear();
    const count = this.source.count();
    this.room.style.height = `${count * rowHeight}px`;
    this.element.setAttribute("aria-rowcount", String(count + 1));
    this.active = Math.min(this.active, Math.max(count - 1, 0));
    this.draw();
  }

  /// Makes a row active and brings it into sight.
  activate(index: number, where: "nearest" | "centre" = "nearest"): void {
    const count = this.source.count();
    if (count === 0) return;
    this.active = Math.min(Math.max(index, 0), count - 1);
    const top = this.active * rowHeight;
    const seen = this.seen();
    if (where === "centre") this.element.scrollTop = top - seen / 2;
    else if (top < this.element.scrollTop) this.element.scrollTop = top;
    else if (top + rowHeight > this.element.scrollTop + seen) this.element.scrollTop = top + rowHeight - seen;
    this.draw();
  }

  private seen(): number {
    return Math.max(this.element.clientHeight - rowHeight, rowHeight);  // the header stays on top
  }

  private ask(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      this.draw();
    });
  }

  private draw(): void {
    const count = this.source.count();
    let first = Math.max(0, Math.floor(this.element.scrollTop / rowHeight) - margin);
    let last = Math.min(count, Math.ceil((this.element.scrollTop + this.seen()) / rowHeight) + margin);
    if (this.isPrinting) [first, last] = [0, Math.min(count, printed)];
    for (const [index, row] of this.drawn)
      if (index < first || index >= last) {
        row.remove();
        this.drawn.delete(index);
      }
    for (let index = first; index < last; ++index) if (!this.drawn.has(index)) this.add(index);
    this.mark();
  }

  private add(index: number): void {
    const row = el("div", { class: "row", role: "row", id: `${this.id}-${index}`, "aria-rowindex": index + 2 });
    row.style.top = `${index * rowHeight}px`;
    this.source.draw(index, row);
    this.drawn.set(index, row);
    this.room.append(row);
  }

  private mark(): void {
    for (const [index, row] of this.drawn) {
      row.classList.toggle("active", index === this.active);
      if (index === this.active) row.setAttribute("aria-selected", "true");
      else row.removeAttribute("aria-selected");
    }
    if (this.drawn.has(this.active)) this.element.setAttribute("aria-activedescendant", `${this.id}-${this.active}`);
    else this.element.removeAttribute("aria-activedescendant");
  }

  private clicked(event: Event): void {
    const row = (event.target as Element).closest<HTMLElement>(".row");
    if (!row || (event.target as Element).closest("a")) return;
    this.activate(Number(row.id.slice(this.id.length + 1)));
    this.source.chosen(this.active, "pointer");
  }

  private pressed(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target !== this.element) return;
    const page = Math.max(1, Math.floor(this.seen() / rowHeight) - 1);
    const moves: Record<string, number> = {
      ArrowDown: this.active + 1, ArrowUp: this.active - 1, PageDown: this.active + page, PageUp: this.active - page,
      Home: 0, End: this.source.count() - 1,
    };
    if (event.key in moves) this.activate(moves[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.source.chosen(this.active, "keyboard");
    else if (!this.source.key?.(this.active, event)) return;
    event.preventDefault();
  }

  private print(isPrinting: boolean): void {
    this.isPrinting = isPrinting;
    if (this.element.offsetParent !== null) this.draw();
  }
}
