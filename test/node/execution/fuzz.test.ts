/** Random transactions of Ethereum's kinds, here and in @ethereumjs/vm: the same gas, logs and accounts, or refused. */
import { randomInt } from "node:crypto";
import { expect, test } from "@jest/globals";
import { differenceMet } from "../../support/evm-differences.ts";
import { seededRandom } from "../../support/random.ts";
import { executeHere, executeThere, randomTransaction } from "../../support/transaction-scenario.ts";

const SECONDS = Number(process.env["KNIT_FUZZ_SECONDS"] ?? 0);
const SEED = process.env["KNIT_SEED"];
const CASES = 250;

// Before Prague a byte of input costs more here than there (100 gas).
test.each(["prague", "osaka"] as const)(
  "random transactions of %s end as the oracle says",
  async (revision) => {
    const seed = Number(SEED ?? (SECONDS > 0 ? randomInt(2 ** 31) : 1));
    const end = Date.now() + (SECONDS * 1000) / 2;
    const counts = { ok: 0, failed: 0, refused: 0, different: 0 };
    for (let number = 0; number < CASES || Date.now() < end; number++) {
      const name = `KNIT_SEED=${seed}, ${revision}, case ${number}`;
      const scenario = randomTransaction(seededRandom(seed + Math.imul(number + 1, 0x9e3779b1)), revision);
      const { ended, seen } = executeHere(scenario);
      if (differenceMet(seen, revision) !== undefined) counts.different++;
      else {
        expect({ name, ...ended }).toEqual({ name, ...(await executeThere(scenario)) });
        counts[ended.end]++;
      }
    }
    if (SECONDS > 0) process.stderr.write(`fuzz: ${revision}: ${JSON.stringify({ seed, ...counts })}\n`);
    expect(counts.different).toBeLessThan(CASES / 10);
    for (const kind of ["ok", "failed", "refused"] as const) expect(counts[kind]).toBeGreaterThan(CASES / 10);
  },
  1_800_000,
);
