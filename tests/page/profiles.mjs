// SPDX-License-Identifier: Apache-2.0
// Profiles made up for the page's tests, in the form of docs/report.md.
import { readFileSync } from "node:fs";

/// Numbers from 0 to 1, the same in each run.
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export function cost(ticks, total, isResolved = true) {
  const half = isResolved ? 0.04 * ticks : ticks;
  const ends = [ticks, Math.max(0, ticks - half), ticks + half];
  return { ticks: ends, share: ends.map((end) => end / total), resolved: isResolved };
}

export function distribution(ticks, next, rounds = 400) {
  const bins = new Array(40).fill(0);
  for (let round = 0; round < rounds; ++round) {
    const place = (next() + next() + next() + next()) / 4;
    ++bins[Math.min(39, Math.floor(40 * place))];
  }
  const groups = Array.from({ length: Math.min(60, rounds) }, (_, group) => {
    const size = Math.ceil(rounds / 60);
    const median = ticks * (0.95 + 0.1 * next());
    return [1 + group * size, (group + 1) * size, median * (1 - 0.15 * next()), median, median * (1 + 0.15 * next())];
  });
  return { count: rounds, from: 0.7 * ticks, to: 1.3 * ticks, bins, rounds: groups, more: 0,
           outliers: [[rounds >> 1, 2.1 * ticks], [rounds >> 2, 1.9 * ticks]] };
}

const nothing = {
  format: "jcprof-report", version: 1, project: "", recorded: false, unit: "ns", hz: 0, simulated: false, language: "c",
  facts: [], warnings: [], total: [1, 1, 1], entry: null, between: null, unattributed: null, files: [], functions: [], lines: [],
  unreached: [], loops: [], paths: [], edges: [], threads: [], tree: { functions: [], nodes: [], left_out: 0 }, against: null,
};

const pin = "examples/javacard-pin/src/PinApplet.java";
const pinLines = [
  [97, "deriveKey", 1000, 2390e3], [108, "open", 8, 96e3], [107, "open", 8, 54e3], [113, "isGenuine", 1, 27e3], [90, "verify", 1, 21e3],
  [70, "process", 1, 12e3, false], [100, "deriveKey", 1, 11e3, false], [87, "verify", 1, 9e3, false], [86, "verify", 1, 8e3, false],
  [71, "process", 1, 5e3, false], [104, "open", 1, 4e3, false], [94, "deriveKey", 1, 4e3, false], [95, "deriveKey", 1, 3e3, false],
];

/// As examples/javacard-pin comes out, with a comparison.
export function measured() {
  const next = random(11);
  const total = 2800e3;
  const lines = pinLines.map(([line, name, hits, ticks, isResolved]) => ({
    file: 0, line, function: `PinApplet.${name}`, hits, cost: cost(ticks, total, isResolved), rounds: distribution(ticks, next) }));
  const compared = (line, name, before, after, verdict) => ({
    file: 0, line: after === null ? 0 : line, function: `PinApplet.${name}`, name: `PinApplet.${name}`, was: before === null ? 0 : line - 1, verdict,
    before: before === null ? null : cost(before, total), after: after === null ? null : cost(after, total),
    difference: before === null || after === null ? null : [after - before, after - before - 9e3, after - before + 9e3],
    relative: before === null || after === null ? null : [after / before - 1, after / before - 1.02, after / before - 0.98] });
  const functions = [["deriveKey", 93, 3, 2405e3, 2405e3], ["open", 103, 1, 155e3, 155e3], ["verify", 80, 20, 38e3, 2620e3],
    ["isGenuine", 112, 4, 27e3, 27e3], ["process", 62, 1, 17e3, 2640e3]];
  return { ...nothing, project: "javacard-pin", simulated: true, language: "java",
    facts: [["device", "jcardsim"], ["transport", "vpcd"], ["clock", "steady, 41 ns"], ["seed", "7"], ["rounds", "400"], ...Array.from({ length: 12 }, (_, at) => [`setting ${at}`, "as it was"]), ["tool", "jcprof 0.1.0"]],
    warnings: [{ text: "traps take 12 % of the path: they shape what they measure", advice: "leave traps out of deriveKey" }],
    total: [total, 2600e3, 3000e3], entry: [91e3, 89e3, 93e3], between: null, unattributed: [57e3, 20e3, 94e3],
    files: [{ path: "src/PinApplet.java", text: readFileSync(new URL(`../../${pin}`, import.meta.url), "utf8") },
            { path: "src/Lost.java", text: null, why: "it was changed since it was measured" }],
    functions: functions.map(([name, line, calls, own, all]) => ({ name: `PinApplet.${name}`, file: 0, line, calls,
      exclusive: cost(own, total), inclusive: cost(all, total) })),
    lines: [...lines, { file: 1, line: 12, function: "Lost.found", hits: 3, cost: cost(1e3, total) }], unreached: [[0, 64], [0, 73], [0, 76], [0, 82], [0, 88]],
    loops: [{ file: 0, line: 96, function: "PinApplet.deriveKey", entries: 1, passes: 1000, cost: cost(2385e3, total) },
            { file: 0, line: 106, function: "PinApplet.open", entries: 1, passes: 8, cost: cost(152e3, total) }],
    paths: [{ rate: 0.75, events: 1037, inputs: [["003100000431323334", "right PIN"], ["003100000431323335", ""]], more: 3, total: [total, 2600e3, 3000e3] },
            { rate: 0.25, events: 2, inputs: [["00330000", ""]], more: 0, total: null }],
    edges: [{ file: 0, line: 97, to_file: 0, to: 96, function: "PinApplet.deriveKey", rate: 0.75, count: 1000, ticks: [2390e3, 2300e3, 2480e3], mean: 2400e3, q05: 2350e3, q95: 2500e3 },
            { file: 0, line: 91, to_file: -1, to: 0, function: "PinApplet.verify", rate: 0.75, count: 1, ticks: [3e3, 0, 9e3], mean: null, q05: null, q95: null },
            { file: 0, line: 88, to_file: -1, to: 0, function: "PinApplet.verify", rate: 0.001, count: 0, ticks: null, mean: null, q05: null, q95: null }],
    tree: { left_out: 4, functions: [["PinApplet.process", 0, 62, false], ["PinApplet.verify", 0, 80, false], ["PinApplet.deriveKey", 0, 93, false],
        ["PinApplet.open", 0, 103, false], ["PinApplet.isGenuine", 0, 112, false]],
      nodes: [[0, -1, 0, 1, 17e3, 2642e3, [[0, 70, 12e3], [0, 71, 5e3]]], [1, 0, 70, 1, 38e3, 2625e3, [[0, 86, 8e3], [0, 87, 9e3], [0, 90, 21e3]]],
        [2, 1, 85, 1, 2405e3, 2405e3, [[0, 94, 4e3], [0, 97, 2390e3], [0, 100, 11e3]]], [3, 1, 86, 1, 155e3, 155e3, [[0, 107, 54e3], [0, 108, 101e3]]],
        [4, 1, 87, 1, 27e3, 27e3, [[0, 113, 27e3]]]] },
    against: { project: "javacard-pin before the change", facts: [["device", "jcardsim"], ["seed", "6"]], total: [3400e3, 3300e3, 3500e3], speed: 1.02, warnings: ["the earlier profile is of another session"],
      lines: [compared(97, "deriveKey", 2950e3, 2390e3, "faster"), compared(108, "open", 70e3, 96e3, "slower"), compared(107, "open", 54e3, 54e3, "same"),
        compared(113, "isGenuine", 26e3, 27e3, "unresolved"), compared(90, "verify", null, 21e3, "new"), compared(85, "verify", 14e3, null, "gone")],
      functions: [compared(93, "deriveKey", 2960e3, 2405e3, "faster"), compared(103, "open", 125e3, 155e3, "slower")] } };
}

/// A recording of threads in cycles.
export function recorded() {
  const total = 9e9;
  const each = { average: 1200, least: 300, q50: 1100, q95: 2500, q99: 9000, most: 4e6 };
  const names = ["main", "count_words", "std::unordered_map<std::string,long>::operator[](std::string_const&&)".repeat(4), "read_block"];
  return { ...nothing, project: "wordcount", recorded: true, unit: "cycles", hz: 2.4e9, total: [total, total, total],
    facts: [["program", "wordcount"], ["threads", "2"]],
    functions: names.map((name, index) => ({ name, file: 0, line: 1 + 3 * index, calls: 10 ** (2 * index), exclusive: cost(total / (index + 2), total),
      inclusive: cost(total / (index + 1), total), each, slow: [[0, 5e6, 4e6], [1, 7e6, 3e6]] })),
    files: [{ path: "wordcount.c", text: names.map((name) => `void ${name}(void)\n{\n}\n`).join("") }],
    lines: names.map((name, index) => ({ file: 0, line: 2 + 3 * index, function: name, hits: 40 * index, cost: cost(total / (index + 2), total), each })),
    threads: [{ name: "1 main", events: 20002, lost: 0, recorded: 6e9, paused: 1e6, gap: 0, outside: 0 }, { name: "2 worker", events: 10002, lost: 12, recorded: 3e9, paused: 0, gap: 5e6, outside: 0 }],
    tree: { left_out: 0, functions: [...names.map((name, index) => [name, 0, 1 + 3 * index, false]), ["thread 1 main", -1, 0, true], ["thread 2 worker", -1, 0, true]],
      nodes: [[4, -1, 0, 1, 1e9, 6e9, []], [5, -1, 0, 1, 0, 3e9, []], [0, 0, 0, 1, 1e9, 5e9, []], [1, 2, 0, 100, 4e9, 4e9, []], [2, 1, 0, 1e6, 3e9, 3e9, []]] } };
}

/// 10,000 lines with a distribution each, 20,000 calls up to 60 deep.
export function big() {
  const next = random(5);
  const count = 10000;
  const perFunction = 20;
  const total = 1e9;
  const name = (index) => `module_${index % 17}::operation_${index}`;
  const costs = Array.from({ length: count }, () => next() ** 12 * 3e6);
  const lines = costs.map((ticks, index) => ({ file: 0, line: index + 1, function: name(Math.floor(index / perFunction)), hits: 1 + index % 50,
    cost: cost(ticks, total, ticks > 100), rounds: ticks > 1e4 ? distribution(ticks, next) : undefined }));
  const functions = Array.from({ length: count / perFunction }, (_, index) => ({ name: name(index), file: 0, line: index * perFunction + 1, calls: index + 1,
    exclusive: cost(1e6 * next(), total), inclusive: cost(3e6 * next(), total) }));
  const nodes = [[0, -1, 0, 1, 0, 0, []]];
  const depths = [0];
  while (nodes.length < 20000) {
    const parent = Math.floor(nodes.length * Math.max(next(), next()));
    if (depths[parent] >= 60) continue;
    const line = nodes[parent][0] * perFunction + 5;
    const func = Math.floor(next() * functions.length);
    nodes.push([func, parent, line, 1 + Math.floor(9 * next()), 1e5 * next(), 0, [[0, func * perFunction + 3, 1e4]]]);
    depths.push(depths[parent] + 1);
  }
  for (let index = nodes.length - 1; index >= 0; --index) {
    nodes[index][5] += nodes[index][4];
    if (index > 0) nodes[nodes[index][1]][5] += nodes[index][5];
  }
  return short({ ...nothing, project: "big", total: [total, 0.99 * total, 1.01 * total], functions, facts: [["device", "synthetic"]],
    files: [{ path: "src/generated/big.cpp", text: costs.map((_, index) => `    total += step_${index}(buffer, ${index}); /* of the work */\n`).join("") }],
    lines: lines.sort((a, b) => b.cost.ticks[0] - a.cost.ticks[0]),
    loops: functions.slice(0, 300).map(({ line, name: func }) => ({ file: 0, line, function: func, entries: 2, passes: 40, cost: cost(2e6 * next(), total) })),
    tree: { functions: functions.map((func) => [func.name, 0, func.line, false]), nodes, left_out: 1234 } });
}

/// With as many digits as matter: a file stays below 10 MB.
function short(profile) {
  return JSON.parse(JSON.stringify(profile, (_, value) => (typeof value === "number" ? Number(value.toPrecision(6)) : value)));
}

export const hostileNames = [
  "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "a\u202egnp.exe\u2066", "\u001b[31mred\u001b]0;title\u0007",
  "javascript:alert(3)", "{{constructor.constructor('alert(4)')()}}", "<!--", "\u2028line", "__proto__", "nul\u0000bell\u0007\u009b2J", "ze\u200bro\ufeff", "@SCRIPT@ $& $' &lt;",
];

/// Each text that comes from outside is a hostile one.
export function hostile() {
  const profile = measured();
  let turn = 0;
  const bad = () => hostileNames[turn++ % hostileNames.length];
  const spoiled = (value, key) => {
    if (Array.isArray(value)) return value.map((each) => spoiled(each, key));
    if (value && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, spoiled(each, name)]));
    return typeof value === "string" && !["format", "unit", "verdict"].includes(key) ? bad() : value;
  };
  const names = hostileNames.join("\n").split("\n");
  const spoilt = spoiled(profile, "");
  spoilt.files = [{ path: "src/<b>x</b>.c", text: [...names, ...new Array(120).fill("<img src=x onerror=alert(9)>")].join("\n") }, { path: "\u202e<i>", text: null, why: "<u>gone</u>" }];
  return spoilt;
}
