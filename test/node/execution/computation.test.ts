/** Transactions that modexp ends by its computation cost; figures are those of the Go node's state transition. */
import { expect, test } from "@jest/globals";
import type { EvmRevision } from "../../../node/config/rule-facts.ts";
import { executeTransaction } from "../../../node/execution/transaction.ts";
import { assemble, rulesOf } from "../../support/evm.ts";
import { aContext, addressOf, aSent, aWorld, PRICE, putContract } from "../../support/execution.ts";

const COMPUTATION_LIMIT_REACHED = 0x0a;
const contract = addressOf(20);

/** Calls modexp with these lengths of base, exponent and modulus and 10,000 gas, then stores 1 at slot 1. */
function program(lengths: readonly bigint[]): Uint8Array {
  const header = lengths.map((length, i) => `${length} ${32 * i} MSTORE`).join(" ");
  return assemble(`${header} 0 0 96 0 5 10000 STATICCALL POP 1 1 SSTORE STOP`);
}

async function receiptOf(revision: EvmRevision, lengths: readonly bigint[]) {
  const world = await aWorld();
  putContract(world, contract, program(lengths));
  const rules = rulesOf(revision);
  const context = aContext(rules, {
    head: { ...(rules.baseFee && { baseFee: PRICE }), ...(rules.blobGas && { excessBlobGas: 0n }) },
  });
  const { receipt } = executeTransaction(world, aSent({ to: contract, gas: 200_000n }), context);
  return { status: receipt.status, gasUsed: receipt.gasUsed };
}

test.each<[string, EvmRevision, readonly bigint[]]>([
  ["a base of 2^64 bytes, at Osaka", "osaka", [2n ** 64n, 0n, 0n]],
  ["an exponent of 2^63 bytes, at Osaka", "osaka", [1n, 2n ** 63n + 32n, 1n]],
  ["an exponent of 2^63 bytes, at Prague", "prague", [1n, 2n ** 63n + 32n, 1n]],
  ["an exponent of 2^63 bytes, at Shanghai", "shanghai", [1n, 2n ** 63n + 32n, 1n]],
])("modexp ends the whole transaction by its computation cost: %s", async (_name, revision, lengths) => {
  expect(await receiptOf(revision, lengths)).toEqual({
    status: COMPUTATION_LIMIT_REACHED,
    gasUsed: 200_000n,
  });
});

test.each<[string, EvmRevision, readonly bigint[]]>([
  ["a base of 2^64 bytes, at Prague", "prague", [2n ** 64n, 0n, 0n]],
  ["an exponent of 2^58 bytes, at Shanghai", "shanghai", [0x13n, 2n ** 58n + 32n, 0n]],
  ["an exponent of 2^58 bytes, at Prague", "prague", [0x13n, 2n ** 58n + 32n, 0n]],
])("modexp that overflows fails alone, and the transaction goes on: %s", async (_name, revision, lengths) => {
  const { status, gasUsed } = await receiptOf(revision, lengths);
  expect(status).toBe(1);
  expect(gasUsed).toBeLessThan(60_000n);
});
