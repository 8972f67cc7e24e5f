/**
 * Runs recorded vectors of any kind: `npm run vectors -- PATH...`. A path is a packed suite, a file of samples, a
 * folder of a recorded chain or of recorded connections, or a folder of such. Each failure is a line, and each rule by
 * which cases of Ethereum's suites differ on this chain is a row of a table; the last line is `N passed, N failed`; the
 * exit code is 0 only when nothing failed.
 */
import { resolve } from "node:path";
import { EXCLUSION_RULES } from "../test/support/suite-exclusions.ts";
import { Tally } from "../test/support/tally.ts";
import { judgeVector } from "../test/support/vectors-kinds.ts";

/** More failures of one path are counted and not printed. */
const MAX_LINES = 50;

/** Working directory of the caller; npm runs scripts in the project's folder. */
const from = process.env["INIT_CWD"] ?? process.cwd();
const paths = process.argv.slice(2);
const totals = { passed: 0, failed: 0 };
const all = new Tally();

if (paths.length === 0) {
  console.error("usage: npm run vectors -- PATH...");
  totals.failed = 1;
}
for (const path of paths) {
  const comparison = await judgeVector(resolve(from, path));
  const { passed, failed, failures, excluded = {} } = comparison;
  for (const line of failures.slice(0, MAX_LINES)) console.log(`${path}: ${shorten(line)}`);
  if (failures.length > MAX_LINES) console.log(`${path}: ... and ${failures.length - MAX_LINES} more`);
  for (const [rule, count] of Object.entries(excluded)) all.exclude(rule, count);
  if (paths.length > 1) console.log(`${path}: ${passed} passed, ${failed} failed`);
  totals.passed += passed;
  totals.failed += failed;
}
for (const line of exclusionTable(all.comparison.excluded ?? {})) console.log(line);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed === 0 ? 0 : 1;

function shorten(line: string): string {
  return line.length <= 1_500 ? line : `${line.slice(0, 1_500)}...`;
}

/** Rows in Markdown: the rules that cases fell under, how many did, why, and the Go file. */
function exclusionTable(counts: Readonly<Record<string, number>>): string[] {
  const rows = EXCLUSION_RULES.filter(({ name }) => counts[name] !== undefined).map(
    ({ name, reason, source }) => `| ${name} | ${counts[name]} | ${reason} | \`${source}@v2.2.2\` |`,
  );
  const head = ["| excluded by rule | cases | reason | Go file |", "|---|---|---|---|"];
  return rows.length === 0 ? [] : [...head, ...rows];
}
