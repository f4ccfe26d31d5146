// SPDX-License-Identifier: Apache-2.0
// The report's data as docs/report.md describes them, and the only place that reads them.

/// Value, low and high end; an end that is not known is null.
export type Interval = [number | null, number | null, number | null];

export interface Cost {
  ticks: Interval;
  share: Interval;
  resolved: boolean;
  unreliable?: true;
}

/// Times of one call or pass; recordings have them.
export interface Each {
  average: number;
  least: number;
  q50: number;
  q95: number;
  q99: number;
  most: number;
}

/// Of the rounds. The mean differs where single runs do, by more than noise and by an amount that counts.
export interface Averages {
  mean: Interval;
  median: Interval;
  q05: number;
  q95: number;
  differs?: true;
}

export interface Distribution {
  count: number;
  from: number;
  to: number;
  bins: number[];
  outliers: [round: number, value: number][];
  more: number;
  rounds: [first: number, last: number, least: number, median: number, most: number][];
}

/// A place in the sources: -1 and 0 where it is not known.
export interface Place {
  file: number;
  line: number;
}

export interface Line extends Place {
  function: string;
  hits: number;
  cost: Cost;
  averages?: Averages;   // missing: not measured, or recorded
  each?: Each | null;
  rounds?: Distribution | null;   // null: there was no room for it; missing: the rounds agree, or nothing was measured
}

export interface Func extends Place {
  name: string;
  calls: number;
  exclusive: Cost;
  inclusive: Cost;
  averages?: Averages;   // of the function by itself
  each?: Each | null;
  away?: number;         // off a processor, in none of these
  slow?: [thread: number, at: number, ticks: number][] | null;
}

export interface Loop extends Place {
  function: string;
  entries: number;
  passes: number;
  cost: Cost;
}

export interface Path {
  rate: number;
  events: number;
  inputs: [bytes: string, kind: string][];
  more: number;
  total: Interval | null;
}

export interface Edge extends Place {
  to_file: number;
  to: number;
  function: string;
  rate: number;
  count: number;
  ticks: Interval | null;   // null: not measured
  mean: number | null;
  q05: number | null;
  q95: number | null;
}

export interface Thread {
  name: string;
  events: number;
  lost: number;
  recorded: number;
  paused: number;
  gap: number;
  outside: number;
  away?: number;     // off a processor, in the unit of the times above
  running?: number;  // ns
  waiting?: number;  // ns
}

export type TreeFunction = [name: string, file: number, line: number, isThread: boolean];
export type TreeNode = [
  func: number, parent: number, fromLine: number, calls: number, exclusive: number, inclusive: number,
  lines: [file: number, line: number, cost: number][],
];
// All calls out of a line into a function, where another tool made the profile and has no tree.
export type TreeArc = [caller: number, callee: number, file: number, line: number, calls: number, inclusive: number | null];

export type Verdict = "slower" | "faster" | "same" | "unresolved" | "new" | "gone";

export interface Compared extends Place {
  name?: string;      // of a function
  function?: string;  // that a line is in
  was: number;        // its line before; 0: new
  before: Cost | null;
  after: Cost | null;
  difference: Interval | null;
  relative: Interval | null;
  verdict: Verdict;
}

export interface Against {
  project: string;
  facts: [string, string][];
  total: Interval | null;
  speed: number;
  warnings: string[];
  lines: Compared[];
  functions: Compared[];
}

export interface SourceFile {
  path: string;
  text: string | null;
  why?: string;
}

export interface Profile {
  format: string;
  version: number;
  project: string;
  recorded: boolean;
  unit: "ns" | "cycles" | "instructions";
  hz: number;
  simulated: boolean;
  language: string;
  headline?: "typical" | "recorded";   // what times are
  interval?: string;                  // what ± is
  hottest?: string[];                 // sentences
  facts: [string, string][];
  warnings: { text: string; advice: string }[];
  total: Interval | null;
  entry: Interval | null;
  between: Interval | null;   // after the last trap; null: no applet, or a recording
  unattributed: Interval | null;
  files: SourceFile[];
  functions: Func[];
  lines: Line[];
  unreached: [file: number, line: number][];
  loops: Loop[];
  paths: Path[];
  edges: Edge[];
  threads?: Thread[];
  tree: { functions: TreeFunction[]; nodes: TreeNode[]; left_out: number; arcs?: TreeArc[] };
  against: Against | null;
}

const version = 1;

/// Throws with a sentence for the reader where this page does not know the data.
export function readProfile(text: string): Profile {
  const profile = JSON.parse(text) as Profile;
  if (profile.format !== "jcprof-report") throw new Error("the data in this file are no jcprof-report");
  if (profile.version > version)
    throw new Error(`the data are jcprof-report version ${profile.version}, this page reads ${version}`);
  return profile;
}
