// SPDX-License-Identifier: Apache-2.0
// The call tree as rows that open; what is hot is open from the beginning.
import { placeLink } from "./cells";
import { bar, el } from "./dom";
import type { Report } from "./report";
import { Rows } from "./rows";
import { heat, percent, times } from "./units";

const openShare = 0.05;   // calls that cost so much are open in the beginning
const indent = 16;

interface Entry {
  node: number;
  level: number;
  position: number;
  size: number;     // of its siblings and itself
}

export class TreeView {
  readonly element: HTMLElement;
  private readonly rows: Rows;
  private readonly open = new Set<number>();
  private entries: Entry[] = [];

  constructor(private readonly report: Report) {
    this.rows = new Rows("calls", "treegrid", "Call tree", ["Function", "With calls", "Share", "Own", "Calls", "Called at"], {
      count: () => this.entries.length,
      draw: (index, row) => this.draw(index, row),
      chosen: (index) => this.toggle(index),
      key: (index, event) => this.pressed(index, event),
    });
    const { nodes, left_out } = report.profile.tree;
    let hot = report.roots;
    while (hot.length > 0) {
      for (const node of hot) this.open.add(node);
      hot = hot.flatMap((node) => report.children[node]).filter((node) => nodes[node][5] >= openShare * report.treeTotal);
    }
    const note = left_out > 0 ? `${left_out.toLocaleString("en-GB")} calls are left out (see the warnings).` : "";
    this.element = el("div", { class: "filled" },
      el("p", { class: "note" }, "Right and left arrow open and close a call, Enter does either, * opens all below it. ", note),
      this.rows.element);
    this.list();
  }

  show(): void {
    this.rows.refresh();
  }

  private list(): void {
    this.entries = [];
    const add = (siblings: number[], level: number) => {
      for (let at = siblings.length - 1; at >= 0; --at)
        waiting.push({ node: siblings[at], level, position: at + 1, size: siblings.length });
    };
    const waiting: Entry[] = [];
    add(this.report.roots, 1);
    for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
      this.entries.push(entry);
      if (this.open.has(entry.node)) add(this.report.children[entry.node], entry.level + 1);
    }
  }

  private relist(): void {
    this.list();
    this.rows.refresh();
  }

  private toggle(index: number): void {
    const { node } = this.entries[index];
    if (this.report.children[node].length === 0) return;
    if (!this.open.delete(node)) this.open.add(node);
    this.relist();
  }

  private pressed(index: number, event: KeyboardEvent): boolean {
    const { node, level } = this.entries[index];
    const hasChildren = this.report.children[node].length > 0;
    const isOpen = this.open.has(node) && hasChildren;
    if (event.key === "ArrowRight") {
      if (isOpen) this.rows.activate(index + 1);
      else if (hasChildren) this.toggle(index);
    } else if (event.key === "ArrowLeft") {
      if (isOpen) this.toggle(index);
      else if (level > 1) this.rows.activate(this.parentOf(index));
    } else if (event.key === "*") {
      this.openAll(node);
    } else {
      return false;
    }
    return true;
  }

  private parentOf(index: number): number {
    const { level } = this.entries[index];
    while (this.entries[index].level >= level) --index;
    return index;
  }

  private openAll(node: number): void {
    const waiting = [node];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      this.open.add(at);
      waiting.push(...this.report.children[at]);
    }
    this.relist();
  }

  private draw(index: number, row: HTMLElement): void {
    const { node, level, position, size } = this.entries[index];
    const [, parent, fromLine, calls, exclusive, inclusive] = this.report.profile.tree.nodes[node];
    const { units } = this.report;
    const hasChildren = this.report.children[node].length > 0;
    const isOpen = this.open.has(node);
    row.setAttribute("aria-level", String(level));
    row.setAttribute("aria-posinset", String(position));
    row.setAttribute("aria-setsize", String(size));
    if (hasChildren) row.setAttribute("aria-expanded", String(isOpen));
    const share = this.report.treeShare(inclusive);
    const cell = (name: string, ...children: (Node | string | null)[]) =>
      el("span", { role: "gridcell", class: name }, ...children);
    const name = cell("name", el("span", { class: "sign", "aria-hidden": "true" }, !hasChildren ? "" : isOpen ? "▾" : "▸"),
      this.report.nodeName(node));
    name.style.paddingInlineStart = `${8 + (Math.min(level, 40) - 1) * indent}px`;
    const from = parent >= 0 && fromLine > 0 ? { file: this.report.nodePlace(parent).file, line: fromLine } : null;
    const at = from ? placeLink(this.report, from) : null;
    if (at instanceof HTMLElement) at.tabIndex = -1;   // Rows are one stop for the tab key; the line is in the source view too.
    row.append(name, cell("cost", units.amount(inclusive)),
      cell("share-cell", el("span", { class: "share" }, bar(share, heat(share)), percent(share))),
      cell("cost", units.amount(exclusive)), cell("hits", times(calls)), cell("at", at || null));
  }
}
