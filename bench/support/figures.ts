/** Figures of repeated runs, printed as one JSON line each. */
import { availableParallelism } from "node:os";

/** The middle value; the mean of the two middle ones for an even count. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** The value that a part of all does not exceed; `NaN` without values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
}

/** Quantiles of repeated measurements, rounded. */
export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** The quantiles; `NaN` without values. */
export function quantilesOf(values: readonly number[]): Quantiles {
  const at = (part: number): number => roundTo(quantile(values, part));
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** The names of bounds that do not hold. */
export function faultsOf(checks: readonly (readonly [isFault: boolean, fault: string])[]): readonly string[] {
  return checks.filter(([isFault]) => isFault).map(([, fault]) => fault);
}

/** Prints a figure with the machine it was measured on. */
export function report(figure: Record<string, unknown>): void {
  const machine = { node: process.version, cores: availableParallelism() };
  process.stdout.write(
    `${JSON.stringify({ ...figure, ...machine, date: new Date().toISOString().slice(0, 10) })}\n`,
  );
}

/** Rounded to three significant digits, as a reader wants it. */
export function roundTo(value: number): number {
  return Number(value.toPrecision(3));
}
