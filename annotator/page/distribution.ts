// SPDX-License-Identifier: Apache-2.0
// Drawings of a line's costs in the rounds: by value and by round. What they show is told in words beside them.
import type { Distribution, Interval } from "./data";
import { el, svg } from "./dom";
import { plural, type Units } from "./units";

const width = 260;
const height = 130;
const left = 8;
const bottom = 20;
const top = 8;

type Scale = (value: number) => number;

function linear(from: number, to: number, start: number, end: number): Scale {
  const span = to - from || 1;
  return (value) => start + ((value - from) / span) * (end - start);
}

function drawing(label: string, ...content: SVGElement[]): SVGSVGElement {
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "drawing", role: "img", "aria-label": label }, ...content);
}

function axis(start: string, end: string): SVGElement[] {
  const y = height - bottom;
  return [
    svg("line", { x1: left, x2: width - left, y1: y, y2: y, class: "axis" }),
    svg("text", { x: left, y: height - 5 }, start),
    svg("text", { x: width - left, y: height - 5, "text-anchor": "end" }, end),
  ];
}

/// Bars by value, over them the cost with its interval.
function byValue(rounds: Distribution, cost: Interval, units: Units): SVGSVGElement {
  const y = linear(0, Math.max(...rounds.bins, 1), height - bottom, top + 14);
  const step = (width - 2 * left) / Math.max(rounds.bins.length, 1);
  const bars = rounds.bins.map((count, bin) =>
    svg("rect", { x: left + bin * step + 0.5, width: Math.max(step - 1, 0.5), y: y(count),
                  height: height - bottom - y(count), class: "bin" }));
  const x = linear(rounds.from, rounds.to, left, width - left);
  const within = (value: number) => Math.min(Math.max(x(value), left), width - left);
  const [value, low, high] = cost;
  const marks: SVGElement[] = [];
  if (low !== null && high !== null)
    marks.push(svg("line", { x1: within(low), x2: within(high), y1: top + 4, y2: top + 4, class: "range" }));
  if (value !== null) marks.push(svg("circle", { cx: within(value), cy: top + 4, r: 3.5, class: "mark" }));
  if (rounds.from < 0 && rounds.to > 0) {
    marks.push(svg("line", { x1: x(0), x2: x(0), y1: top, y2: height - bottom, class: "zero" }));
    const beside = 75;  // as wide as the numbers at the ends are, at most
    if (x(0) > left + beside && x(0) < width - left - beside)
      marks.push(svg("text", { x: x(0), y: height - 5, "text-anchor": "middle" }, "0"));
  }
  const label = `${plural(rounds.count, "round")} by value, from ${units.amount(rounds.from)} to ${units.amount(rounds.to)}; ` +
    `cost with its interval ${units.range(cost)}`;
  return drawing(label, ...bars, ...marks, ...axis(units.amount(rounds.from), units.amount(rounds.to)));
}

/// Least, median and most of each group of rounds, and rings where single rounds lie far out.
function byRound(rounds: Distribution, units: Units): SVGSVGElement {
  const first = rounds.rounds[0][0];
  const last = rounds.rounds[rounds.rounds.length - 1][1];
  const leasts = rounds.rounds.map(([, , least]) => least);
  const mosts = rounds.rounds.map(([, , , , most]) => most);
  const values = rounds.outliers.map(([, value]) => value);
  const least = Math.min(rounds.from, ...leasts, ...values);
  const most = Math.max(rounds.to, ...mosts, ...values);
  const x = linear(first - 0.5, last + 0.5, left, width - left);
  const y = linear(least, most, height - bottom - 4, top + 4);
  const groups = rounds.rounds.flatMap(([from, to, low, median, high]) => {
    const at = x((from + to) / 2);
    return [
      svg("line", { x1: at, x2: at, y1: y(low), y2: y(high), class: "spread" }),
      svg("circle", { cx: at, cy: y(median), r: 2.5, class: "mark" }),
    ];
  });
  const far = rounds.outliers.map(([round, value]) => svg("circle", { cx: x(round), cy: y(value), r: 3.5, class: "outlier" }));
  const label = `By round, ${first} to ${last}: least, median and most of each group; values from ${units.amount(least)} to ` +
    `${units.amount(most)}, ${plural(rounds.outliers.length + rounds.more, "outlier")}`;
  return drawing(label, ...groups, ...far, svg("text", { x: left, y: top + 3 }, units.amount(most)),
    ...axis(`round ${first}`, `round ${last}`));
}

function outliers(rounds: Distribution, units: Units): HTMLElement {
  const count = rounds.outliers.length + rounds.more;
  if (count === 0) return el("p", { class: "muted" }, "No outliers beyond three interquartile ranges.");
  const items = rounds.outliers.map(([round, value]) => el("li", {}, `round ${round}: ${units.amount(value)}`));
  const more = rounds.more > 0 ? el("p", { class: "muted" }, `and ${rounds.more.toLocaleString("en-GB")} nearer ones`) : null;
  return el("details", {}, el("summary", {}, `${plural(count, "outlier")} beyond three interquartile ranges`),
    el("ol", { class: "outliers" }, ...items), more);
}

export function distribution(rounds: Distribution, cost: Interval, units: Units): HTMLElement[] {
  const note = rounds.from < 0 ? el("p", { class: "muted" }, "A round is a difference of two noisy times: single ones may lie below 0.") : null;
  const caption = `By value, ${plural(rounds.count, "round")}`;
  const figures = [el("div", {}, el("figure", {}, el("figcaption", {}, caption), byValue(rounds, cost, units)), note)];
  if (rounds.rounds.length > 0)
    figures.push(el("div", {}, el("figure", {}, el("figcaption", {}, "By round: least, median, most"), byRound(rounds, units)),
      outliers(rounds, units)));
  return figures;
}
