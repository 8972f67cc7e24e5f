/** Tests of the chain's own precompiled contracts. */
import { expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { bareHex, fromBareHex } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { BASE_RULES, type Rules } from "../../../node/config/rules.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { addressOfKey, publicKeyOf, sign } from "../../../node/crypto/secp256k1.ts";
import { isWarmFromStart, precompileAt } from "../../../node/evm/precompiles.ts";
import { feePayer, validateSender, vmLog } from "../../../node/evm/precompiles-klaytn.ts";
import { emptyAccount } from "../../../node/model/account.ts";
import { type AccountKey, FAIL_KEY, KEY_TYPES } from "../../../node/model/account-key.ts";
import { compressPublicKey } from "../../../node/model/public-key.ts";
import type { World } from "../../../node/state/world/world.ts";

const keys = [1, 2, 3].map((index) => keccak256(Uint8Array.of(index)));
const [first, second, third] = keys as [Uint8Array, Uint8Array, Uint8Array];
const digest = keccak256(Uint8Array.of(7));
const owner = addressOfKey(first);
const ISTANBUL: Rules = {
  ...BASE_RULES,
  evm: "istanbul",
  multiSigGasBySignatures: true,
  multiSigRefusesUnknownKeys: true,
};

/** A world of one account, or of none. */
function worldWith(key?: AccountKey): World {
  const account = key && { ...emptyAccount(), key };
  return { account: () => account } as unknown as World; // nothing else is asked of it
}

function verdict(world: World, input: Uint8Array, rules = ISTANBUL): number | undefined {
  return validateSender.run({ input, world, rules, feePayer: owner })?.[0];
}

const claim = (...signers: readonly Uint8Array[]): Uint8Array =>
  concatBytes(owner, digest, ...signers.map((key) => sign(digest, key)));

/** Two of the three keys. */
const twoOfThree: AccountKey = {
  type: KEY_TYPES.weightedMultiSig,
  body: encodeRlp([
    Uint8Array.of(2),
    keys.map((key) => [Uint8Array.of(1), compressPublicKey(publicKeyOf(key))]),
  ]),
};

const bytes = (length: number): Uint8Array => new Uint8Array(length);
const at = (number: number, evm: Rules["evm"], vmVersion: 0 | 1): string | undefined =>
  precompileAt(fromBareHex(number.toString(16).padStart(40, "0")), { ...BASE_RULES, evm }, vmVersion)?.name;
const tableText = (evm: Rules["evm"]): string =>
  Array.from({ length: 0x401 }, (_, number) => number)
    .filter((number) =>
      isWarmFromStart(fromBareHex(number.toString(16).padStart(40, "0")), { ...BASE_RULES, evm }),
    )
    .map((number) => number.toString(16))
    .join(" ");

test("validateSender judges one signature by the key of the address, also where there is no account", () => {
  expect(verdict(worldWith(), claim(first))).toBe(1);
  expect(verdict(worldWith(emptyAccount().key), claim(first))).toBe(1);
  expect(verdict(worldWith(), claim(second))).toBe(0);
  expect(verdict(worldWith(), claim(first, first))).toBe(0);
  expect(verdict(worldWith(FAIL_KEY), claim(first))).toBe(0);
});

test("validateSender judges several signatures by a multi-signature", () => {
  const world = worldWith(twoOfThree);
  expect(verdict(world, claim(first, third))).toBe(1);
  expect(verdict(world, claim(first))).toBe(0);
  expect(verdict(world, claim(first, first))).toBe(0);
});

test("validateSender takes the transaction's key of a role-based one", () => {
  const role = concatBytes(Uint8Array.of(KEY_TYPES.weightedMultiSig), twoOfThree.body);
  const legacy = Uint8Array.of(KEY_TYPES.legacy, 0xc0);
  const world = worldWith({ type: KEY_TYPES.roleBased, body: encodeRlp([role, legacy, legacy]) });
  expect(verdict(world, claim(second, third))).toBe(1);
  expect(verdict(world, claim(first))).toBe(0);
});

/** A claim whose signer libsecp256k1 of the Go node finds with the id 2. */
const ofId = (id: number): Uint8Array =>
  concatBytes(
    fromBareHex("ddbf3d9d46227feacd09d0beef5d66cbe72c03c5"),
    new Uint8Array(32).fill(7),
    fixedBytes(2n, 32),
    fixedBytes(1n, 32),
    Uint8Array.of(id),
  );

test("validateSender recovers with the ids 2 and 3, as libsecp256k1 of the Go node does, and with no other", () => {
  expect([0, 1, 2, 3, 4, 29].map((id) => verdict(worldWith(), ofId(id)))).toEqual([0, 0, 1, 0, 0, 0]);
});

test("validateSender answers no to input of any other form, and never fails", () => {
  const good = claim(first);
  for (const length of [0, 1, 20, 51, 52, 53, 116])
    expect(verdict(worldWith(), good.subarray(0, length))).toBe(0);
  expect(verdict(worldWith(), concatBytes(good, Uint8Array.of(0)))).toBe(0);
  expect(verdict(worldWith(), good.with(116, (good[116] ?? 0) + 27))).toBe(0);
});

test("what the chain's own contracts cost and give", () => {
  expect([vmLog.gas(bytes(0), ISTANBUL), vmLog.gas(bytes(7), ISTANBUL)]).toEqual([100, 240]);
  expect([0, 52, 117, 182, 377].map((length) => validateSender.gas(bytes(length), ISTANBUL))).toEqual([
    0, 0, 5000, 10_000, 25_000,
  ]);
  expect([52, 117, 182].map((length) => validateSender.cost(bytes(length), 0, ISTANBUL))).toEqual([
    10_000, 190_000, 370_000,
  ]);
  const call = { input: bytes(3), world: worldWith(), rules: ISTANBUL, feePayer: owner };
  expect(vmLog.run(call)).toEqual(bytes(0));
  expect(bareHex(feePayer.run(call) ?? bytes(0))).toBe(bareHex(owner));
});

test("addresses move at Istanbul for contracts made since then, and grow with the forks", () => {
  expect([9, 10, 11, 12, 0x3ff].map((number) => at(number, "base", 1))).toEqual([
    "vmLog",
    "feePayer",
    "validateSender",
    undefined,
    undefined,
  ]);
  expect([9, 10, 11, 0x3fd].map((number) => at(number, "prague", 0))).toEqual([
    "vmLog",
    "feePayer",
    "validateSender",
    undefined,
  ]);
  expect([9, 10, 11, 0x3fd, 0x3fe, 0x3ff].map((number) => at(number, "istanbul", 1))).toEqual([
    "blake2f",
    undefined,
    undefined,
    "vmLog",
    "feePayer",
    "validateSender",
  ]);
  expect([10, 11, 17, 18, 0x100].map((number) => at(number, "osaka", 1))).toEqual([
    "kzgPointEvaluation",
    "blsG1Add",
    "blsMapG2",
    undefined,
    "p256Verify",
  ]);
  expect(precompileAt(new Uint8Array(20).fill(1, 0, 1).fill(4, 19), ISTANBUL, 1)).toBeUndefined();
});

test("the addresses that are warm from the start have 0x0a and 0x0b before anything is there", () => {
  expect(tableText("kore")).toBe("1 2 3 4 5 6 7 8 9 a b 3fd 3fe 3ff");
  expect(tableText("osaka")).toBe("1 2 3 4 5 6 7 8 9 a b c d e f 10 11 100 3fd 3fe 3ff");
});
