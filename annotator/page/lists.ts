// SPDX-License-Identifier: Apache-2.0
// The views that are tables: functions, loops, paths and edges, threads.
import type { Edge, Func, Loop, Path, Thread } from "./data";
import { costCell, nameAt, placeLink, shareCell } from "./cells";
import { el, shown } from "./dom";
import type { Report } from "./report";
import { sortedTable, type Column } from "./table";
import { percent, plural, times } from "./units";

function largest(report: Report, rows: { cost: Func["exclusive"] }[]): number {
  return Math.max(1e-9, ...rows.slice(0, 1000).map(({ cost }) => report.knownShare(cost)));
}

function slowCalls(report: Report, { slow }: Func): HTMLElement | string {
  if (!slow || slow.length === 0) return "";
  const items = slow.map(([thread, at, ticks]) =>
    el("li", {}, `${report.units.amount(ticks)} at ${report.units.amount(at)}, thread ${shown(report.profile.threads?.[thread]?.name ?? "")}`));
  return el("details", {}, el("summary", {}, `slowest ${slow.length}`), el("ol", {}, ...items));
}

export function functionsView(report: Report): HTMLElement {
  const { functions } = report.profile;
  const { units } = report;
  const most = largest(report, functions.map(({ exclusive }) => ({ cost: exclusive })));
  const columns: Column<Func>[] = [
    { title: "Function", cell: (row) => nameAt(report, row.name, row), by: (row) => row.name },
    { title: "Own cost", cell: (row) => costCell(report, row.exclusive), by: (row) => row.exclusive.ticks[0] ?? 0, isNumber: true },
    { title: "Own share", cell: (row) => shareCell(report, row.exclusive, most), by: (row) => report.knownShare(row.exclusive), isNumber: true },
    { title: "With calls", cell: (row) => costCell(report, row.inclusive), by: (row) => row.inclusive.ticks[0] ?? 0, isNumber: true },
    { title: "Share", cell: (row) => shareCell(report, row.inclusive, 1), by: (row) => report.knownShare(row.inclusive), isNumber: true },
    { title: "Calls", cell: (row) => times(row.calls), by: (row) => row.calls, isNumber: true },
  ];
  if (!functions.some(({ each }) => each))
    columns.push({ title: "Each call", cell: (row) => (row.calls > 0 ? units.each(row.inclusive, row.calls) : ""),
      by: (row) => (row.inclusive.ticks[0] ?? 0) / Math.max(row.calls, 1), isNumber: true });
  else
    columns.push(
      { title: "Median", cell: ({ each }) => (each ? units.amount(each.q50) : ""), by: ({ each }) => each?.q50 ?? 0, isNumber: true },
      { title: "99 of 100", cell: ({ each }) => (each ? units.amount(each.q99) : ""), by: ({ each }) => each?.q99 ?? 0, isNumber: true },
      { title: "Most", cell: ({ each }) => (each ? units.amount(each.most) : ""), by: ({ each }) => each?.most ?? 0, isNumber: true });
  if (functions.some(({ away }) => away))
    columns.push({ title: "Away", cell: ({ away }) => (away ? units.amount(away) : ""), by: ({ away }) => away ?? 0, isNumber: true });
  if (functions.some(({ slow }) => slow && slow.length > 0))
    columns.push({ title: "Slow calls", cell: (row) => slowCalls(report, row) });
  return el("div", { class: "padded" }, sortedTable(functions, columns, {
    caption: "Functions", thing: "function", sortedBy: 2, text: (row) => `${shown(row.name)} ${report.path(row.file)}` }));
}

export function loopsView(report: Report): HTMLElement {
  const { loops } = report.profile;
  const most = largest(report, loops);
  const columns: Column<Loop>[] = [
    { title: "Line", cell: (row) => placeLink(report, row), by: (row) => report.shortPlace(row) },
    { title: "Function", cell: (row) => shown(row.function), by: (row) => row.function },
    { title: "Cost", cell: (row) => costCell(report, row.cost), by: (row) => row.cost.ticks[0] ?? 0, isNumber: true },
    { title: "Share", cell: (row) => shareCell(report, row.cost, most), by: (row) => report.knownShare(row.cost), isNumber: true },
    { title: "Begun", cell: (row) => times(row.entries), by: (row) => row.entries, isNumber: true },
    { title: "Passes", cell: (row) => times(row.passes), by: (row) => row.passes, isNumber: true },
    { title: "A pass", cell: (row) => (row.passes > 0 ? report.units.each(row.cost, row.passes) : ""),
      by: (row) => (row.cost.ticks[0] ?? 0) / Math.max(row.passes, 1), isNumber: true },
  ];
  return el("div", { class: "padded" },
    el("p", { class: "note" }, "A loop's cost holds all that it calls and the loops within it."),
    sortedTable(loops, columns, { caption: "Loops", thing: "loop", sortedBy: 3, text: (row) => `${shown(row.function)} ${report.path(row.file)}` }));
}

function pathsTable(report: Report): HTMLElement {
  const inputs = ({ inputs: first, more }: Path) =>
    el("span", { class: "inputs" }, first.map(([bytes, kind]) => shown(kind ? `${bytes} (${kind})` : bytes)).join(", ") + (more > 0 ? ` and ${more.toLocaleString("en-GB")} more` : ""));
  const columns: Column<Path>[] = [
    { title: "Rate", cell: (row) => percent(row.rate), by: (row) => row.rate, isNumber: true },
    { title: "Total", cell: (row) => report.units.interval(row.total), by: (row) => row.total?.[0] ?? 0, isNumber: true },
    { title: "Events", cell: (row) => row.events.toLocaleString("en-GB"), by: (row) => row.events, isNumber: true },
    { title: "Inputs that take it", cell: inputs },
  ];
  return sortedTable(report.profile.paths, columns, { caption: "Paths", thing: "path", sortedBy: 0 });
}

function edgesTable(report: Report): HTMLElement {
  const { units } = report;
  const toPlace = ({ to_file, to }: Edge) => ({ file: to_file, line: to });
  const spread = ({ q05, q95 }: Edge) => (q05 === null || q95 === null ? "" : `${units.amount(q05)} to ${units.amount(q95)}`);
  const columns: Column<Edge>[] = [
    { title: "From", cell: (row) => placeLink(report, row), by: (row) => report.shortPlace(row) },
    { title: "To", cell: (row) => (row.to > 0 ? placeLink(report, toPlace(row)) : "end of the command"),
      by: (row) => report.shortPlace(toPlace(row)) },
    { title: "Function", cell: (row) => shown(row.function), by: (row) => row.function },
    { title: "Rate", cell: (row) => percent(row.rate), by: (row) => row.rate, isNumber: true },
    { title: "Times", cell: (row) => times(row.count), by: (row) => row.count, isNumber: true },
    { title: "Cost", cell: ({ ticks }) => (ticks ? units.interval(ticks) : el("span", { class: "muted" }, "not measured")),
      by: ({ ticks }) => ticks?.[0] ?? 0, isNumber: true },
    { title: "Mean", cell: (row) => (row.mean === null ? "" : units.amount(row.mean)), by: (row) => row.mean ?? 0, isNumber: true },
    { title: "90 of 100 rounds", cell: spread, isNumber: true },
  ];
  return sortedTable(report.profile.edges, columns, {
    caption: "Edges", thing: "edge", sortedBy: 5, text: (row) => `${shown(row.function)} ${report.path(row.file)}` });
}

export function pathsView(report: Report): HTMLElement {
  const view = el("div", { class: "padded" });
  if (report.profile.paths.length > 0)
    view.append(el("h2", {}, "Paths"),
      el("p", { class: "note" }, "Ways that the command takes through the code, and the part of the traced runs that takes each. Source, functions and loops are of the most frequent one."),
      pathsTable(report));
  if (report.profile.edges.length > 0)
    view.append(el("h2", {}, "Edges"),
      el("p", { class: "note" }, "From one trap straight to the next, over all paths."), edgesTable(report));
  return view;
}

/// Times that the system tells. They are in ns even where the rest is in cycles.
function milliseconds(title: string, of: (row: Thread) => number | undefined): Column<Thread> {
  const text = (ns: number | undefined) => ns === undefined ? "" : `${(ns / 1e6).toLocaleString("en-GB", { maximumSignificantDigits: 3 })} ms`;
  return { title, cell: (row) => text(of(row)), by: (row) => of(row) ?? -1, isNumber: true };
}

export function threadsView(report: Report): HTMLElement {
  const { units } = report;
  const threads = report.profile.threads ?? [];
  const columns: Column<Thread>[] = [
    { title: "Thread", cell: (row) => shown(row.name), by: (row) => row.name },
    { title: "Recorded", cell: (row) => units.amount(row.recorded), by: (row) => row.recorded, isNumber: true },
    { title: "Away", cell: (row) => (row.away === undefined ? "" : units.amount(row.away)), by: (row) => row.away ?? -1, isNumber: true },
    milliseconds("On a processor", (row) => row.running),
    milliseconds("Waiting for one", (row) => row.waiting),
    { title: "Events", cell: (row) => row.events.toLocaleString("en-GB"), by: (row) => row.events, isNumber: true },
    { title: "Lost", cell: (row) => row.lost.toLocaleString("en-GB"), by: (row) => row.lost, isNumber: true },
    { title: "Paused", cell: (row) => units.amount(row.paused), by: (row) => row.paused, isNumber: true },
    { title: "In gaps", cell: (row) => units.amount(row.gap), by: (row) => row.gap, isNumber: true },
    { title: "Outside", cell: (row) => units.amount(row.outside), by: (row) => row.outside, isNumber: true },
  ];
  const lost = threads.reduce((sum, thread) => sum + thread.lost, 0);
  return el("div", { class: "padded" },
    el("p", { class: "note" }, lost > 0 ? `${plural(lost, "event")} were lost: what lies in gaps belongs to no call.` : "No event was lost."),
    sortedTable(threads, columns, { caption: "Threads", thing: "thread", sortedBy: 1 }));
}
