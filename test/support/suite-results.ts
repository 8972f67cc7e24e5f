/**
 * Results of runs of `npm run vectors` on whole suites, as `--results FILE` writes them: a JSON list with a row for each
 * suite. `docs/compatibility.md` is made from test/vectors/suite-results.json.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Comparison } from "./tally.ts";

/** Counts of one run of one suite. */
export interface SuiteResult {
  readonly suite: string;
  /** Day of the run. */
  readonly date: string;
  readonly passed: number;
  /** Cases that differ by design, by the name of the rule. */
  readonly excluded: Readonly<Record<string, number>>;
  readonly failed: number;
  /** Cases that the Go node's own runner of v2.2.2 passes, where they were counted. */
  readonly go?: number;
}

/** Reads a file of results; empty where there is none. */
export function readResults(path: string): readonly SuiteResult[] {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as SuiteResult[]) : [];
}

/** Writes the result of a suite into a file, in the place of an earlier one; the count of the Go runner stays. */
export function writeResult(path: string, suite: string, comparison: Comparison): void {
  const { passed, failed, excluded = {} } = comparison;
  const all = readResults(path);
  const before = all.find((row) => row.suite === suite);
  const row: SuiteResult = {
    suite,
    date: new Date().toISOString().slice(0, 10),
    ...(before?.go !== undefined && { go: before.go }),
    passed,
    excluded,
    failed,
  };
  const rows = before === undefined ? [...all, row] : all.map((one) => (one === before ? row : one));
  writeFileSync(path, `${JSON.stringify(rows, undefined, 1)}\n`);
}
