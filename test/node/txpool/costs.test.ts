/** Tests of the costs of a transaction for sender and fee payer. */
import { expect, test } from "@jest/globals";
import { mapKey } from "../../../node/bytes/hex.ts";
import { checkPoolFunds } from "../../../node/txpool/costs.ts";
import type { PoolState } from "../../../node/txpool/pool-chain.ts";
import { aSigner, aTransaction, withChanges } from "../../support/pool-transactions.ts";

const { address: sender } = aSigner(1);
const { address: feePayer } = aSigner(2);
const SENDER_SHORT = "insufficient funds of the sender for value ";
const PAYER_SHORT = "insufficient funds of the fee payer for gas * price";
const RATIO = "fee ratio is out of range [1, 99]";
/** Gas 21000 at 10 peb: a fee of 210000. */
const plain = aTransaction({ price: 10, value: 1000n });

function refusal(fields: object, balance: bigint, payerBalance = 0n): string | undefined {
  const balances = new Map([
    [mapKey(sender), balance],
    [mapKey(feePayer), payerBalance],
  ]);
  const of = (address: Uint8Array) => balances.get(mapKey(address)) ?? 0n;
  const state: PoolState = { balance: of, nonce: () => 0n, account: () => undefined };
  try {
    checkPoolFunds(withChanges(plain, { fields }), { sender, balance }, state);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

test("without a fee payer the sender pays value and fee", () => {
  expect(refusal({}, 211_000n)).toBeUndefined();
  expect(refusal({}, 210_999n)).toBe(SENDER_SHORT);
});

test("a fee payer pays the whole fee, the sender only the value", () => {
  expect(refusal({ feePayer }, 1000n, 210_000n)).toBeUndefined();
  expect(refusal({ feePayer }, 999n, 210_000n)).toBe(SENDER_SHORT);
  expect(refusal({ feePayer }, 1000n, 209_999n)).toBe(PAYER_SHORT);
});

test("with a ratio both pay their part", () => {
  const fields = { feePayer, feeRatio: 30 };
  expect(refusal(fields, 148_000n, 63_000n)).toBeUndefined();
  expect(refusal(fields, 147_999n, 63_000n)).toBe(SENDER_SHORT);
  expect(refusal(fields, 148_000n, 62_999n)).toBe(PAYER_SHORT);
});

test("a ratio must leave something to both", () => {
  for (const feeRatio of [0, 100, 255]) expect(refusal({ feePayer, feeRatio }, 0n)).toBe(RATIO);
  for (const feeRatio of [1, 99]) {
    expect(refusal({ feePayer, feeRatio }, 10n ** 9n, 10n ** 9n)).toBeUndefined();
  }
});

test("a sender that is its own fee payer needs both parts", () => {
  const own = { feePayer: sender };
  expect(refusal(own, 210_999n)).toBe(SENDER_SHORT);
  expect(refusal(own, 211_000n)).toBeUndefined();
});
