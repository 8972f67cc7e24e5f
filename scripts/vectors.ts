/**
 * Runs recorded vectors of any kind: `npm run vectors -- [--results FILE] [NAME=]PATH...`. A path is a packed suite, a
 * file of samples, a folder of a recorded chain or of recorded connections, or a folder of such. Each failure is a
 * line, and each rule by which cases of published suites differ here is a row of a table; the last line is `N passed,
 * N failed`; the exit code is 0 only when nothing failed. `--results` writes the counts of each path into a JSON file, in
 * a row under the name before its path.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { DIFFERENCE_RULES } from "../test/support/difference-rules.ts";
import { writeResult } from "../test/support/suite-results.ts";
import { Tally } from "../test/support/tally.ts";
import { judgeVector } from "../test/support/vectors-kinds.ts";

/** More failures of one path are counted and not printed. */
const MAX_LINES = 50;

/** Working directory of the caller; npm runs scripts in the project's folder. */
const from = process.env["INIT_CWD"] ?? process.cwd();
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { results: { type: "string" } },
});
const suites = positionals.map(suiteOf);
const totals = { passed: 0, failed: 0 };
const all = new Tally();

if (suites.length === 0) {
  console.error("usage: npm run vectors -- [--results FILE] [NAME=]PATH...");
  totals.failed = 1;
}
for (const { name, path } of suites) {
  const comparison = await judgeVector(resolve(from, path));
  const { passed, failed, failures, excluded = {} } = comparison;
  for (const line of failures.slice(0, MAX_LINES)) console.log(`${name}: ${shorten(line)}`);
  if (failures.length > MAX_LINES) console.log(`${name}: ... and ${failures.length - MAX_LINES} more`);
  for (const [rule, count] of Object.entries(excluded)) all.exclude(rule, count);
  if (suites.length > 1) console.log(`${name}: ${passed} passed, ${failed} failed`);
  if (values.results !== undefined) writeResult(resolve(from, values.results), name, comparison);
  totals.passed += passed;
  totals.failed += failed;
}
for (const line of exclusionTable(all.comparison.excluded ?? {})) console.log(line);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed === 0 ? 0 : 1;

/** A path with the name of its suite in front of it, which is the path itself where none is given. */
function suiteOf(text: string): { readonly name: string; readonly path: string } {
  const at = text.indexOf("=");
  return at < 0 ? { name: text, path: text } : { name: text.slice(0, at), path: text.slice(at + 1) };
}

function shorten(line: string): string {
  return line.length <= 1_500 ? line : `${line.slice(0, 1_500)}...`;
}

/** Rows in Markdown: the rules that cases fell under, how many did, why, and the Go file. */
function exclusionTable(counts: Readonly<Record<string, number>>): string[] {
  const rows = DIFFERENCE_RULES.filter(({ name }) => counts[name] !== undefined).map(
    ({ name, reason, source }) => `| ${name} | ${counts[name]} | ${reason} | \`${source}@v2.2.2\` |`,
  );
  const head = ["| excluded by rule | cases | reason | Go file |", "|---|---|---|---|"];
  return rows.length === 0 ? [] : [...head, ...rows];
}
