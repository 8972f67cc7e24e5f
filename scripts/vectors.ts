/**
 * Runs recorded vectors of any kind: `npm run vectors -- PATH...`. A path is a packed suite, a file of samples, a
 * folder of a recorded chain or of recorded connections, or a folder of such. Each failure is a line; the last line
 * is `N passed, N failed`; the exit code is 0 only when nothing failed.
 */
import { resolve } from "node:path";
import { judgeVector } from "../test/support/vectors-kinds.ts";

/** More failures of one path are counted and not printed. */
const MAX_LINES = 50;

/** Working directory of the caller; npm runs scripts in the project's folder. */
const from = process.env["INIT_CWD"] ?? process.cwd();
const paths = process.argv.slice(2);
const totals = { passed: 0, failed: 0 };

if (paths.length === 0) {
  console.error("usage: npm run vectors -- PATH...");
  totals.failed = 1;
}
for (const path of paths) {
  const { passed, failed, failures, excluded = 0 } = await judgeVector(resolve(from, path));
  for (const line of failures.slice(0, MAX_LINES)) console.log(`${path}: ${shorten(line)}`);
  if (failures.length > MAX_LINES) console.log(`${path}: ... and ${failures.length - MAX_LINES} more`);
  if (excluded > 0)
    console.log(`${path}: ${excluded} excluded by design, listed in test/vectors/core-tests-exclusions.json`);
  if (paths.length > 1) console.log(`${path}: ${passed} passed, ${failed} failed`);
  totals.passed += passed;
  totals.failed += failed;
}
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed === 0 ? 0 : 1;

function shorten(line: string): string {
  return line.length <= 1_500 ? line : `${line.slice(0, 1_500)}...`;
}
