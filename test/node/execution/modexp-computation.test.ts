/**
 * Modexp whose gas leaves 64 bits, called with little gas before a store: the computation cost of the failed call decides
 * about the whole transaction. Status and gas are those of Kaia v2.2.2.
 */
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { wordBytes } from "../../../node/bytes/word.ts";
import { addressOf, aSent } from "../../support/execution.ts";
import { ORACLE_CHAIN_ID, runHere } from "../../support/oracle/case.ts";
import { CONTRACTS } from "../../support/oracle/draw.ts";
import type { TransactionFork } from "../../support/transaction-differences.ts";

const GAS = 200_000n;
const COMPUTATION_LIMIT_REACHED = 10;

/** Code that writes three lengths, calls 0x05 with 10,000 gas, forgets the result and stores 1. */
function codeWith(lengths: readonly bigint[]): string {
  const writes = lengths.map((length, index) => {
    const place = (32 * index).toString(16).padStart(2, "0");
    return `7f${toHex(wordBytes(length)).slice(2)}60${place}52`;
  });
  return `0x${writes.join("")}60006000606060006005612710fa5060016000550000`;
}

function outcome(fork: TransactionFork, lengths: readonly bigint[]): { status: number; gasUsed?: number } {
  const [to] = CONTRACTS;
  const tx = aSent({ chainId: ORACLE_CHAIN_ID, gas: GAS, gasFeeCap: 25n, gasTipCap: 25n, value: 0n, to });
  const account = { nonce: "0x0", storage: {} };
  const result = runHere({
    fork,
    deferred: true,
    pre: {
      [toHex(addressOf(1))]: { ...account, balance: "0xffffffffffff", code: "0x" },
      [toHex(to ?? new Uint8Array(20))]: { ...account, balance: "0x0", code: codeWith(lengths) },
    },
    tx: toHex(tx.raw),
  });
  if ("error" in result) throw new Error(result.error);
  return { status: result.status, gasUsed: result.gasUsed };
}

test("a base of 2^64 bytes reaches the computation limit at Osaka", () => {
  expect(outcome("osaka", [2n ** 64n, 0n, 0n])).toEqual({
    status: COMPUTATION_LIMIT_REACHED,
    gasUsed: Number(GAS),
  });
});

test.each<TransactionFork>(["shanghai", "cancun", "prague", "osaka"])(
  "an exponent of 2^63+32 bytes reaches it at %s",
  (fork) => {
    expect(outcome(fork, [1n, 2n ** 63n + 32n, 1n]).status).toBe(COMPUTATION_LIMIT_REACHED);
  },
);

test.each<TransactionFork>(["shanghai", "cancun", "prague"])(
  "a product beyond 64 bits fails the call alone at %s",
  (fork) => {
    expect(outcome(fork, [0x13n, 2n ** 58n + 32n, 0n]).status).toBe(1);
  },
);
