// SPDX-License-Identifier: Apache-2.0
// Cells that several views have.
import type { Averages, Cost, Each, Place } from "./data";
import { bar, el, shown } from "./dom";
import { sourceLink, type Report } from "./report";
import { heatOf, isBelow, shareOf } from "./units";

/// A link to the line where the sources are known, its name where not.
export function placeLink(report: Report, place: Place, text = report.shortPlace(place)): HTMLElement | string {
  const isKnown = report.file(place.file) !== undefined && place.line > 0;
  return isKnown ? el("a", { href: sourceLink(place), title: report.path(place.file) }, text) : text;
}

export function nameAt(report: Report, name: string, place: Place): HTMLElement | string {
  return placeLink(report, place, shown(name) || report.shortPlace(place));
}

/// Share as a bar and in figures; `most` fills the bar.
export function shareCell(report: Report, cost: Cost, most: number): HTMLElement {
  return el("span", { class: "share" }, bar(report.knownShare(cost) / most, heatOf(cost)), shareOf(cost));
}

/// A cost in figures, and in words where it is below resolution.
export function costCell(report: Report, cost: Cost): HTMLElement {
  const text = report.units.cost(cost);
  if (cost.resolved) return el("span", {}, text);
  return el("span", { class: "muted" }, isBelow(cost) ? "below resolution " : "", text);
}

/// Mean, median and quantiles of the rounds.
export function averagePairs(report: Report, averages: Averages): [string, string][] {
  const { units } = report;
  return [
    ["On average", `${units.interval(averages.mean)}${averages.differs ? ", another time than the typical one" : ""}`],
    ["Median", units.interval(averages.median)],
    ["90 of 100 rounds", `${units.amount(averages.q05)} to ${units.amount(averages.q95)}`],
  ];
}

/// Times of single calls or passes.
export function eachPairs(report: Report, each: Each): [string, string][] {
  const { units } = report;
  return [
    ["Average", units.amount(each.average)],
    ["Least", units.amount(each.least)],
    ["Median", units.amount(each.q50)],
    ["95 of 100", units.amount(each.q95)],
    ["99 of 100", units.amount(each.q99)],
    ["Most", units.amount(each.most)],
  ];
}
