/** Random transactions of Ethereum's kinds and of the chain's own, here and in @ethereumjs/vm: the same gas, logs and accounts, or refused. Fee payers are not among them: no other implementation that may be used here knows them; recorded chains hold every kind with and without one. */
import { randomInt } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "@jest/globals";
import { differenceMet } from "../../support/evm-differences.ts";
import { seededRandom } from "../../support/random.ts";
import { rulesUpTo } from "../../support/suite-runners.ts";
import { TRANSACTION_FORKS } from "../../support/transaction-differences.ts";
import { executeHere, executeThere } from "../../support/transaction-runs.ts";
import { randomTransaction } from "../../support/transaction-scenario.ts";

const SECONDS = Number(process.env["KNIT_FUZZ_SECONDS"] ?? 0);
const SEED = process.env["KNIT_SEED"];
const CASES = 30;

test.each(TRANSACTION_FORKS)(
  "random transactions of %s end as the oracle says",
  async (fork) => {
    const seed = Number(SEED ?? (SECONDS > 0 ? randomInt(2 ** 31) : 1));
    const end = Date.now() + (SECONDS * 1000) / TRANSACTION_FORKS.length;
    const counts = { ok: 0, failed: 0, refused: 0, different: 0 };
    let number = 0;
    for (; number < CASES || Date.now() < end; number++) {
      const name = `KNIT_SEED=${seed}, ${fork}, case ${number}`;
      const scenario = randomTransaction(seededRandom(seed + Math.imul(number + 1, 0x9e3779b1)), fork);
      const { ended, seen } = executeHere(scenario);
      if (differenceMet(seen, rulesUpTo(fork).evm) !== undefined) counts.different++;
      else {
        const there = await executeThere(scenario);
        if (!isDeepStrictEqual(ended, there)) process.stderr.write(`fuzz: ${name} differs\n`);
        expect(ended).toEqual(there);
        counts[ended.end]++;
      }
    }
    if (SECONDS > 0) process.stderr.write(`fuzz: ${fork}: ${JSON.stringify({ seed, ...counts })}\n`);
    expect(counts.different).toBeLessThan(number / 5);
    for (const kind of ["ok", "failed", "refused"] as const) expect(counts[kind]).toBeGreaterThan(CASES / 20);
  },
  1_800_000,
);
