// SPDX-License-Identifier: Apache-2.0
// All that is known of one line.
import { verdictMark } from "./comparison";
import type { Compared, Line, Loop } from "./data";
import { averagePairs, eachPairs, nameAt } from "./cells";
import { distribution } from "./distribution";
import { el, pairs, shown, type Child } from "./dom";
import type { Relation, Report } from "./report";
import { isBelow, percent, plural, shareOf, signedPercent, times } from "./units";

function costPairs(report: Report, line: Line): [string, Child][] {
  const { units } = report;
  const { cost, hits } = line;
  const inTime = units.asTime(cost.ticks[0]);
  const entries: [string, Child][] = [
    [report.profile.recorded ? "Cost" : "Typical cost", isBelow(cost) ? `below resolution, ${units.cost(cost)}` : units.cost(cost)],
    ["95 % interval", units.range(cost.ticks)],
    ["Share", shareOf(cost)],
    [report.hasLines ? "Hits" : "Calls", times(hits)],
  ];
  if (cost.share[1] !== null && cost.share[2] !== null && cost.share[1] !== cost.share[2])
    entries.splice(3, 0, ["Share, 95 %", `${percent(cost.share[1])} to ${percent(cost.share[2])}`]);
  if (inTime && cost.resolved) entries.splice(1, 0, ["In time", inTime]);
  if (line.averages) entries.push(...averagePairs(report, line.averages));
  if (hits > 1 && !(line.each && !report.hasLines)) entries.push([report.hasLines ? "Each hit" : "Each call", units.each(cost, hits)]);
  return entries;
}

function relations(report: Report, title: string, found: Relation[], none: string): HTMLElement {
  const list = el("ul", { class: "relations" });
  for (const { name, place, calls, ticks, isOfLine } of found.slice(0, 100)) {
    const cost = ticks > 0 ? `${report.units.amount(ticks)} (${percent(report.treeShare(ticks))}), ` : "";
    const at = place.line > 0 && report.file(place.file) ? ` ${report.shortPlace(place)}` : "";
    list.append(el("li", {}, nameAt(report, name, place), el("span", { class: "muted" }, `${at} · ${cost}${times(calls)}${isOfLine ? "" : ", from any line of the function"}`)));
  }
  return el("div", {}, el("h3", {}, title), found.length > 0 ? list : el("p", { class: "muted" }, none));
}

function loops(report: Report, found: Loop[]): HTMLElement | null {
  if (found.length === 0) return null;
  const told = found.map((loop) => el("li", {},
    `${report.units.cost(loop.cost)} with all that it calls, begun ${times(loop.entries)}, ` +
    `${plural(loop.passes, "pass", "passes")}${loop.passes > 0 ? `, ${report.units.each(loop.cost, loop.passes)} each` : ""}`));
  return el("div", {}, el("h3", {}, "Loop of this line"), el("ul", { class: "relations" }, ...told));
}

function comparedPairs(report: Report, row: Compared): [string, Child][] {
  const { units } = report;
  const entries: [string, Child][] = [["Verdict", verdictMark(row.verdict)]];
  if (row.before) entries.push(["Before", units.cost(row.before)]);
  if (row.difference && row.difference[0] !== null)
    entries.push(["Difference", `${units.signed(row.difference)}${row.relative ? `, ${signedPercent(row.relative)}` : ""}`]);
  return entries;
}

function withoutDistribution({ rounds, cost }: Line): string {
  if (rounds === null) return "The distribution of this line was left out: it is among the coldest.";
  const [value, low, high] = cost.ticks;
  return value !== null && low === high ? "The same in each round." : "Single rounds tell nothing of this line: none measured it, or all agree.";
}

function ofEntry(report: Report, line: Line): HTMLElement[] {
  const facts = el("div", { class: "facts" }, el("h3", {}, shown(line.function)), pairs(costPairs(report, line)));
  if (line.each) facts.append(el("h3", {}, report.hasLines ? "Each pass" : "Each call, with what it calls"), pairs(eachPairs(report, line.each)));
  const compared = report.compared(line.file, line.line);
  if (compared) facts.append(el("h3", {}, "Compared"), pairs(comparedPairs(report, compared)));
  const drawn = line.rounds ? distribution(line.rounds, line.cost.ticks, report.units) : [];
  if (drawn.length === 0 && !report.profile.recorded) drawn.push(el("p", { class: "muted" }, withoutDistribution(line)));
  const ways = el("div", { class: "ways" },
    relations(report, "Called from", report.callers(line), "Its function is where the command begins, or its callers are not known."),
    relations(report, "Calls", report.callees(line), "Nothing that was measured by itself."),
    loops(report, report.loopsAt(line.file, line.line)));
  return [facts, ...drawn, ways];
}

/// The panel's content, its heading first.
export function lineDetails(report: Report, file: number, line: number): HTMLElement[] {
  const heading = el("h2", { tabindex: -1 }, `${report.path(file)}:${line}`);
  const known = report.linesAt(file, line);
  if (known.length > 0) return [heading, ...known.map((entry) => el("div", { class: "columns" }, ...ofEntry(report, entry)))];
  const said = report.isUnreached(file, line)
    ? "Not reached: no trap of this line was passed by the command under study."
    : "Nothing was measured here: the line has no statement of its own, lies on another path, or is no part of what was measured.";
  return [heading, el("p", {}, said)];
}
