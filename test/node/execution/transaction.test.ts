/** Tests of the execution of one transaction. */
import { beforeEach, expect, test } from "@jest/globals";
import { fromHex } from "../../../node/bytes/hex.ts";
import type { Rules } from "../../../node/config/rules.ts";
import { checksumAddress } from "../../../node/crypto/checksum.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { createAddress } from "../../../node/evm/address.ts";
import { type BlockContext, executeTransaction } from "../../../node/execution/transaction.ts";
import { emptyAccount } from "../../../node/model/account.ts";
import { encodeAccountKey, KEY_TYPES } from "../../../node/model/account-key.ts";
import { decodeTransaction } from "../../../node/model/transaction.ts";
import type { World } from "../../../node/state/world/world.ts";
import { aMultiSig, aPublic } from "../../support/account-keys.ts";
import {
  aContext,
  addressOf,
  aSent,
  aWorld,
  PRICE,
  putContract,
  RICH,
  type Sending,
} from "../../support/execution.ts";
import { aValidator, baseFeeRules } from "../../support/headers.ts";

const sender = addressOf(1);
const payer = addressOf(2);
const to = addressOf(9);
const contract = addressOf(20);
const author = aValidator(11).address;
const rewardbase = aValidator(12).address;
const context = aContext();
let world: World;

beforeEach(async () => {
  world = await aWorld();
});

function run(sending: Sending, terms: BlockContext = context): ReturnType<typeof executeTransaction> {
  return executeTransaction(world, aSent(sending), terms);
}

test("a transfer moves the value, pays the fee and raises the nonce", () => {
  const { receipt, fee } = run({ gas: 100_000n, value: 5n });
  expect(receipt).toMatchObject({ status: 1, gasUsed: 21_000n, logs: [], contractAddress: undefined });
  expect(fee).toBe(21_000n * PRICE);
  expect([world.balance(to), world.nonce(sender)]).toEqual([5n, 1n]);
  expect(world.balance(sender)).toBe(RICH - 5n - fee);
  expect(world.exists(author) || world.exists(rewardbase)).toBe(false);
});

test("a transfer of nothing leaves no account behind", () => {
  run({ value: 0n });
  expect(world.exists(to)).toBe(false);
});

test("a fee ratio above 100 percent, which only the pool refuses, lets the fee payer pay the sender", () => {
  const { receipt, fee } = run({ code: 0x0a, paidBy: [2], fields: { feeRatio: 150 }, gas: 100_000n });
  expect([receipt.status, fee]).toEqual([1, 36_000n * PRICE]);
  expect(world.balance(payer)).toBe(RICH - (fee * 3n) / 2n);
  expect(world.balance(sender)).toBe(RICH + fee / 2n);
});

test("a sender who spent what a ratio above 100 percent gave cannot give it back, so no block holds that", () => {
  const given = (100_000n * PRICE) / 2n;
  expect(() =>
    run({ code: 0x0a, paidBy: [2], fields: { feeRatio: 150 }, gas: 100_000n, value: RICH + given }),
  ).toThrow("insufficient balance of the sender to pay for gas");
});

test("a sender who spent it and receives the fee of its own transaction gives it back from that", () => {
  const terms = aContext(
    { immediateFeeTo: "rewardbase" },
    { deferredFees: false, head: { rewardbase: sender } },
  );
  const given = (40_000n * PRICE) / 2n;
  const sending = { code: 0x0a, paidBy: [2], fields: { feeRatio: 150 }, gas: 40_000n, value: RICH + given };
  expect(run(sending, terms).receipt.status).toBe(1);
  expect(world.balance(sender)).toBe(36_000n * PRICE - (4_000n * PRICE) / 2n);
});

test("a fee cap above 256 bits is taken where the base fee is the price, and refused where caps are checked", () => {
  const sending = { gasFeeCap: 1n << 300n, gasTipCap: 1n << 300n };
  expect(run(sending, aContext(baseFeeRules, { head: { baseFee: 20n } })).receipt.status).toBe(1);
  const terms = aContext({ ...baseFeeRules, checksPriceCaps: true }, { head: { baseFee: 20n } });
  expect(() => run({ ...sending, nonce: 1n }, terms)).toThrow(
    `max fee per gas higher than 2^256-1: address ${checksumAddress(sender)}, maxFeePerGas bit length: 301`,
  );
});

test("a value above 256 bits is no balance", () => {
  expect(() => run({ value: 1n << 256n })).toThrow("insufficient balance for transfer");
});

test("integers of blob transactions have 256 bits at most", () => {
  expect(() => aSent({ code: 0x7803, gasFeeCap: 1n << 256n })).toThrow("integer of 33 bytes, at most 32");
});

test("a transfer to oneself costs the fee alone", () => {
  run({ to: sender, value: 10n ** 17n, gas: 21_000n });
  expect(world.balance(sender)).toBe(RICH - 21_000n * PRICE);
});

test("fees that are not deferred go to the rules' recipient at once", () => {
  run({}, aContext({ immediateFeeTo: "author" }, { deferredFees: false }));
  run({ nonce: 1n }, aContext({ immediateFeeTo: "rewardbase" }, { deferredFees: false }));
  const fee = 21_000n * PRICE;
  expect([world.balance(author), world.balance(rewardbase)]).toEqual([fee, fee]);
});

test.each<[string, Partial<Rules>, bigint]>([
  ["the offered price before the base fee", {}, 30n],
  ["the base fee", baseFeeRules, 20n],
  ["base fee and tip", { ...baseFeeRules, effectivePrice: "base-fee-and-tip" }, 30n],
])("a unit of gas costs %s", (_what, rules, paid) => {
  const terms = aContext(rules, { head: { baseFee: rules.baseFee === true ? 20n : undefined } });
  expect(run({ gasFeeCap: 30n, gasTipCap: 30n }, terms).fee).toBe(21_000n * paid);
});

test("input is paid for by the rules' price of a byte, and by the floor where there is one", () => {
  const input = Uint8Array.of(0, 1, 0, 1);
  expect(run({ input }).receipt.gasUsed).toBe(21_144n);
  const floor = aContext({ legacyInputGas: { zero: 4n, nonZero: 16n }, floorTokenGas: 10n });
  expect(run({ input, nonce: 1n }, floor).receipt.gasUsed).toBe(21_100n);
});

test.each<[string, Sending]>([
  ["an anchoring transaction", { code: 0x48, to: undefined }],
  ["a fee-delegated anchoring transaction", { code: 0x49, to: undefined, paidBy: [2] }],
  ["a memo to the zero address", { code: 0x10, to: new Uint8Array(20) }],
])("%s has as much input at most as init code, though its gas is not that of init code", (_what, sending) => {
  const terms = aContext({ maxInitcodeSize: 49_152, initcodeWordGas: 2n });
  const base = sending.paidBy === undefined ? 21_000n : 31_000n;
  const most = { ...sending, input: new Uint8Array(49_152), gas: 6_000_000n };
  expect(run(most, terms).receipt).toMatchObject({ status: 1, gasUsed: base + 4_915_200n });
  const more = { ...most, nonce: 1n, input: new Uint8Array(49_153) };
  expect(() => run(more, terms)).toThrow("max initcode size exceeded: code size 49153 limit 49152");
  expect(run(more, context).receipt.status).toBe(1);
});

test("a fee payer whose key needs no signature lets the transaction cost the gas of one less", () => {
  const feePayer = addressOf(3);
  world.setAccount(feePayer, { ...emptyAccount(), balance: RICH, key: aMultiSig(0n, [[5, 1n]]) });
  const unsigned = { paidBy: [], fields: { feePayer } };
  const rules = { multiSigGasBySignatures: true, multiSigRefusesUnknownKeys: true };
  const terms = aContext(rules);
  expect(() => run({ code: 0x09, ...unsigned, gas: 15_999n }, terms)).toThrow("intrinsic gas too low");
  expect(run({ code: 0x09, ...unsigned, gas: 16_000n }, terms).receipt.gasUsed).toBe(16_000n);
  expect(world.balance(feePayer)).toBe(RICH - 16_000n * PRICE);
  // The floor of EIP-7623 is as much lower: 31,000 and 40 for each of ten bytes, less 15,000.
  const floor = aContext({ ...rules, inputGas: { zero: 4n, nonZero: 16n }, floorTokenGas: 10n });
  const memo = { code: 0x11, ...unsigned, nonce: 1n, input: new Uint8Array(10).fill(1) };
  expect(() => run({ ...memo, gas: 16_399n }, floor)).toThrow(
    "insufficient gas for floor data gas cost: have 16399, want 16400",
  );
  expect(run({ ...memo, gas: 16_400n }, floor).receipt.gasUsed).toBe(16_400n);
});

test("a fee payer pays all of the fee, or its share rounded down each time", () => {
  expect(run({ code: 0x09, paidBy: [2], gas: 31_000n }).fee).toBe(31_000n * PRICE);
  expect([world.balance(sender), world.balance(payer)]).toEqual([RICH, RICH - 31_000n * PRICE]);
  const price = { gasFeeCap: 1n, gasTipCap: 1n };
  // 36,033 bought and 33 given back at 30 percent: 10,809 and 9 by the payer, 25,224 and 24 by the sender
  run({ code: 0x0a, paidBy: [3], nonce: 1n, gas: 36_033n, ...price, fields: { feeRatio: 30 } });
  expect([RICH - world.balance(sender), RICH - world.balance(addressOf(3))]).toEqual([25_200n, 10_800n]);
});

test("one's own fee payer pays once, whatever the share", () => {
  run({ code: 0x0a, paidBy: [1], gas: 36_000n, fields: { feeRatio: 30 } });
  expect(world.balance(sender)).toBe(RICH - 36_000n * PRICE);
});

test("a deployment makes a contract, whose address the receipt names", () => {
  // returns one byte of code: STOP
  const input = fromHex("0x60016000f3");
  const { receipt } = run({ code: 0x28, to: undefined, input }, aContext({ vmVersion: 1 }));
  const address = createAddress(sender, 0n);
  expect(receipt).toMatchObject({ status: 1, contractAddress: address });
  expect(world.code(address)).toEqual(Uint8Array.of(0));
  expect(world.account(address)).toMatchObject({ kind: "contract", nonce: 1n, codeInfo: 0x10 });
  expect(world.nonce(sender)).toBe(1n);
});

test("a call that fails costs its gas and changes nothing else; its status says why", () => {
  putContract(world, contract, fromHex("0xfe"));
  const { receipt, transition } = run({ code: 0x30, to: contract, value: 7n, gas: 50_000n });
  expect(receipt).toMatchObject({ status: 2, gasUsed: 50_000n, logs: [] });
  expect(transition.failure).toBe("invalid opcode 0xfe");
  expect([world.balance(contract), world.nonce(sender)]).toEqual([0n, 1n]);
  putContract(world, contract, fromHex("0x60006000fd"));
  expect(run({ code: 0x30, to: contract, nonce: 1n }).receipt).toMatchObject({ status: 9, gasUsed: 21_006n });
});

test("logs and the bloom over them are in the receipt, those of other transactions are not", () => {
  putContract(world, contract, fromHex("0x602a60005260aa60206000a1"));
  const logs = [
    { address: contract, topics: [new Uint8Array(32).fill(0xaa, 31)], data: new Uint8Array(32).fill(42, 31) },
  ];
  for (const nonce of [0n, 1n]) {
    const { receipt } = run({ to: contract, nonce });
    expect(receipt.logs).toEqual(logs);
    expect(receipt.bloom.some((byte) => byte !== 0)).toBe(true);
  }
});

test("refunds are at most the rules' part of the gas used", () => {
  // clears slot 0: base rules give 15,000 back for 5,000 and 6 of pushes
  putContract(world, contract, fromHex("0x60006000555b"));
  world.setSlot(contract, 0n, 1n);
  world.endTransaction();
  expect(run({ to: contract }).receipt.gasUsed).toBe((21_000n + 5_007n) / 2n + 1n);
});

test("an account update changes the key, and costs by the keys in it", () => {
  const fields = { key: encodeAccountKey(aPublic(5)) };
  const { receipt } = run({ code: 0x20, fields });
  expect(receipt).toMatchObject({
    status: 1,
    gasUsed: 41_000n,
    contractAddress: createAddress(sender, 0n),
  });
  expect(world.account(sender)).toMatchObject({ nonce: 1n, key: { type: KEY_TYPES.public } });
  expect(() => run({ nonce: 1n })).toThrow("a legacy transaction must be with a legacy account key");
  expect(run({ code: 0x08, nonce: 1n, by: [5], fields: { from: sender } }).receipt.status).toBe(1);
});

test("an account's new key does not keep the message that it came in", () => {
  const message = new Uint8Array(100_000);
  const update = aSent({ code: 0x20, fields: { key: encodeAccountKey(aPublic(5)) } });
  message.set(update.raw, 1);
  executeTransaction(world, decodeTransaction(message.subarray(1, 1 + update.raw.length)), context);
  const key = world.account(sender)?.key;
  expect(key).toEqual(aPublic(5));
  expect(key?.body.buffer.byteLength).toBe(1 + aPublic(5).body.length);
});

test("a cancel and an anchoring use up a nonce", () => {
  expect(run({ code: 0x38 }).receipt).toMatchObject({ status: 1, gasUsed: 21_000n });
  const input = Uint8Array.of(0xc0);
  expect(run({ code: 0x48, nonce: 1n, input }).receipt).toMatchObject({ status: 1, gasUsed: 21_100n });
  expect(world.nonce(sender)).toBe(2n);
});

test("a value transfer to the zero address is a call that names no recipient", () => {
  const { receipt } = run({ code: 0x08, to: new Uint8Array(20), value: 3n });
  expect(receipt).toMatchObject({ status: 1, contractAddress: createAddress(sender, 0n) });
  expect(world.balance(new Uint8Array(20))).toBe(3n);
});

const blobRules = {
  ...baseFeeRules,
  blobGas: true,
  checksPriceCaps: true,
  acceptedTypes: new Set([0x7803, 0x7804]),
  effectivePrice: "base-fee-and-tip",
} as const;
const blobHead = { baseFee: 20n, excessBlobGas: 0n };
const blobHash = keccak256(Uint8Array.of(1)).fill(1, 0, 1);
const blob = (change: Sending["fields"] = {}): Sending => ({
  code: 0x7803,
  gasTipCap: 0n,
  fields: { blobVersionedHashes: [blobHash], maxFeePerBlobGas: 160n, ...change },
});

test("blobs are paid for at eight times the base fee, and that is not the proposer's", () => {
  const { fee } = run(blob(), aContext(blobRules, { head: blobHead }));
  expect(fee).toBe(21_000n * 20n);
  expect(world.balance(sender)).toBe(RICH - fee - 131_072n * 160n);
});

test.each<[string, Sending, BlockContext, string]>([
  [
    "a reserved recipient",
    { to: fromHex(`0x${"00".repeat(18)}03ff`) },
    context,
    "the address is reserved for pre-compiled contracts",
  ],
  [
    "a type whose fork is not there",
    { code: 0x7801 },
    context,
    "invalid sender: transaction type not supported",
  ],
  ["a nonce ahead", { nonce: 1n }, context, "nonce too high"],
  [
    "a price below the base fee",
    { gasFeeCap: 19n, gasTipCap: 19n },
    aContext(baseFeeRules, { head: { baseFee: 20n } }),
    "max fee per gas less than block base fee",
  ],
  [
    "a tip above the cap",
    { code: 0x7802, gasFeeCap: 30n, gasTipCap: 31n },
    aContext({ checksPriceCaps: true, acceptedTypes: new Set([0x7802]) }),
    "max fee per gas higher than max priority fee per gas",
  ],
  [
    "gas that cannot be paid",
    { gas: 10n ** 9n },
    context,
    "insufficient balance of the fee payer to pay for gas",
  ],
  [
    "a fee payer who cannot pay",
    { code: 0x09, paidBy: [7] },
    context,
    "insufficient balance of the fee payer to pay for gas",
  ],
  [
    "a sender who cannot pay its share",
    { code: 0x0a, by: [7], paidBy: [2], fields: { feeRatio: 50 } },
    context,
    "insufficient balance of the sender to pay for gas",
  ],
  ["too little gas", { gas: 20_999n }, context, "intrinsic gas too low"],
  [
    "gas below the floor",
    { gas: 21_399n, input: new Uint8Array(10).fill(1) },
    aContext({ floorTokenGas: 10n, legacyInputGas: { zero: 4n, nonZero: 16n } }),
    "insufficient gas for floor data gas cost: have 21399, want 21400",
  ],
  ["a value that is not there", { value: RICH }, context, "insufficient balance for transfer"],
  [
    "too much code to run",
    { to: undefined, input: new Uint8Array(3) },
    aContext({ maxInitcodeSize: 2 }),
    "max initcode size exceeded: code size 3 limit 2",
  ],
  [
    "too much input for the zero address",
    { code: 0x30, to: new Uint8Array(20), input: new Uint8Array(3) },
    aContext({ maxInitcodeSize: 2 }),
    "recipient must be an EOA with code or an SCA",
  ],
  [
    "blobs without hashes",
    blob({ blobVersionedHashes: [] }),
    aContext(blobRules, { head: blobHead }),
    "blob transaction missing blob hashes",
  ],
  [
    "more blobs than a transaction may have, though a block may",
    blob({ blobVersionedHashes: [blobHash, blobHash] }),
    aContext(blobRules, { head: blobHead, maxBlockBlobs: 6 }),
    "blob transaction has too many blobs",
  ],
  [
    "a blob hash of another version",
    blob({ blobVersionedHashes: [new Uint8Array(32)] }),
    aContext(blobRules, { head: blobHead }),
    "blob 0 has invalid hash version",
  ],
  [
    "too low a price for blobs",
    blob({ maxFeePerBlobGas: 159n }),
    aContext(blobRules, { head: blobHead }),
    "max fee per blob gas less than block blob gas fee",
  ],
  [
    "a value that the caps leave no room for",
    { value: RICH - 21_000n * 20n, gas: 21_000n },
    aContext(blobRules, { head: blobHead }),
    "insufficient balance for transfer",
  ],
  [
    "an empty list of authorizations",
    { code: 0x7804, fields: { authorizationList: [] } },
    aContext(blobRules, { head: blobHead }),
    "EIP-7702 transaction with empty auth list",
  ],
])("%s is refused and nothing changes", (_what, sending, terms, message) => {
  expect(() => run(sending, terms)).toThrow(message);
  expect([sender, payer].map((address) => world.balance(address))).toEqual([RICH, RICH]);
  expect([world.nonce(sender), world.exists(to)]).toEqual([0n, false]);
});

function refusal(sending: Sending): string {
  try {
    run(sending, aContext(blobRules, { head: blobHead }));
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

test("errors of caps and blobs have the Go node's texts, with address and values", () => {
  const address = `address ${checksumAddress(sender)}`;
  expect(refusal({ ...blob(), gasFeeCap: 30n, gasTipCap: 31n })).toBe(
    `max fee per gas higher than max priority fee per gas: ${address}, maxPriorityFeePerGas: 31, maxFeePerGas: 30`,
  );
  expect(refusal(blob({ blobVersionedHashes: [blobHash, blobHash] }))).toBe(
    "blob transaction has too many blobs",
  );
  expect(refusal(blob({ maxFeePerBlobGas: 159n }))).toBe(
    `max fee per blob gas less than block blob gas fee: ${address} blobGasFeeCap: 159, blobBaseFee: 160`,
  );
});

test("a low or a maximum nonce is rejected", () => {
  world.setNonce(sender, 2n);
  expect(() => run({ nonce: 1n })).toThrow("nonce too low");
  world.setNonce(sender, 2n ** 64n - 1n);
  expect(() => run({ nonce: 2n ** 64n - 1n })).toThrow("nonce has max value");
});
