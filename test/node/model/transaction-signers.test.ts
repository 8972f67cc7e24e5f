import { expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { integerBytes } from "../../../node/bytes/integer.ts";
import { encodeRlp, type RlpInput } from "../../../node/bytes/rlp.ts";
import { addressOfKey, addressOfPublicKey, sign } from "../../../node/crypto/secp256k1.ts";
import {
  decodeTransaction,
  senderOf,
  setSender,
  signingJob,
  signTransaction,
  type TransactionDraft,
} from "../../../node/model/transaction.ts";
import { payerKeys, senderKeys, signAsFeePayer } from "../../../node/model/transaction-signers.ts";

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const keys = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte));
const from = new Uint8Array(20).fill(5);
const feePayer = new Uint8Array(20).fill(6);
const draft: TransactionDraft = {
  code: 0x09,
  nonce: 1n,
  gas: 50_000n,
  gasFeeCap: 25n,
  gasTipCap: 25n,
  value: 10n,
  to: new Uint8Array(20).fill(9),
  input: new Uint8Array(0),
  fields: { from },
};
const byAll = (digest: Uint8Array) => keys.map((key) => sign(digest, key));
const byFirst = (digest: Uint8Array) => sign(digest, keys[0] ?? new Uint8Array(32));
const addresses = (publicKeys: readonly Uint8Array[]) =>
  publicKeys.map((key) => toHex(addressOfPublicKey(key)));
const everyone = keys.map((key) => toHex(addressOfKey(key)));

const list = (all: readonly bigint[][]): RlpInput => all.map((one) => one.map((part) => integerBytes(part)));

/** A delegated value transfer with any signatures of V, R, S. */
function withSignatures(sender: readonly bigint[][], payer: readonly bigint[][]): Uint8Array {
  const fields = [1n, 25n, 50_000n].map((part) => integerBytes(part));
  const to = new Uint8Array(20).fill(9);
  const body = [...fields, to, integerBytes(10n), from, list(sender), feePayer, list(payer)];
  return Uint8Array.of(0x09, ...encodeRlp(body));
}

test("many sign as sender and as fee payer, and each is found again in order", () => {
  const signed = signTransaction(draft, 5n, byAll);
  expect(addresses(senderKeys(signed, 5n))).toEqual(everyone);
  const paid = signAsFeePayer(signed, { feePayer, chainId: 5n }, byAll);
  expect(addresses(senderKeys(paid, 5n))).toEqual(everyone);
  expect(addresses(payerKeys(paid, 5n))).toEqual(everyone);
  expect(paid.fields.feePayer).toEqual(feePayer);
  expect(toHex(paid.senderTxHash)).toBe(toHex(signed.senderTxHash));
  expect(toHex(paid.hash)).not.toBe(toHex(signed.hash));
});

test("the sender is the account named, whoever signed", () => {
  const tx = signTransaction(draft, 5n, byFirst);
  expect(senderOf(tx, 5n)).toEqual(from);
  setSender(tx, 5n, new Uint8Array(20));
  expect(senderOf(tx, 5n)).toEqual(from);
});

test("one fee payer may take the place of another", () => {
  const first = signAsFeePayer(signTransaction(draft, 5n, byFirst), { feePayer, chainId: 5n }, byAll);
  const second = signAsFeePayer(first, { feePayer: from, chainId: 5n }, byFirst);
  expect(second.fields.feePayer).toEqual(from);
  expect(addresses(payerKeys(second, 5n))).toEqual(everyone.slice(0, 1));
});

test("kinds without a fee payer cannot be signed by one", () => {
  const plain = signTransaction({ ...draft, code: 0x08 }, 5n, byFirst);
  const noPayer = expect.objectContaining({ code: "no-fee-payer" });
  expect(() => signAsFeePayer(plain, { feePayer, chainId: 5n }, byFirst)).toThrow(noPayer);
  expect(() => payerKeys(plain, 5n)).toThrow(noPayer);
});

test("a kind whose sender is recovered takes one signature", () => {
  expect(() => signTransaction({ ...draft, code: 0, fields: {} }, 5n, byAll)).toThrow(
    "the number of signatures should be one",
  );
  expect(() => signingJob(signTransaction(draft, 5n, byAll), 5n)).toThrow(
    "the number of signatures should be one",
  );
});

test("signatures for another chain are refused, for the sender and the fee payer", () => {
  const tx = signAsFeePayer(signTransaction(draft, 5n, byAll), { feePayer, chainId: 5n }, byAll);
  const wrong = expect.objectContaining({ code: "wrong-chain-id", message: "invalid chain id for signer" });
  expect(() => senderKeys(tx, 6n)).toThrow(wrong);
  expect(() => payerKeys(tx, 6n)).toThrow(wrong);
});

const bad = expect.objectContaining({ code: "bad-signature", message: "invalid transaction v, r, s values" });

test.each<[string, bigint[][]]>([
  ["no signature", []],
  [
    "two chains",
    [
      [45n, 1n, 1n],
      [47n, 1n, 1n],
    ],
  ],
  [
    "a chain and none",
    [
      [45n, 1n, 1n],
      [27n, 1n, 1n],
    ],
  ],
  ["an r of 0", [[45n, 0n, 1n]]],
  [
    "a second s of the order",
    [
      [45n, 1n, 1n],
      [45n, 1n, ORDER],
    ],
  ],
  ["a V of 1", [[1n, 2n, 3n]]],
])("a sender with %s is refused when read", (_what, sender) => {
  expect(() => decodeTransaction(withSignatures(sender, []))).toThrow(bad);
});

test("a sender's signature that names no chain is for chain 0, which no node is on", () => {
  const tx = decodeTransaction(withSignatures([[27n, 1n, 1n]], []));
  expect(tx.chainId).toBe(0n);
  expect(() => senderKeys(tx, 5n)).toThrow("invalid chain id for signer");
});

test.each<[string, bigint[][]]>([
  ["an r of 0", [[45n, 0n, 1n]]],
  ["an s of the order", [[45n, 1n, ORDER]]],
  ["a high s", [[45n, 1n, ORDER - 1n]]],
])("a fee payer with %s is read, but is nobody", (_what, payer) => {
  const tx = decodeTransaction(withSignatures([[45n, 1n, 1n]], payer));
  expect(() => payerKeys(tx, 5n)).toThrow(bad);
});

test("a fee payer who has not signed has no keys", () => {
  expect(payerKeys(decodeTransaction(withSignatures([[45n, 1n, 1n]], [])), 5n)).toEqual([]);
});

test("r that is no x of a point gives no key", () => {
  const tx = decodeTransaction(withSignatures([[45n, 5n, 1n]], []));
  expect(() => senderKeys(tx, 5n)).toThrow(
    expect.objectContaining({ code: "bad-signature", message: "recovery failed" }),
  );
});

test.each([
  ["0x20ce80808094", "a short address"],
  [`0x20e380808094${"05".repeat(20)}8206c0c0`, "a key of unknown type"],
  [`0x20e380808094${"05".repeat(20)}8202c0c0`, "a key whose body does not fit"],
])("%s is malformed: %s", (raw) => {
  expect(() => decodeTransaction(fromHex(raw))).toThrow(expect.objectContaining({ code: "malformed" }));
});
