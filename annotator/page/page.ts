// SPDX-License-Identifier: Apache-2.0
// The page of a report: its head, and one view at a time, which the part of the address after # tells.
import "./page.css";
import { aboutView } from "./about";
import { comparisonView } from "./comparison";
import { readProfile } from "./data";
import { button, el, shown } from "./dom";
import { FlameView } from "./flame";
import { functionsView, loopsView, pathsView, threadsView } from "./lists";
import { Report } from "./report";
import { SourceView } from "./source";
import { TreeView } from "./tree";
import { plural } from "./units";

interface View {
  name: string;
  title: string;
  make(): { element: HTMLElement; show?(rest: string): void };
}

function viewsOf(report: Report): View[] {
  const { files, functions, loops, paths, edges, threads, against } = report.profile;
  const still = (element: HTMLElement) => ({ element });
  const all: [boolean, View][] = [
    [files.length > 0 && report.lines.length > 0, { name: "source", title: "Source", make: () => new SourceView(report) }],
    [report.treeTotal > 0, { name: "flame", title: "Flame graph", make: () => new FlameView(report) }],
    [report.treeTotal > 0, { name: "tree", title: "Call tree", make: () => new TreeView(report) }],
    [functions.length > 0, { name: "functions", title: "Functions", make: () => still(functionsView(report)) }],
    [loops.length > 0, { name: "loops", title: "Loops", make: () => still(loopsView(report)) }],
    [paths.length > 0 || edges.length > 0, { name: "paths", title: "Paths", make: () => still(pathsView(report)) }],
    [Boolean(threads?.length), { name: "threads", title: "Threads", make: () => still(threadsView(report)) }],
    [against !== null, { name: "comparison", title: "Comparison", make: () => still(comparisonView(report, against!)) }],
    [true, { name: "about", title: "About", make: () => still(aboutView(report)) }],
  ];
  return all.filter(([hasData]) => hasData).map(([, view]) => view);
}

function schemeSwitch(): HTMLElement {
  const choices = ["system", "light", "dark"].map((scheme) => {
    const choice = el("input", { type: "radio", name: "scheme", value: scheme, checked: scheme === "system" });
    choice.addEventListener("change", () => document.documentElement.setAttribute("data-scheme", scheme));
    return el("label", {}, choice, el("span", {}, scheme[0].toUpperCase() + scheme.slice(1)));
  });
  return el("fieldset", { class: "scheme" }, el("legend", { class: "sr-only" }, "Colours"), ...choices);
}

function head(report: Report): HTMLElement {
  const { profile, units } = report;
  const device = profile.facts.find(([word]) => word === "device")?.[1];
  const inTime = units.asTime(profile.total?.[0]);
  const warned = profile.warnings.length;
  return el("header", {},
    el("h1", {}, shown(profile.project)),
    device ? el("span", { class: "device" }, `on ${shown(device)}`) : null,
    profile.simulated ? el("span", { class: "badge" }, "SIMULATED") : null,
    el("span", { class: "total" }, el("span", { class: "muted" }, profile.recorded ? "recorded " : "typical total "),
      el("strong", {}, units.interval(profile.total)), inTime ? `, ${inTime}` : ""),
    ...(profile.hottest ?? []).map((sentence) => el("span", { class: "muted" }, shown(sentence))),
    warned > 0 ? el("a", { href: "#about", class: "warned" }, plural(warned, "warning")) : null,
    el("span", { class: "space" }), schemeSwitch(), button("Print", () => window.print()));
}

class Page {
  private readonly views: View[];
  private readonly tabs: HTMLElement[];
  private readonly panels: HTMLElement[];
  private readonly made = new Map<string, ReturnType<View["make"]>>();

  constructor(room: HTMLElement, report: Report) {
    this.views = viewsOf(report);
    this.tabs = this.views.map(({ name, title }) =>
      button(title, () => (location.hash = `#${name}`), { role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}` }));
    this.panels = this.views.map(({ name }) =>
      el("div", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, hidden: true }));
    const list = el("div", { role: "tablist", class: "tabs", "aria-label": "Views" }, ...this.tabs);
    list.addEventListener("keydown", (event) => this.pressed(event));
    room.append(head(report), list, el("main", {}, ...this.panels));
    window.addEventListener("hashchange", () => this.route());
    this.route();
  }

  private route(): void {
    const [name, rest = ""] = location.hash.slice(1).split("/");
    const index = Math.max(0, this.views.findIndex((view) => view.name === name));
    const view = this.views[index];
    for (const [other, tab] of this.tabs.entries()) {
      tab.setAttribute("aria-selected", String(other === index));
      tab.tabIndex = other === index ? 0 : -1;
      this.panels[other].hidden = other !== index;
    }
    const made = this.made.get(view.name) ?? view.make();
    if (!this.made.has(view.name)) this.panels[index].append(made.element);
    if (!made.show) this.panels[index].tabIndex = 0;  // it scrolls, and may hold nothing else that keys reach
    this.made.set(view.name, made);
    made.show?.(rest);
  }

  private pressed(event: KeyboardEvent): void {
    const at = this.tabs.indexOf(document.activeElement as HTMLElement);
    const last = this.tabs.length - 1;
    const targets: Record<string, number> = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last };
    if (at < 0 || !(event.key in targets)) return;
    event.preventDefault();
    const target = this.tabs[targets[event.key]];
    target.focus();
    target.click();
  }
}

const room = document.getElementById("page")!;
try {
  new Page(room, new Report(readProfile(document.getElementById("profile")!.textContent ?? "")));
} catch (error) {
  room.replaceChildren(el("p", { role: "alert", class: "padded" }, `This report cannot be shown: ${shown((error as Error).message)}.`));
}
