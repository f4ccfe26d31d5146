// SPDX-License-Identifier: Apache-2.0
// Elements, made without markup: all text goes in as text, and characters that would move or hide other text are shown
// as escapes.

export type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined>;

// Controls but for tab, soft hyphen, zero-width and bidirectional controls, line and paragraph separators, tags, halves of pairs.
const hidden =
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udfff]/gu;

/// `text` from a source, a card or a log with nothing hidden in it: "\u{202e}" for what turns the direction of writing.
export function shown(text: string): string {
  return text.replace(hidden, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

export function button(text: string, pressed: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const element = el("button", { type: "button", ...attributes }, text);
  element.addEventListener("click", pressed);
  return element;
}

/// Pairs of words and what they say.
export function pairs(entries: [string, Child][]): HTMLElement {
  const list = el("dl", { class: "pairs" });
  for (const [word, said] of entries) list.append(el("dt", {}, word), el("dd", {}, said));
  return list;
}

/// A bar of `fraction` of its room, for the eye: the number stands beside it.
export function bar(fraction: number, level: number): HTMLElement {
  const filled = el("span", { class: `heat-${level}` });
  filled.style.width = `${100 * Math.min(Math.max(fraction, 0), 1)}%`;
  return el("span", { class: "bar", "aria-hidden": "true" }, filled);
}
