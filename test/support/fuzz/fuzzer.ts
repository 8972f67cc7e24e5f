/**
 * A fuzzer that is guided by coverage: it mutates inputs, keeps those that reach new blocks of the node's code, and
 * stops at the first input with a finding. Inputs run in batches, since reading the counters takes a millisecond.
 */
import { seededRandom } from "../random.ts";
import { Coverage } from "./coverage.ts";
import { mutate } from "./mutate.ts";
import type { FuzzTarget } from "./target.ts";

/** Inputs between two readings of the counters. */
const BATCH = 128;
/** Milliseconds of processor time that one input may take; waiting for a processor does not count. */
const MAX_MS = 500;

/** An input that a target must not answer in this way. */
export interface Finding {
  readonly input: Uint8Array;
  readonly problem: string;
}

/** Result of fuzzing one target. */
export interface FuzzReport {
  readonly runs: number;
  /** Functions and blocks that ran. */
  readonly blocks: number;
  /** Inputs that reached new blocks, without those given. */
  readonly kept: readonly Uint8Array[];
  readonly finding: Finding | undefined;
}

/** Options of a run. */
export interface FuzzOptions {
  readonly seed: number;
  readonly milliseconds: number;
  /** Inputs besides the target's own. */
  readonly corpus: readonly Uint8Array[];
}

/** Runs one input. Returns the problem: an error that the target does not document, or too much time. */
export async function problemWith(
  { run, refuses }: FuzzTarget,
  input: Uint8Array,
): Promise<string | undefined> {
  const started = process.threadCpuUsage();
  try {
    await run(input);
  } catch (error) {
    const isRefusal = refuses.some((each) => error instanceof each);
    if (!isRefusal) return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  const { user, system } = process.threadCpuUsage(started);
  const took = (user + system) / 1000;
  return took > MAX_MS ? `it took ${Math.round(took)} ms` : undefined;
}

/** Fuzzes one target for a time. */
export async function fuzzTarget(target: FuzzTarget, options: FuzzOptions): Promise<FuzzReport> {
  using coverage = new Coverage(target.covers ?? "/node/");
  const random = seededRandom(options.seed);
  const inputs = [...target.seeds(), ...options.corpus];
  const given = inputs.length;
  const end = Date.now() + options.milliseconds;
  let runs = 0;
  const report = (finding?: Finding): FuzzReport => ({
    runs,
    blocks: coverage.size,
    kept: inputs.slice(given),
    finding,
  });
  const anyInput = (): Uint8Array => inputs[Math.floor(random() * inputs.length)] ?? new Uint8Array(0);
  for (const input of inputs) {
    const problem = await problemWith(target, input);
    if (problem !== undefined) return report({ input, problem });
  }
  coverage.take();
  while (Date.now() < end) {
    const batch = Array.from({ length: BATCH }, () => mutate(anyInput(), anyInput(), random));
    for (const input of batch) {
      runs++;
      const problem = await problemWith(target, input);
      if (problem !== undefined) return report({ input, problem });
    }
    const reached = new Set(coverage.take());
    if (reached.size === 0) continue;
    for (const input of batch) {
      await problemWith(target, input);
      if (coverage.takeFrom(reached)) inputs.push(input);
      if (reached.size === 0) break;
    }
  }
  return report();
}
