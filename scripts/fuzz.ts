/**
 * Fuzzing of the decoders, guided by coverage: `node scripts/fuzz.ts [--seconds N] [--seed N] [--keep] [TARGET...]`.
 * The seconds are shared by the targets. `--keep` adds inputs that reach new code to `test/vectors/fuzz`. Ends with 1
 * at a finding, which is printed as hex.
 */
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { bareHex } from "../node/bytes/hex.ts";
import { growCorpus, readCorpus } from "../test/support/fuzz/corpus.ts";
import { fuzzTarget } from "../test/support/fuzz/fuzzer.ts";
import { fuzzTargets } from "../test/support/fuzz/targets.ts";

const { values, positionals } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string" },
    keep: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const chosen = fuzzTargets.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const unknown = positionals.filter((name) => !fuzzTargets.some((target) => target.name === name));
const milliseconds = (Number(values.seconds) * 1000) / Math.max(1, chosen.length);
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);

if (unknown.length > 0 || !(milliseconds > 0) || !Number.isSafeInteger(seed)) {
  const names = fuzzTargets.map(({ name }) => name).join(", ");
  process.stderr.write(
    `usage: node scripts/fuzz.ts [--seconds N] [--seed N] [--keep] [TARGET...]\n${names}\n`,
  );
  process.exitCode = 2;
} else {
  let findings = 0;
  let runs = 0;
  for (const target of chosen) {
    const report = await fuzzTarget(target, { seed, milliseconds, corpus: readCorpus(target.name) });
    runs += report.runs;
    const kept = values.keep ? `, ${growCorpus(target.name, report.kept)} kept` : "";
    process.stdout.write(
      `${target.name}: seed ${seed}, ${report.runs} inputs, ${report.blocks} blocks, ${report.kept.length} new${kept}\n`,
    );
    if (report.finding === undefined) continue;
    findings++;
    process.stdout.write(`FOUND ${report.finding.problem}\n  ${bareHex(report.finding.input)}\n`);
  }
  process.stdout.write(`fuzz: ${runs} inputs, ${findings} findings\n`);
  process.exitCode = findings > 0 ? 1 : 0;
}
