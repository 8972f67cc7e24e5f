/** Our function and an oracle's, timed in turns in one run. */
import { median, report, roundTo } from "./figures.ts";

/** Two functions that do the same. */
export interface Pair {
  readonly name: string;
  readonly ours: () => unknown;
  readonly oracle: () => unknown;
  readonly oracleName: string;
}

const ROUNDS = 9;
const ROUND_MS = 60;

/**
 * Prints one line: `ns` is the median of the rounds in CPU time of the thread, which other programs disturb
 * little, `ratio` how many times faster ours is.
 */
export function compare({ name, ours, oracle, oracleName }: Pair): void {
  const times = { ours: timesFor(ours), oracle: timesFor(oracle) };
  const rounds: { ours: number[]; oracle: number[] } = { ours: [], oracle: [] };
  for (let round = 0; round < ROUNDS; round++) {
    rounds.ours.push(timeOf(ours, times.ours));
    rounds.oracle.push(timeOf(oracle, times.oracle));
  }
  const [ns, oracleNs] = [median(rounds.ours), median(rounds.oracle)];
  report({
    name,
    ns: roundTo(ns),
    oracle: oracleName,
    oracleNs: roundTo(oracleNs),
    ratio: roundTo(oracleNs / ns),
  });
}

function timeOf(run: () => unknown, times: number): number {
  const before = process.threadCpuUsage();
  for (let i = 0; i < times; i++) run();
  const { user, system } = process.threadCpuUsage(before);
  return ((user + system) * 1_000) / times;
}

/** Number of runs after which a round takes `ROUND_MS` by the wall clock: CPU time comes in coarse steps. */
function timesFor(run: () => unknown): number {
  for (let times = 1; ; times *= 2) {
    const started = performance.now();
    for (let i = 0; i < times; i++) run();
    const took = performance.now() - started;
    if (took >= ROUND_MS / 2) return Math.max(1, Math.round((times * ROUND_MS) / took));
  }
}
