// SPDX-License-Identifier: Apache-2.0
// The profile with what the views look up in it: names of places, lines by file, and the call tree with its children.
import type { Compared, Cost, Func, Line, Loop, Place, Profile, SourceFile, TreeArc, TreeFunction } from "./data";
import { shown } from "./dom";
import { Units } from "./units";

/// A function or line that calls or is called, with what that costs in ticks.
export interface Relation {
  name: string;
  place: Place;
  calls: number;
  ticks: number;
  isOfLine: boolean;    // false: from which line of the function is not known
}

export class Report {
  readonly profile: Profile;
  readonly lines: Line[];
  readonly hasLines: boolean;           // a recording may know functions only: each stands for the line that it begins at
  readonly units: Units;
  readonly hottest: number;             // share of the hottest line: the length of bars is told in it
  readonly children: number[][] = [];   // of each node of the tree, dearest first
  readonly roots: number[] = [];
  readonly treeTotal: number;
  private readonly linesByFile = new Map<number, Map<number, Line[]>>();
  private readonly unreachedByFile = new Map<number, Set<number>>();
  private readonly comparedLines: Map<string, Compared>;

  constructor(profile: Profile) {
    this.profile = profile;
    this.units = new Units(profile);
    this.hasLines = profile.lines.length > 0;
    this.lines = this.hasLines ? profile.lines : profile.functions.filter(({ line }) => line > 0).map(lineOf);
    this.hottest = Math.max(1e-9, ...this.lines.slice(0, 1000).map((line) => this.knownShare(line.cost)));
    for (const line of this.lines) {
      const file = this.linesByFile.get(line.file) ?? new Map<number, Line[]>();
      this.linesByFile.set(line.file, file);
      file.set(line.line, [...(file.get(line.line) ?? []), line]);
    }
    for (const [file, line] of profile.unreached)
      this.unreachedByFile.set(file, (this.unreachedByFile.get(file) ?? new Set()).add(line));
    // The largest difference comes first: of several functions in a line it is the one that is shown.
    const compared = (this.hasLines ? profile.against?.lines : profile.against?.functions) ?? [];
    this.comparedLines = new Map(compared.filter(({ verdict }) => verdict !== "gone").reverse().map((row) => [`${row.file}:${row.line}`, row]));
    const nodes = profile.tree.nodes;
    for (const [index, node] of nodes.entries()) {
      this.children.push([]);
      (node[1] < 0 ? this.roots : this.children[node[1]]).push(index);
    }
    for (const list of [this.roots, ...this.children]) list.sort((a, b) => nodes[b][5] - nodes[a][5]);
    this.treeTotal = this.roots.reduce((sum, root) => sum + nodes[root][5], 0);
  }

  knownShare(cost: Cost): number {
    return cost.resolved ? Math.max(cost.share[0] ?? 0, 0) : 0;
  }

  /// All that is known of a line: more than one entry where several functions share it.
  linesAt(file: number, line: number): Line[] {
    return this.linesByFile.get(file)?.get(line) ?? [];
  }

  isUnreached(file: number, line: number): boolean {
    return this.unreachedByFile.get(file)?.has(line) ?? false;
  }

  /// Numbers of the lines of which something is known, in order.
  knownLines(file: number): number[] {
    const known = new Set([...(this.linesByFile.get(file)?.keys() ?? []), ...(this.unreachedByFile.get(file) ?? [])]);
    return [...known].sort((a, b) => a - b);
  }

  fileShare(file: number): number {
    let share = 0;
    for (const lines of this.linesByFile.get(file)?.values() ?? [])
      for (const line of lines) share += this.knownShare(line.cost);
    return share;
  }

  /// Undefined where the file is not known, or is none of the report's.
  file(index: number): SourceFile | undefined {
    return this.profile.files[index];
  }

  path(file: number): string {
    return shown(this.file(file)?.path ?? "unknown file");
  }

  /// "PinApplet.java:97"
  shortPlace({ file, line }: Place): string {
    if (!this.file(file)) return "unknown";
    const name = this.path(file).split("/").pop()!;
    return line > 0 ? `${name}:${line}` : name;
  }

  /// A line in the comparison.
  compared(file: number, line: number): Compared | undefined {
    return this.comparedLines.get(`${file}:${line}`);
  }

  loopsAt(file: number, line: number): Loop[] {
    return this.profile.loops.filter((loop) => loop.file === file && loop.line === line);
  }

  nodeName(node: number): string {
    return shown(this.profile.tree.functions[this.profile.tree.nodes[node][0]][0]);
  }

  nodePlace(node: number): Place {
    const [, file, line] = this.profile.tree.functions[this.profile.tree.nodes[node][0]];
    return { file, line };
  }

  /// `ticks` as a share of the whole call tree.
  treeShare(ticks: number): number {
    return this.treeTotal > 0 ? ticks / this.treeTotal : 0;
  }

  /// The callers of a line's function, and what the line costs in their calls.
  callers(line: Line): Relation[] {
    const { arcs } = this.profile.tree;
    if (arcs) return this.byArcs(arcs.filter(([, callee]) => this.owning(line).has(callee)), 0);
    const relations: Relation[] = [];
    for (const index of this.nodesOf(this.owning(line))) {
      const [, parent, fromLine, calls, , , lines] = this.profile.tree.nodes[index];
      if (parent < 0) continue;
      const ticks = lines.find(([file, number]) => file === line.file && number === line.line)?.[2] ?? 0;
      const caller = this.nodePlace(parent);
      const place = fromLine > 0 ? { file: caller.file, line: fromLine } : caller;
      relations.push({ name: this.nodeName(parent), place, calls, ticks, isOfLine: true });
    }
    return merged(relations);
  }

  /// The calls out of a line, with all that they call; also those of its function from lines that are not known.
  callees(line: Line): Relation[] {
    const relations: Relation[] = [];
    const { nodes, arcs } = this.profile.tree;
    const owning = this.owning(line);
    if (arcs) {
      const isHere = (file: number, number: number) => !this.hasLines || number === 0 || (file === line.file && number === line.line);
      return this.byArcs(arcs.filter(([caller, , file, number]) => owning.has(caller) && isHere(file, number)), 1);
    }
    for (const owner of this.nodesOf(owning))
      for (const child of this.children[owner]) {
        const [func, , fromLine, calls, , inclusive] = nodes[child];
        if (this.hasLines && fromLine > 0 && fromLine !== line.line) continue;
        // In a recursion the same call further out holds this one's cost already.
        const ticks = this.isWithin(owner, func, fromLine, owning) ? 0 : inclusive;
        relations.push({ name: this.nodeName(child), place: this.nodePlace(child), calls, ticks, isOfLine: !this.hasLines || fromLine > 0 });
      }
    return merged(relations);
  }

  /// The callers (0) or callees (1) of arcs. A caller stands at the line that calls.
  private byArcs(arcs: TreeArc[], end: 0 | 1): Relation[] {
    return merged(arcs.map((arc) => {
      const [name, file, line] = this.profile.tree.functions[arc[end]];
      const isKnown = arc[3] > 0;
      const place = end === 0 && isKnown ? { file: arc[2], line: arc[3] } : { file, line };
      return { name: shown(name), place, calls: arc[4], ticks: arc[5] ?? 0, isOfLine: isKnown || !this.hasLines };
    }));
  }

  private isWithin(node: number, func: number, fromLine: number, callers: Set<number>): boolean {
    const nodes = this.profile.tree.nodes;
    for (let at = node; nodes[at][1] >= 0; at = nodes[at][1])
      if (nodes[at][0] === func && nodes[at][2] === fromLine && callers.has(nodes[nodes[at][1]][0])) return true;
    return false;
  }

  /// The functions of the tree that are a line's.
  private owning(line: Line): Set<number> {
    const isOwner = ([name, file]: TreeFunction) => name === line.function && (file === line.file || file < 0);
    return new Set(this.profile.tree.functions.flatMap((entry, index) => (isOwner(entry) ? [index] : [])));
  }

  private nodesOf(functions: Set<number>): number[] {
    return this.profile.tree.nodes.flatMap((node, index) => (functions.has(node[0]) ? [index] : []));
  }
}

function lineOf({ name, file, line, calls, exclusive, each }: Func): Line {
  return { file, line, function: name, hits: calls, cost: exclusive, each };
}

/// One for each place and name, dearest first.
function merged(relations: Relation[]): Relation[] {
  const found = new Map<string, Relation>();
  for (const relation of relations) {
    const key = `${relation.place.file}:${relation.place.line}:${relation.isOfLine}:${relation.name}`;
    const known = found.get(key);
    if (known) [known.calls, known.ticks] = [known.calls + relation.calls, known.ticks + relation.ticks];
    else found.set(key, relation);
  }
  return [...found.values()].sort((a, b) => b.ticks - a.ticks);
}

/// A link to a line of the source view: "#source/0:97".
export function sourceLink({ file, line }: Place): string {
  return `#source/${file}:${line}`;
}
