// SPDX-License-Identifier: Apache-2.0
// This profile beside the one it is compared with: totals, then lines and functions with the interval of the difference.
import type { Against, Compared, Cost, Verdict } from "./data";
import { costCell, nameAt, placeLink } from "./cells";
import { el, pairs, shown, type Child } from "./dom";
import type { Report } from "./report";
import { sortedTable, type Column } from "./table";
import { signedPercent } from "./units";

/// Sign, word, and what it means.
const verdicts: Record<Verdict, [sign: string, meaning: string]> = {
  slower: ["▲", "the interval of the difference lies above 0"],
  faster: ["▼", "the interval of the difference lies below 0"],
  same: ["=", "the difference is smaller than what would matter"],
  unresolved: ["?", "the interval holds 0, and differences that would matter"],
  new: ["+", "not in the earlier profile"],
  gone: ["−", "only in the earlier profile"],
};
const order: Verdict[] = ["slower", "faster", "new", "gone", "unresolved", "same"];

function verdict(name: Verdict): HTMLElement {
  return el("span", { class: `verdict ${name}`, title: verdicts[name][1] },
    el("span", { "aria-hidden": "true" }, `${verdicts[name][0]} `), name);
}

function columns(report: Report, titles: Column<Compared>[]): Column<Compared>[] {
  const cost = (known: Cost | null): Child => (known ? costCell(report, known) : el("span", { class: "muted" }, "not there"));
  const size = (row: Compared) => Math.abs(row.difference[0] ?? row.after?.ticks[0] ?? row.before?.ticks[0] ?? 0);
  return [
    { title: "Verdict", cell: (row) => verdict(row.verdict), by: (row) => order.indexOf(row.verdict) },
    ...titles,
    { title: "Before", cell: (row) => cost(row.before), by: (row) => row.before?.ticks[0] ?? 0, isNumber: true },
    { title: "After", cell: (row) => cost(row.after), by: (row) => row.after?.ticks[0] ?? 0, isNumber: true },
    { title: "Difference", cell: (row) => (row.difference[0] === null ? "" : report.units.signed(row.difference)), by: size, isNumber: true },
    { title: "Relative", cell: (row) => signedPercent(row.relative), by: (row) => row.relative[0] ?? 0, isNumber: true },
  ];
}

function counts(rows: Compared[]): string {
  const told = order.map((name) => [name, rows.filter((row) => row.verdict === name).length] as const);
  return told.filter(([, count]) => count > 0).map(([name, count]) => `${count} ${name}`).join(", ");
}

function totals(report: Report, against: Against): HTMLElement {
  const { profile, units } = report;
  const [before, after] = [against.total[0], profile.total[0]];
  const card = (title: string, project: string, total: string) =>
    el("div", { class: "card" }, el("h3", {}, title), el("p", { class: "big" }, total), el("p", { class: "muted" }, shown(project)));
  const change = before && after !== null ? `${after >= before ? "+" : "−"}${Math.abs((100 * (after - before)) / before).toFixed(1)} %` : "";
  const cards = el("div", { class: "cards" }, card("Before", against.project, units.interval(against.total)),
    card("After", profile.project, units.interval(profile.total)));
  if (change) cards.append(el("div", { class: "card" }, el("h3", {}, "Totals differ by"), el("p", { class: "big" }, change),
    el("p", { class: "muted" }, "as measured; see the lines for what is certain")));
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

export function comparisonView(report: Report, against: Against): HTMLElement {
  const speed = against.speed !== null && against.speed !== 1
    ? el("p", { class: "note" }, `Speed of the target between the two: ×${against.speed.toFixed(3)}.`) : null;
  const lines = columns(report, [
    { title: "Line", cell: (row) => placeLink(report, row), by: (row) => report.shortPlace(row) },
    { title: "Function", cell: (row) => shown(row.function ?? ""), by: (row) => row.function ?? "" },
  ]);
  const functions = columns(report, [
    { title: "Function", cell: (row) => nameAt(report, row.name ?? "", row), by: (row) => row.name ?? "" }]);
  const text = (row: Compared) => `${row.verdict} ${shown(row.name ?? row.function ?? "")} ${report.path(row.file)}`;
  const differing = lines.length - 2;
  return el("div", { class: "padded" }, totals(report, against), speed, otherFacts(report, against),
    el("h2", {}, "Lines"), el("p", { class: "note" }, counts(against.lines)),
    sortedTable(against.lines, lines, { caption: "Lines before and after", thing: "line", sortedBy: differing, text }),
    el("h2", {}, "Functions"), el("p", { class: "note" }, counts(against.functions)),
    sortedTable(against.functions, functions, { caption: "Functions before and after", thing: "function", sortedBy: functions.length - 2, text }),
    el("h2", {}, "Verdicts"), pairs(order.map((name): [string, Child] => [`${verdicts[name][0]} ${name}`, verdicts[name][1]])));
}
