// SPDX-License-Identifier: Apache-2.0
// Types of d3-flame-graph, which brings none, as far as the page uses it.
declare module "d3-flame-graph" {
  import type { Selection } from "d3-selection";

  /// A frame as it is laid out: from x0 to x1 of 1, at `depth`.
  export interface Frame<T> {
    data: T;
    x0: number;
    x1: number;
    depth: number;
    parent: Frame<T> | null;
    children?: Frame<T>[];
    highlight?: boolean;
  }

  export interface FlameGraph<T> {
    (selection: Selection<HTMLDivElement, T, null, undefined>): void;
    width(pixels: number): this;
    cellHeight(pixels: number): this;
    minFrameSize(pixels: number): this;
    transitionDuration(milliseconds: number): this;
    inverted(rootsOnTop: boolean): this;
    resetHeightOnZoom(reset: boolean): this;
    sort(sorted: (a: Frame<T>, b: Frame<T>) => number): this;
    setColorMapper(colour: (frame: Frame<T>, original: string) => string): this;
    setLabelHandler(label: (frame: Frame<T>) => string): this;
    setDetailsHandler(details: (text: string | null) => void): this;
    setSearchMatch(matches: (frame: Frame<T>, term: string) => boolean): this;
    setSearchHandler(found: (frames: Frame<T>[], sum: number, total: number) => void): this;
    onClick(clicked: (frame: Frame<T>) => void): this;
    onHover(hovered: (frame: Frame<T>) => void): this;
    search(term: string): void;
    clear(): void;
    zoomTo(frame: Frame<T>): void;
    resetZoom(): void;
    update(): void;
  }

  export default function flamegraph<T>(): FlameGraph<T>;
}
