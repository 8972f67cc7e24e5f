/** Many random cases: a fixed slice in `npm test`, as many as fit into KNIT_FUZZ_SECONDS where that is set. */
import { randomInt } from "node:crypto";
import { expect } from "@jest/globals";
import { Random } from "./random.ts";

const SECONDS = Number(process.env["KNIT_FUZZ_SECONDS"] ?? 0);
const SEED = process.env["KNIT_SEED"];

/** Plan of one test's random cases; `share` is its part of the seconds. */
export interface FuzzPlan {
  readonly seed: number;
  readonly cases: number;
  readonly share?: number;
}

/**
 * Runs `run` with a generator of its own for each case. What it throws names seed and case; with KNIT_SEED the
 * same cases come again. With a time budget the seed is new each time, and printed.
 */
export async function fuzz(plan: FuzzPlan, run: (random: Random) => void): Promise<void> {
  const seed = SEED === undefined ? (SECONDS > 0 ? randomInt(2 ** 31) : plan.seed) : Number(SEED);
  const end = Date.now() + SECONDS * 1_000 * (plan.share ?? 1);
  let done = 0;
  for (; done < plan.cases || Date.now() < end; done++) {
    attempt(seed, done, run);
    if (done % 1_000 === 999) await new Promise(setImmediate);
  }
  if (SECONDS === 0) return;
  const { currentTestName = "" } = expect.getState();
  process.stderr.write(`fuzz: ${currentTestName}: seed ${seed}, ${done} cases\n`);
}

function attempt(seed: number, number: number, run: (random: Random) => void): void {
  try {
    run(new Random(Math.imul(seed ^ Math.imul(number + 1, 0x9e3779b1), 0x85ebca6b)));
  } catch (error) {
    throw new Error(
      `KNIT_SEED=${seed}, case ${number}: ${error instanceof Error ? error.message : "not an error"}`,
      {
        cause: error,
      },
    );
  }
}
