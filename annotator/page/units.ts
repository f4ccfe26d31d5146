// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them: with their unit, as many digits as the interval carries, and never more said than known.
import type { Cost, Interval, Profile } from "./data";

const steps = [1, 1e3, 1e6, 1e9];
const seconds = ["ns", "µs", "ms", "s"];
const thousands = ["", "k ", "M ", "G "];

interface Scale {
  ticks: number;
  name: string;
}

/// The place of the first digit of `value`: 1 for 40, -1 for 0.3.
function magnitude(value: number): number {
  return value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
}

function digits(value: number, decimals: number): string {
  const text = value.toFixed(Math.min(Math.max(decimals, 0), 9));
  return text.replace(/^-/, "−");
}

function stepOf(ticks: number): number {
  let step = 0;
  // 999.96 would be printed as 1000.0: the next unit begins a little early.
  while (step + 1 < steps.length && Math.abs(ticks) >= 0.9995 * steps[step + 1]) ++step;
  return step;
}

/// The wider side, as the value may lie off the middle.
function halfWidth([value, low, high]: Interval): number | null {
  return value === null || low === null || high === null ? null : Math.max(high - value, value - low);
}

export class Units {
  readonly unit: Profile["unit"];
  private readonly hz: number;

  constructor(profile: Profile) {
    this.unit = profile.unit;
    this.hz = profile.unit === "cycles" ? profile.hz : 0;
  }

  /// "2.51 ms"
  amount(ticks: number | null): string {
    if (ticks === null) return "unknown";
    if (ticks === 0) return `0 ${this.unit}`;
    const scale = this.scaleFor(ticks);
    const value = ticks / scale.ticks;
    const isWhole = this.unit !== "ns" && scale.ticks === 1 && Number.isInteger(ticks);
    return `${digits(value, isWhole ? 0 : 2 - magnitude(value))} ${scale.name}`;
  }

  /// "2.5 ms ±0.5"
  interval(ticks: Interval | null): string {
    const value = ticks ? ticks[0] : null;
    if (!ticks || value === null) return "not measured";
    const half = halfWidth(ticks);
    // A recording of one run has a value and no interval.
    if (half === null || half === 0) return this.amount(value);
    const scale = this.scaleFor(Math.max(Math.abs(value), half));
    const size = value / scale.ticks;
    const first = magnitude(size);
    const width = half / scale.ticks;
    const decimals = Math.max(0, Math.min(Math.max(-magnitude(width), 1 - first), 5 - first));
    return `${digits(size, decimals)} ${scale.name} ±${digits(width, Math.max(decimals, -magnitude(width)))}`;
  }

  /// "2.0 ms to 3.0 ms"
  range([, low, high]: Interval): string {
    if (low === null && high === null) return "not known";
    if (low === null) return `up to ${this.amount(high)}`;
    return high === null ? `at least ${this.amount(low)}` : `${this.amount(low)} to ${this.amount(high)}`;
  }

  /// A cost as far as it is known: "2.5 ms ±0.5", or "< 225 µs" below resolution.
  cost(cost: Cost): string {
    if (cost.unreliable) return "unreliable";
    if (cost.resolved || cost.ticks[2] === null) return this.interval(cost.ticks);
    return this.below(cost.ticks[2]);
  }

  /// The cost of one of `count`, which cost that much together.
  each(cost: Cost, count: number): string {
    const part = (ticks: number | null) => (ticks === null ? null : ticks / count);
    return this.cost({ ...cost, ticks: cost.ticks.map(part) as Interval });
  }

  /// "+1.2 ms ±0.3"
  signed(ticks: Interval | null): string {
    if (!ticks || ticks[0] === null) return "";
    return (ticks[0] > 0 ? "+" : "") + this.interval(ticks);
  }

  /// Cycles in time, where their rate is known: "5.02 ms". Empty elsewhere; instructions have no time.
  asTime(ticks: number | null | undefined): string {
    if (ticks === null || ticks === undefined || !(this.hz > 0)) return "";
    const nanoseconds = (ticks / this.hz) * 1e9;
    const step = stepOf(nanoseconds);
    const value = nanoseconds / steps[step];
    return `${digits(value, 2 - magnitude(value))} ${seconds[step]}`;
  }

  private below(ticks: number): string {
    const scale = this.scaleFor(ticks);
    const value = ticks / scale.ticks;
    const decimals = Math.max(0, 1 - magnitude(value));
    const step = 10 ** decimals;
    return `< ${digits(Math.ceil(value * step - 1e-9) / step, decimals)} ${scale.name}`;
  }

  private scaleFor(ticks: number): Scale {
    const step = stepOf(ticks);
    const name = this.unit === "ns" ? seconds[step] : thousands[step] + this.unit;
    return { ticks: steps[step], name };
  }
}

export function percent(share: number | null): string {
  if (share === null) return "unknown";
  const value = 100 * share;
  return `${digits(value, value > 0 && value < 0.995 ? 2 : 1)} %`;
}

/// The sum of several costs. An end that one of them does not know is unknown in the sum.
export function sumOf(costs: Cost[]): Cost {
  const sum = (intervals: Interval[]) => [0, 1, 2].map((end) =>
    intervals.reduce((known: number | null, { [end]: value }) => (known === null || value === null ? null : known + value), 0)) as Interval;
  return { ticks: sum(costs.map(({ ticks }) => ticks)), share: sum(costs.map(({ share }) => share)), resolved: costs.some(({ resolved }) => resolved),
    ...(costs.some(({ unreliable }) => unreliable) && { unreliable: true as const }) };
}

/// A cost that may be nothing, and of which it is known how much it is at most.
export function isBelow({ resolved, ticks }: Cost): boolean {
  return !resolved && ticks[2] !== null;
}

export function shareOf(cost: Cost): string {
  return isBelow(cost) && cost.share[2] !== null ? `< ${percent(cost.share[2])}` : percent(cost.share[0]);
}

/// "+12.5 %"
export function change(share: number): string {
  return (share > 0 ? "+" : "") + percent(share);
}

/// "+12.5 % ±0.4"
export function signedPercent(share: Interval | null): string {
  const [value, low, high] = share ?? [null, null, null];
  if (value === null) return "";
  const half = low === null || high === null ? null : (100 * (high - low)) / 2;
  if (half === null) return "";
  const width = half === 0 ? "" : ` ±${digits(half, half < 1 ? 2 : 1)}`;
  return change(value) + width;
}

export function times(count: number): string {
  return count > 0 ? `×${count.toLocaleString("en-GB")}` : "not known";
}

export function plural(count: number, thing: string, things = `${thing}s`): string {
  return `${count.toLocaleString("en-GB")} ${count === 1 ? thing : things}`;
}

/// How hot a share is, 0 to 5: the steps of the scale that the legend in About shows.
export const heatSteps = [0.005, 0.02, 0.05, 0.15, 0.35];

export function heat(share: number | null): number {
  return share === null ? 0 : heatSteps.filter((step) => share >= step).length;
}

export function heatOf(cost: Cost): number {
  return cost.resolved ? heat(cost.share[0]) : 0;
}
