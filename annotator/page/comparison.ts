// SPDX-License-Identifier: Apache-2.0
// This profile beside the one it is compared with: totals, then lines and functions with the interval of the difference.
import type { Against, Compared, Cost, Interval, Verdict } from "./data";
import { costCell, nameAt, placeLink } from "./cells";
import { el, pairs, shown, svg, type Child } from "./dom";
import type { Report } from "./report";
import { sortedTable, type Column } from "./table";
import { change, signedPercent } from "./units";

/// Sign, and what the word means (docs/report.md).
const verdicts: Record<Verdict, [sign: string, meaning: string]> = {
  slower: ["▲", "it takes longer than before, by more than chance and another session may bring"],
  faster: ["▼", "it takes less than before, by more than chance and another session may bring"],
  same: ["=", "the interval of the difference lies within what would not matter"],
  unresolved: ["?", "the measurement does not tell"],
  new: ["+", "not in the earlier profile"],
  gone: ["−", "only in the earlier profile"],
};
const order: Verdict[] = ["slower", "faster", "new", "gone", "unresolved", "same"];

export function verdictMark(name: Verdict): HTMLElement {
  return el("span", { class: `verdict ${name}`, title: verdicts[name][1] },
    el("span", { "aria-hidden": "true" }, `${verdicts[name][0]} `), name);
}

/// An unknown difference counts as none: a line that is unreliable now did not become faster by all that it took.
function differenceOf({ difference, before, after }: Compared): number {
  return difference?.[0] ?? (before && after ? 0 : after?.ticks[0] ?? -(before?.ticks[0] ?? 0));
}

/// Null where its interval is wider than the cost before: such a figure says nothing.
function relativeOf({ relative }: Compared): Interval | null {
  if (!relative || relative[1] === null || relative[2] === null) return null;
  return relative[2] - relative[1] > 2 ? null : relative;
}

/// The relative difference with its interval, around a line that stands for none; `most` reaches the edge.
function relativeDrawing(row: Compared, most: number): Child {
  const [value, low, high] = relativeOf(row) ?? [null, null, null];
  if (value === null) return null;
  const half = 60;
  const x = (relative: number) => half + Math.max(-1, Math.min(1, relative / most)) * (half - 4);
  const at = x(value);
  return svg("svg", { viewBox: `0 0 ${2 * half} 16`, class: `change ${row.verdict}`, "aria-hidden": "true" },
    svg("line", { x1: half, x2: half, y1: 0, y2: 16, class: "axis" }),
    svg("rect", { x: Math.min(half, at), width: Math.abs(at - half), y: 5, height: 6 }),
    low === null || high === null ? null : svg("line", { x1: x(low), x2: x(high), y1: 8, y2: 8, class: "interval" }));
}

function columns(report: Report, rows: Compared[], titles: Column<Compared>[]): Column<Compared>[] {
  const cost = (known: Cost | null): Child => (known ? costCell(report, known) : el("span", { class: "muted" }, "not there"));
  const judged = rows.filter(({ verdict }) => verdict === "slower" || verdict === "faster").slice(0, 1000);
  const most = Math.max(0.1, ...judged.map(({ relative }) => Math.min(1, Math.abs(relative?.[0] ?? 0))));
  const size = (row: Compared) => Math.abs(differenceOf(row));
  return [
    { title: "Verdict", cell: (row) => verdictMark(row.verdict), by: (row) => order.indexOf(row.verdict) },
    ...titles,
    { title: "Before", cell: (row) => cost(row.before), by: (row) => row.before?.ticks[0] ?? 0, isNumber: true },
    { title: "After", cell: (row) => cost(row.after), by: (row) => row.after?.ticks[0] ?? 0, isNumber: true },
    { title: "Difference", cell: (row) => report.units.signed(row.difference), by: size, isNumber: true },
    { title: "Relative", cell: (row) => signedPercent(relativeOf(row)), by: (row) => row.relative?.[0] ?? 0, isNumber: true },
    { title: "Less or more", cell: (row) => relativeDrawing(row, most) },
  ];
}

function counts(rows: Compared[]): string {
  const told = order.map((name) => [name, rows.filter((row) => row.verdict === name).length] as const);
  return told.filter(([, count]) => count > 0).map(([name, count]) => `${count} ${name}`).join(", ");
}

function totals(report: Report, against: Against): HTMLElement {
  const { profile, units } = report;
  const [before, after] = [against.total?.[0], profile.total?.[0]];
  const card = (title: string, total: string, said: string) =>
    el("div", { class: "card" }, el("h3", {}, title), el("p", { class: "big" }, total), el("p", { class: "muted" }, said));
  const cards = el("div", { class: "cards" }, card("Before", units.interval(against.total), shown(against.project)),
    card("After", units.interval(profile.total), shown(profile.project)));
  if (before && after)
    cards.append(card("Totals differ by", change(after / before - 1), "as measured: what is certain stands below"));
  return cards;
}

/// Facts that are not the same in both: another device or another clock explains a difference.
function otherFacts(report: Report, against: Against): HTMLElement | null {
  const now = new Map(report.profile.facts);
  const before = new Map(against.facts);
  const words = [...new Set([...before.keys(), ...now.keys()])].filter((word) => before.get(word) !== now.get(word));
  if (words.length === 0) return null;
  const said = (facts: Map<string, string>, word: string) => shown(facts.get(word) ?? "not told");
  return el("details", {}, el("summary", {}, "What else differs between the two"),
    pairs(words.map((word) => [shown(word), `${said(before, word)} → ${said(now, word)}`])));
}

function speedNote({ speed }: Against): HTMLElement | null {
  if (Math.abs(speed - 1) < 0.001) return null;
  return el("p", { class: "note" }, `×${speed.toFixed(3)} may be the speed of the later session: its times are divided by that before differences are taken.`);
}

/// A line that has moved, or is gone, says where it was.
function lineCell(report: Report, row: Compared): Child[] {
  const isMoved = row.was > 0 && row.was !== row.line;
  return [placeLink(report, row), isMoved ? el("span", { class: "muted" }, ` was ${row.was}`) : null];
}

export function comparisonView(report: Report, against: Against): HTMLElement {
  const lines = columns(report, against.lines, [
    { title: "Line", cell: (row) => lineCell(report, row), by: (row) => report.shortPlace(row) },
    { title: "Function", cell: (row) => shown(row.function ?? ""), by: (row) => row.function ?? "" },
  ]);
  const functions = columns(report, against.functions, [
    { title: "Function", cell: (row) => nameAt(report, row.name ?? "", row), by: (row) => row.name ?? "" }]);
  const text = (row: Compared) => `${row.verdict} ${shown(row.name ?? row.function ?? "")} ${report.path(row.file)}`;
  const part = (title: string, thing: string, rows: Compared[], shownColumns: Column<Compared>[]) => {
    const sortedBy = shownColumns.findIndex((column) => column.title === "Difference");
    return rows.length === 0 ? [] : [el("h2", {}, title), el("p", { class: "note" }, counts(rows)),
      sortedTable(rows, shownColumns, { caption: `${title} before and after`, thing, sortedBy, text })];
  };
  return el("div", { class: "padded" }, totals(report, against),
    ...against.warnings.map((warning) => el("p", { class: "warning" }, shown(warning))),
    speedNote(against), otherFacts(report, against),
    ...part("Lines", "line", against.lines, lines), ...part("Functions", "function", against.functions, functions),
    el("h2", {}, "Verdicts"), pairs(order.map((name): [string, Child] => [`${verdicts[name][0]} ${name}`, verdicts[name][1]])));
}
