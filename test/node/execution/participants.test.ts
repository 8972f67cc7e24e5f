/** Tests of the signers of a transaction: permissions by role, gas of further signatures, and texts of refusals. */
import { beforeEach, expect, test } from "@jest/globals";
import { BASE_RULES } from "../../../node/config/rules.ts";
import { areSignersValid, verifyPayer, verifySender } from "../../../node/execution/participants.ts";
import { emptyAccount } from "../../../node/model/account.ts";
import { type AccountKey, FAIL_KEY, LEGACY_KEY } from "../../../node/model/account-key.ts";
import { roleBasedKey } from "../../../node/model/account-key-update.ts";
import type { Transaction } from "../../../node/model/transaction.ts";
import type { World } from "../../../node/state/world/world.ts";
import { aMultiSig, aPublic } from "../../support/account-keys.ts";
import { addressOf, aSent, aWorld, CHAIN_ID, RICH } from "../../support/execution.ts";

const terms = { chainId: CHAIN_ID, rules: { ...BASE_RULES, multiSigGasBySignatures: true } };
const pair = aMultiSig(2n, [
  [1, 1n],
  [2, 1n],
  [3, 1n],
]);
let world: World;

beforeEach(async () => {
  world = await aWorld();
});

function withKey(number: number, key: AccountKey): void {
  world.setAccount(addressOf(number), { ...emptyAccount(), balance: RICH, key });
}

function payerOf(tx: Transaction): ReturnType<typeof verifyPayer> {
  return verifyPayer(world, tx, { sender: verifySender(world, tx, terms), ...terms });
}

test("a named sender's own key signs, and it pays itself", () => {
  const tx = aSent({ code: 0x08 });
  expect(verifySender(world, tx, terms)).toEqual({ address: addressOf(1), gas: 0n });
  expect(payerOf(tx)).toEqual({ address: addressOf(1), gas: 0n });
});

test("a multi-signature of the sender and one of the fee payer cost gas each", () => {
  withKey(1, pair);
  withKey(4, pair);
  const feePayer = addressOf(4);
  const tx = aSent({ code: 0x09, by: [1, 2], paidBy: [1, 2, 3], fields: { from: addressOf(1), feePayer } });
  expect(verifySender(world, tx, terms)).toEqual({ address: addressOf(1), gas: 15_000n });
  expect(payerOf(tx)).toEqual({ address: feePayer, gas: 30_000n });
});

test("a missing account signs with the key of its address", () => {
  expect(verifySender(world, aSent({ code: 0x08, by: [7] }), terms).address).toEqual(addressOf(7));
});

test.each<[string, () => Transaction, string]>([
  [
    "a legacy transaction from an account with another key",
    () => {
      withKey(1, aPublic(1));
      return aSent();
    },
    "invalid sender: a legacy transaction must be with a legacy account key",
  ],
  [
    "a signature that is not the named sender's",
    () => aSent({ code: 0x08, by: [2], fields: { from: addressOf(1) } }),
    "invalid sender: invalid account key",
  ],
  [
    "a sender who can never sign",
    () => {
      withKey(1, FAIL_KEY);
      return aSent({ code: 0x08 });
    },
    "invalid sender: invalid account key",
  ],
  [
    "the key of another role",
    () => {
      withKey(1, roleBasedKey([aPublic(5), aPublic(1), aPublic(6)]));
      return aSent({ code: 0x08 });
    },
    "invalid sender: invalid account key",
  ],
  [
    "a signature that is not the fee payer's",
    () => aSent({ code: 0x09, paidBy: [3], fields: { feePayer: addressOf(2) } }),
    "invalid fee payer: invalid account key",
  ],
])("%s is refused", (_what, make, message) => {
  const tx = make();
  expect(() => payerOf(tx)).toThrow(expect.objectContaining({ name: "ExecutionError", message }));
  expect(areSignersValid(world, tx, terms)).toBe(false);
});

test("each role's key signs for what the role is for", () => {
  withKey(1, roleBasedKey([aPublic(5), aPublic(6), aPublic(7)]));
  const fields = { from: addressOf(1), feePayer: addressOf(1) };
  const transfer = aSent({ code: 0x09, by: [5], paidBy: [7], fields });
  expect(payerOf(transfer).address).toEqual(addressOf(1));
  const update = aSent({ code: 0x20, by: [6], fields: { from: addressOf(1), key: Uint8Array.of(1, 0xc0) } });
  expect(verifySender(world, update, terms).address).toEqual(addressOf(1));
  expect(areSignersValid(world, transfer, terms)).toBe(true);
  withKey(1, LEGACY_KEY);
  expect(areSignersValid(world, transfer, terms)).toBe(false);
});
