/** Tests of the signers of transactions. */
import { expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { integerBytes } from "../../../node/bytes/integer.ts";
import { encodeRlp, type RlpInput } from "../../../node/bytes/rlp.ts";
import { addressOfKey, addressOfPublicKey, sign } from "../../../node/crypto/secp256k1.ts";
import {
  assembleTransaction,
  decodeTransaction,
  recoveryJob,
  senderOf,
  setSender,
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
  expect(() => recoveryJob(signTransaction(draft, 5n, byAll), 5n)).toThrow(
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
  ["an r above 256 bits", [[45n, 1n << 256n, 1n]]],
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

test("a fee payer may sign before the sender: bytes, hash and JSON are the Go node's", () => {
  const account = fromHex("0x75ee030d92a7b16edd63b8a267d50e0b97e81fc3");
  const signature = {
    v: 0x68e4n,
    r: fromHex("0xa30e607bc07bf7d14fc169b1e7f4146076ac542adf743baa08de55cc4d66cac6"),
    s: fromHex("0x26ab57f2e9ee04f1d6f754878b766752b9e6f9c09e479115655cec43a3bf8766"),
  };
  const signature65 = Uint8Array.of(...signature.r, ...signature.s, 1);
  const unsigned = assembleTransaction(
    {
      ...draft,
      nonce: 10n,
      gas: 100_000n,
      gasFeeCap: 75_000_000_000n,
      gasTipCap: 75_000_000_000n,
      to: fromHex("0x3776d463309df5622901dba6ef87f789944a1361"),
      value: 1n,
      fields: { from: account },
    },
    13_408n,
  );
  const tx = signAsFeePayer(unsigned, { feePayer: account, chainId: 13_408n }, () => signature65);
  expect(toHex(tx.raw)).toBe(
    "0x09f8950a851176592e00830186a0943776d463309df5622901dba6ef87f789944a1361019475ee030d92a7b16edd63b8a267d50e0b97e81fc3c09475ee030d92a7b16edd63b8a267d50e0b97e81fc3f847f8458268e4a0a30e607bc07bf7d14fc169b1e7f4146076ac542adf743baa08de55cc4d66cac6a026ab57f2e9ee04f1d6f754878b766752b9e6f9c09e479115655cec43a3bf8766",
  );
  expect(toHex(tx.hash)).toBe("0xd4f3d85b2773a2b02c0b6863390f2eeeb4f8dc1af1aee05add9ce377aea6ec8f");
  expect(tx.signatures).toEqual([]);
  expect(addresses(payerKeys(tx, 13_408n))).toEqual([toHex(account)]);
  expect(() => decodeTransaction(tx.raw)).toThrow(bad);
});

test("a fee payer's V counts by its distance from 2 * chain id + 8, as in the Go node", () => {
  const chainId = 100n;
  const signed = signAsFeePayer(signTransaction(draft, chainId, byFirst), { feePayer, chainId }, byFirst);
  const [sender] = signed.signatures;
  const [payer] = signed.fields.payerSignatures ?? [];
  if (sender === undefined || payer === undefined) throw new Error("both have signed");
  const parts = ({ v, r, s }: typeof payer) => [v, ...[r, s].map((bytes) => BigInt(toHex(bytes)))];
  const [v = 0n, r = 0n, s = 0n] = parts(payer);
  const withV = (own: bigint) => decodeTransaction(withSignatures([parts(sender)], [[own, r, s]]));
  const parity = v - 235n;
  const mirrored = 181n - parity;
  expect(addresses(payerKeys(withV(mirrored), chainId))).toEqual(everyone.slice(0, 1));
  for (const other of [0n, 27n, 28n, 35n, 182n, 179n, 237n, 1n << 64n])
    expect(() => payerKeys(withV(other), chainId)).toThrow("invalid transaction v, r, s values");
});

test("the first bad signature decides the error, as in the Go node", () => {
  const noPoint = [45n, 5n, 1n];
  const tx = decodeTransaction(withSignatures([noPoint, [45n, 1n, ORDER - 1n]], [noPoint, [45n, 0n, 1n]]));
  expect(() => senderKeys(tx, 5n)).toThrow("recovery failed");
  expect(() => payerKeys(tx, 5n)).toThrow("recovery failed");
});
