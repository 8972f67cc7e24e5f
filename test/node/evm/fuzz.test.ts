/** Random programs of every revision, here and in @ethereumjs/evm: the same gas, output, logs and accounts. */
import { randomInt } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "@jest/globals";
import { EVM_REVISIONS } from "../../../node/config/rule-facts.ts";
import { differenceMet } from "../../support/evm-differences.ts";
import { runThere } from "../../support/evm-oracle.ts";
import { randomScenario, runHere } from "../../support/evm-scenario.ts";
import { seededRandom } from "../../support/random.ts";

const SECONDS = Number(process.env["KNIT_FUZZ_SECONDS"] ?? 0);
const SEED = process.env["KNIT_SEED"];
const CASES = 80;

test.each(EVM_REVISIONS)(
  "random programs of %s end as the oracle says",
  async (revision) => {
    const seed = Number(SEED ?? (SECONDS > 0 ? randomInt(2 ** 31) : 1));
    const end = Date.now() + (SECONDS * 1000) / EVM_REVISIONS.length;
    const counts = { ok: 0, reverted: 0, failed: 0 };
    const ran = new Set<number>();
    const met = new Map<string, number>();
    for (let number = 0; number < CASES || Date.now() < end; number++) {
      const name = `KNIT_SEED=${seed}, ${revision}, case ${number}`;
      const scenario = randomScenario(seededRandom(seed + Math.imul(number + 1, 0x9e3779b1)), revision);
      const { ended, seen } = runHere(scenario);
      const difference = differenceMet(seen, revision);
      if (difference !== undefined) {
        met.set(difference.name, (met.get(difference.name) ?? 0) + 1);
        continue;
      }
      const there = await runThere(scenario);
      if (!isDeepStrictEqual(ended, there)) process.stderr.write(`fuzz: ${name} differs\n`);
      expect(ended).toEqual(there);
      counts[ended.end]++;
      for (const op of seen.opcodes) ran.add(op);
    }
    if (SECONDS > 0) process.stderr.write(`fuzz: ${revision}: ${JSON.stringify({ seed, ...counts })}\n`);
    const compared = counts.ok + counts.reverted + counts.failed;
    expect(compared).toBeGreaterThan(CASES * 0.9);
    expect(counts.ok).toBeGreaterThan(CASES * 0.2);
    expect(ran.size).toBeGreaterThan(60);
  },
  1_800_000,
);
