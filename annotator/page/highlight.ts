// SPDX-License-Identifier: Apache-2.0
// Keywords, strings and comments of C, C++ and Java in sources, as far as a line by itself and the block comments before
// it tell. It is there for the eye: where it is wrong, a colour is wrong.
import { el, shown } from "./dom";

export type Highlighter = (text: string, index: number) => (Node | string)[];

const keywords = new Set(
  ("abstract auto bool boolean break byte case catch char class const constexpr continue default delete do double else enum " +
   "extends extern false final finally float for goto if implements import inline instanceof int int16_t int32_t int64_t " +
   "int8_t interface long namespace new null nullptr package private protected public register return short signed size_t " +
   "sizeof static struct super switch template this throw throws true try typedef typename uint16_t uint32_t uint64_t " +
   "uint8_t union unsigned using virtual void volatile while").split(" "));
const tokens = /\/\/.*|\/\*.*?(?:\*\/|$)|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|[A-Za-z_]\w*|^\s*#\s*\w+/g;

/// For each line whether it begins within a block comment.
function commented(lines: string[]): Uint8Array {
  const within = new Uint8Array(lines.length);
  let isWithin = false;
  for (const [index, line] of lines.entries()) {
    within[index] = isWithin ? 1 : 0;
    if (isWithin) isWithin = !line.includes("*/");
    else if (line.includes("/*")) isWithin = endsInComment(line);
  }
  return within;
}

function endsInComment(line: string): boolean {
  const found = line.match(tokens) ?? [];
  const last = found[found.length - 1] ?? "";
  return last.startsWith("/*") && (last.length < 4 || !last.endsWith("*/"));
}

function kind(token: string): string {
  if (/^\/[/*]/.test(token)) return "comment";
  if (/^["']/.test(token)) return "string";
  if (/^\s*#/.test(token) || keywords.has(token)) return "keyword";
  return "";
}

function coloured(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let from = 0;
  for (const match of text.matchAll(tokens)) {
    const name = kind(match[0]);
    if (!name) continue;
    parts.push(shown(text.slice(from, match.index)), el("span", { class: name }, shown(match[0])));
    from = match.index + match[0].length;
  }
  parts.push(shown(text.slice(from)));
  return parts;
}

export function highlighter(path: string, lines: string[]): Highlighter {
  if (!/\.(c|cc|cpp|cxx|h|hh|hpp|hxx|inc|java)$/.test(path)) return (text) => [shown(text)];
  const within = commented(lines);
  return (text, index) => {
    if (!within[index]) return coloured(text);
    const end = text.indexOf("*/");
    if (end < 0) return [el("span", { class: "comment" }, shown(text))];
    return [el("span", { class: "comment" }, shown(text.slice(0, end + 2))), ...coloured(text.slice(end + 2))];
  };
}
