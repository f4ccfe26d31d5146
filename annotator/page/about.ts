// SPDX-License-Identifier: Apache-2.0
// Facts of the run, its warnings, and the meaning of the numbers.
import licences from "licences";
import { el, pairs, shown, type Child } from "./dom";
import type { Report } from "./report";
import { heatSteps, percent } from "./units";

function warnings(report: Report): Child[] {
  const { warnings: given } = report.profile;
  if (given.length === 0) return [el("p", { class: "muted" }, "No warnings.")];
  return given.map(({ text, advice }) =>
    el("div", { class: "warning" }, el("p", {}, shown(text)), advice ? el("p", { class: "advice" }, shown(advice)) : null));
}

function totals(report: Report): HTMLElement {
  const { total, entry, between, unattributed, tree, unit } = report.profile;
  const { units } = report;
  const inTime = units.asTime(total?.[0]);
  const entries: [string, Child][] = [["Total", units.interval(total) + (inTime ? `, ${inTime}` : "")]];
  if (entry) entries.push(["Before the first trap", units.interval(entry)]);
  if (between) entries.push(["After the last trap", units.interval(between)]);
  if (unattributed) entries.push(["Unattributed", units.interval(unattributed)]);
  entries.push(["Unit", unit === "ns" ? "time" : unit]);
  if (tree.left_out > 0) entries.push(["Left out", `${tree.left_out.toLocaleString("en-GB")} calls of the call tree (see the warnings)`]);
  return pairs(entries);
}

function legend(): HTMLElement {
  const list = el("ul", { class: "legend" });
  const ends = [0, ...heatSteps];
  for (const [level, from] of ends.entries()) {
    const said = level === 0 ? `below ${percent(heatSteps[0])}, or below resolution` : `from ${percent(from)}`;
    list.append(el("li", {}, el("span", { class: `swatch heat-${level}`, "aria-hidden": "true" }), said));
  }
  return list;
}

const measured: [string, string][] = [
  ["2.5 ms ±0.5", "typical time: a fit over all rounds that a single spike cannot move. The true time in this session lies within ± 95 times in 100. Another session may be faster or slower as a whole"],
  ["On average", "the mean over all rounds, spikes included. If it contradicts the typical time, a warning says so: single runs differ"],
  ["Share", "a part of all measured blocks together. A warm card makes every block slower alike, and the share stays the same"],
  ["below resolution", "the noise hides the line: it takes at most the time after <. More rounds lower that bound: jcprof run . --absolute 0.1"],
  ["not measured", "too few rounds measured the line: without an interval there is no number"],
  ["not reached", "the command passed no trap of the line"],
  ["Before the first trap", "the time from sending the command to its first trap. It belongs to no line"],
  ["Unattributed", "the rest between the total and all other rows. Noise can make it negative"],
];
const recorded: [string, string][] = [
  ["2.5 ms ±0.5", "another recording of as many commands lies within ± 95 times in 100. A recording of one run has no ±"],
  ["Own cost", "the time in a function or line without the functions that it calls, over all threads"],
  ["With calls", "the time from call to return. A recursion counts once"],
  ["In gaps", "the time in which events were lost. It belongs to no call"],
  ["Away", "the time in which a thread waits, or another program has its processor. It belongs to no call"],
];

export function aboutView(report: Report): HTMLElement {
  const { facts, recorded: isRecorded } = report.profile;
  return el("div", { class: "padded about" },
    el("section", {}, el("h2", {}, "Warnings"), ...warnings(report)),
    el("section", {}, el("h2", {}, "The measurement"),
      report.profile.simulated ? el("p", { class: "warning" }, "SIMULATED: the target was a simulator. Its times say nothing of real hardware.") : null,
      pairs(facts.map(([word, said]): [string, Child] => [shown(word), shown(said)]))),
    el("section", {}, el("h2", {}, "Totals"), totals(report)),
    el("section", {}, el("h2", {}, "What the numbers mean"), pairs(isRecorded ? recorded : measured)),
    el("section", {}, el("h2", {}, "Heat, by share"), legend()),
    el("section", {}, el("h2", {}, "Keys"), pairs([
      ["Tabs", "left and right arrow"],
      ["Source", "arrow keys, Page Up and Down, Home, End; Enter shows a line's details, Escape closes them"],
      ["Flame graph", "arrow keys go from frame to frame, Enter zooms in, Escape zooms out"],
      ["Call tree", "right and left arrow open and close, * opens all below"],
    ])),
    el("details", {}, el("summary", {}, "Licences of what this page is made of"), el("pre", {}, licences)));
}
