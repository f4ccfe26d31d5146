// SPDX-License-Identifier: Apache-2.0
// The call tree as a flame graph, roots on top: width is cost with all calls, colour the cost of a frame itself. By keyboard the
// arrow keys go from frame to frame; the call tree tells the same to a screen reader.
import { select, selection } from "d3-selection";
import flamegraph, { type FlameGraph, type Frame } from "d3-flame-graph";
import type { Place } from "./data";
import { placeLink } from "./cells";
import { button, el } from "./dom";
import type { Report } from "./report";
import { percent, plural, times } from "./units";

const deepest = 200;      // levels drawn: deeper ones are in the call tree
const narrowest = 1.5;    // pixels of a frame: the narrower ones cannot be told apart

interface Call {
  name: string;
  value: number;      // with all calls
  own: number;
  calls: number;      // 0: a line
  place: Place;
  children: Call[];
}

function callOf(report: Report, node: number, depth: number): Call {
  const [, , , calls, exclusive, inclusive, lines] = report.profile.tree.nodes[node];
  const call: Call = { name: report.nodeName(node), value: inclusive, own: exclusive, calls, place: report.nodePlace(node), children: [] };
  if (depth >= deepest) return call;
  call.children = report.children[node].map((child) => callOf(report, child, depth + 1));
  for (const [file, line, cost] of lines) {
    const place = { file, line };
    if (cost > 0) call.children.push({ name: report.shortPlace(place), value: cost, own: cost, calls: 0, place, children: [] });
  }
  return call;
}

function rootOf(report: Report): Call {
  const roots = report.roots.map((root) => callOf(report, root, 1));
  if (roots.length === 1) return roots[0];
  return { name: "all threads", value: report.treeTotal, own: 0, calls: 0, place: { file: -1, line: 0 }, children: roots };
}

/// d3-flame-graph lets new frames grow whatever duration it is given: here all is at once what it would become.
function stopTransitions(): void {
  const atOnce = function <S>(this: S): S {
    return this;
  };
  Object.assign(selection.prototype, { transition: atOnce, duration: atOnce, delay: atOnce, ease: atOnce });
}

export class FlameView {
  readonly element: HTMLElement;
  private readonly room = el("div", { class: "flame", tabindex: 0, role: "group",
    "aria-label": "Flame graph. Arrow keys go from frame to frame, Enter zooms in, Escape zooms out. The call tree shows the same as a list." });
  private readonly said = el("p", { class: "said", role: "status" });
  private readonly found = el("span", { class: "muted", role: "status" });
  private readonly chart: FlameGraph<Call>;
  private current: Frame<Call> | null = null;
  private readonly mostOwn: number;
  private width = 0;

  constructor(private readonly report: Report) {
    const field = el("input", { type: "search", autocomplete: "off", spellcheck: "false" });
    field.addEventListener("input", () => this.search(field.value.trim()));
    this.element = el("div", { class: "padded" },
      el("div", { class: "tools" }, el("label", { class: "filter" }, "Search functions", field), this.found,
        button("Reset zoom", () => this.zoom(this.root()))),
      this.said, this.room,
      el("p", { class: "muted" }, "Width: cost with all calls. Colour: own cost, the strongest that of the costliest frame. ",
        el("a", { href: "#tree" }, "The call tree"), " shows the same as a list."));
    this.mostOwn = Math.max(1e-9, report.profile.tree.nodes.reduce((most, node) => Math.max(most, node[4]), 0));
    this.chart = this.makeChart();
    this.room.addEventListener("keydown", (event) => this.pressed(event));
    new ResizeObserver(() => this.fit()).observe(this.room);
  }

  show(): void {
    this.fit();
  }

  private makeChart(): FlameGraph<Call> {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) stopTransitions();
    return flamegraph<Call>()
      .cellHeight(22).minFrameSize(narrowest).inverted(true).resetHeightOnZoom(true)
      .transitionDuration(200)
      .sort((a, b) => b.data.value - a.data.value)
      .setColorMapper((frame) => frame.highlight ? "var(--match)" : `var(--flame-${Math.ceil(5 * Math.sqrt(frame.data.own / this.mostOwn))})`)
      .setLabelHandler((frame) => this.words(frame))
      .setDetailsHandler(() => {})
      .setSearchMatch((frame, term) => frame.data.name.toLowerCase().includes(term))
      .setSearchHandler((frames, sum) => {
        this.found.textContent = `${plural(frames.length, "frame")}, ${percent(this.report.treeShare(sum))} of all`;
      })
      .onHover((frame) => this.tell(frame))
      .onClick((frame) => this.go(frame));
  }

  private fit(): void {
    const width = this.room.clientWidth;
    if (width === 0 || width === this.width) return;
    const isNew = this.width === 0;
    this.width = width;
    this.chart.width(width);
    if (isNew) {
      this.chart(select(this.room).datum(rootOf(this.report)));
      this.room.querySelector("svg")!.setAttribute("aria-hidden", "true");
      this.go(this.root());
    } else {
      this.chart.update();
    }
  }

  private root(): Frame<Call> {
    return select<HTMLElement, Frame<Call>>(this.room).datum();
  }

  private words({ data }: Frame<Call>): string {
    const { units } = this.report;
    const share = percent(this.report.treeShare(data.value));
    const own = data.children.length > 0 ? `, own ${units.amount(data.own)}` : "";
    return `${data.name}: ${units.amount(data.value)} (${share})${own}${data.calls > 0 ? `, ${times(data.calls)}` : ""}`;
  }

  private tell(frame: Frame<Call>): void {
    const place = placeLink(this.report, frame.data.place);
    this.said.replaceChildren(this.words(frame), " ", typeof place === "string" ? "" : place);
  }

  /// Makes a frame the one that keys start from.
  private go(frame: Frame<Call>): void {
    this.current = frame;
    this.tell(frame);
    select(this.room).selectAll<SVGGElement, Frame<Call>>("g").classed("current", (drawn) => drawn === frame);
  }

  private zoom(frame: Frame<Call>): void {
    this.chart.zoomTo(frame);
    this.room.scrollTop = 0;
  }

  private search(term: string): void {
    if (term) this.chart.search(term.toLowerCase());
    else {
      this.chart.clear();
      this.found.textContent = "";
    }
    if (this.current) this.go(this.current);
  }

  private pressed(event: KeyboardEvent): void {
    const { current } = this;
    if (!current || event.target !== this.room) return;
    const beside = (step: number) => {
      const siblings = (current.parent?.children ?? []).filter((frame) => frame.x1 > frame.x0);
      return siblings[siblings.indexOf(current) + step];
    };
    const targets: Record<string, () => Frame<Call> | null | undefined> = {
      ArrowUp: () => current.parent,
      ArrowDown: () => current.children?.find((frame) => frame.x1 > frame.x0),
      ArrowLeft: () => beside(-1),
      ArrowRight: () => beside(1),
    };
    if (event.key in targets) {
      const target = targets[event.key]();
      if (target) this.go(target);
    } else if (event.key === "Enter") this.zoom(current);
    else if (event.key === "Escape") this.zoom(this.root());
    else return;
    event.preventDefault();
  }
}
