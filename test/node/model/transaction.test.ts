/** Tests of transactions: decoding, signing, limits. */
import { expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { bytesToBigint, integerBytes } from "../../../node/bytes/integer.ts";
import { decodeRlp, encodeRlp, encodeRlpList } from "../../../node/bytes/rlp.ts";
import { BASE_RULES } from "../../../node/config/rules.ts";
import { addressOfKey, sign } from "../../../node/crypto/secp256k1.ts";
import {
  checkTypeAccepted,
  decodeTransaction,
  effectivePrice,
  readTransactions,
  recoveryJob,
  senderOf,
  setSender,
  signTransaction,
  type TransactionDraft,
} from "../../../node/model/transaction.ts";

const KEY = new Uint8Array(32).fill(7);
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const badSignature = expect.objectContaining({
  code: "bad-signature",
  message: "invalid transaction v, r, s values",
});

const draft: TransactionDraft = {
  code: 0,
  nonce: 1n,
  gas: 21_000n,
  gasFeeCap: 25n,
  gasTipCap: 25n,
  value: 10n,
  to: new Uint8Array(20).fill(9),
  input: new Uint8Array(0),
};

/** A legacy transaction with any V, R, S. */
function withSignature(v: bigint, r: bigint, s: bigint): Uint8Array {
  const fields = [1n, 25n, 21_000n].map((field) => integerBytes(field));
  const rest = [new Uint8Array(20).fill(9), integerBytes(10n), new Uint8Array(0)];
  return encodeRlp([...fields, ...rest, integerBytes(v), integerBytes(r), integerBytes(s)]);
}

/** An access-list transaction with any parity, R, S and chain id 5. */
function typedWith(v: bigint, r: bigint, s: bigint): Uint8Array {
  const fields = [5n, 1n, 25n, 21_000n].map((field) => integerBytes(field));
  const rest = [new Uint8Array(20).fill(9), integerBytes(10n), new Uint8Array(0), []];
  const list = encodeRlp([...fields, ...rest, integerBytes(v), integerBytes(r), integerBytes(s)]);
  return Uint8Array.of(0x78, 0x01, ...list);
}

/** A legacy transaction that creates a contract, with any nonce, price and gas. */
function withNumbers(nonce: bigint, price: bigint, gas: bigint): Uint8Array {
  const none = new Uint8Array(0);
  const [head, signature] = [
    [nonce, price, gas],
    [27n, 1n, 1n],
  ].map((part) => part.map((n) => integerBytes(n)));
  return encodeRlp([...(head ?? []), none, none, none, ...(signature ?? [])]);
}

test.each(["0x01c0", "0x07c0", "0x18c0", "0x40c0", "0x4bc0", "0x7805c0", "0x7880c0", "0x7fc0"])(
  "%s is of no known kind",
  (raw) => {
    expect(() => decodeTransaction(fromHex(raw))).toThrow(
      expect.objectContaining({ code: "undefined-type", message: "undefined tx type" }),
    );
  },
);

test.each(["0x", "0x80", "0x8108", "0xb8", "0x78", "0x7801", "0x78c0", "0x780180", "0xc0", "0xc101"])(
  "%s is malformed",
  (raw) => {
    expect(() => decodeTransaction(fromHex(raw))).toThrow(expect.objectContaining({ code: "malformed" }));
  },
);

test("bytes after a transaction are refused", () => {
  const { raw } = signTransaction(draft, 5n, (digest) => sign(digest, KEY));
  expect(() => decodeTransaction(Uint8Array.of(...raw, 0))).toThrow(
    "rlp: input contains more than one value",
  );
});

test("a block body holds its transactions one after the other, without wrapping", () => {
  const signed = [0, 0x7801, 0x7802].map((code) =>
    signTransaction({ ...draft, code }, 5n, (digest) => sign(digest, KEY)),
  );
  const body = encodeRlpList(signed.map(({ raw }) => raw));
  const read = readTransactions(decodeRlp(body));
  expect(read.map(({ raw }) => toHex(raw))).toEqual(signed.map(({ raw }) => toHex(raw)));
  expect(read.map(({ type }) => type.ethType)).toEqual([0, 1, 2]);
  expect(read.every(({ raw, input }) => raw.buffer === body.buffer && input.buffer === body.buffer)).toBe(
    true,
  );
  const wrapped = encodeRlp([signed[1]?.raw ?? new Uint8Array(0)]);
  expect(() => readTransactions(decodeRlp(wrapped))).toThrow(expect.objectContaining({ code: "malformed" }));
});

test.each([0, 0x7801, 0x7802])("a signed draft of kind %i has the signer as its sender", (code) => {
  const tx = signTransaction({ ...draft, code }, 1001n, (digest) => sign(digest, KEY));
  expect(senderOf(tx, 1001n)).toEqual(new Uint8Array(addressOfKey(KEY)));
  expect(tx.chainId).toBe(1001n);
  expect(() => senderOf(tx, 8217n)).toThrow(
    expect.objectContaining({ code: "wrong-chain-id", message: "invalid chain id for signer" }),
  );
});

test("a draft of an unknown kind cannot be signed", () => {
  expect(() => signTransaction({ ...draft, code: 0x18 }, 1n, (digest) => digest)).toThrow(
    "undefined tx type",
  );
});

test("a sender that was recovered elsewhere is kept for its chain", () => {
  const tx = signTransaction(draft, 5n, (digest) => sign(digest, KEY));
  const reported = new Uint8Array(20).fill(3);
  setSender(tx, 5n, reported);
  expect(senderOf(tx, 5n)).toBe(reported);
  expect(() => senderOf(tx, 6n)).toThrow("invalid chain id");
});

test("the hash is computed once", () => {
  const tx = signTransaction(draft, 5n, (digest) => sign(digest, KEY));
  expect(tx.hash).toBe(tx.hash);
});

test.each([
  [27n, 0n, 1n],
  [27n, 1n, 0n],
  [27n, ORDER, 1n],
  [27n, 1n, ORDER],
  [27n, 1n, ORDER / 2n + 1n],
  [0n, 1n, 1n],
  [1n, 1n, 1n],
  [45n, 0n, 1n],
  [45n, 1n, ORDER],
])("a legacy signature of V %i, R %i, S %i is refused when read", (v, r, s) => {
  expect(() => decodeTransaction(withSignature(v, r, s))).toThrow(badSignature);
});

test.each([
  [2n, 1n, 1n],
  [27n, 1n, 1n],
  [0n, 0n, 1n],
  [1n, 1n, ORDER],
])("a typed signature of parity %i, R %i, S %i is refused when read", (v, r, s) => {
  expect(() => decodeTransaction(typedWith(v, r, s))).toThrow(badSignature);
});

test("a high s is read where a chain is named, but gives no sender", () => {
  for (const raw of [withSignature(45n, 1n, ORDER - 1n), typedWith(0n, 1n, ORDER - 1n)]) {
    expect(() => senderOf(decodeTransaction(raw), 5n)).toThrow(badSignature);
  }
});

test("a V between 2 and 34 names no chain", () => {
  for (const v of [2n, 26n, 29n, 34n]) {
    expect(() => recoveryJob(decodeTransaction(withSignature(v, 1n, 1n)), 0n)).toThrow("invalid chain id");
  }
});

test("a V of many bytes names a chain of many bytes", () => {
  const chainId = 2n ** 200n;
  const tx = decodeTransaction(withSignature(chainId * 2n + 36n, 1n, 1n));
  expect(tx.chainId).toBe(chainId);
  expect(recoveryJob(tx, chainId).signature65[64]).toBe(1);
});

test("r and s come as they stand and are filled up for recovery", () => {
  const tx = decodeTransaction(withSignature(45n, 0x0102n, 3n));
  expect(tx.signatures[0]).toEqual({ v: 45n, r: Uint8Array.of(1, 2), s: Uint8Array.of(3) });
  const { signature65 } = recoveryJob(tx, 5n);
  expect(bytesToBigint(signature65.subarray(0, 32))).toBe(0x0102n);
  expect(bytesToBigint(signature65.subarray(32, 64))).toBe(3n);
});

test("numbers beyond 64 bits for nonce and gas are refused, amounts may have any size", () => {
  const uint64 = 2n ** 64n - 1n;
  for (const gasFeeCap of [2n ** 256n - 1n, 2n ** 256n, 2n ** 4000n + 5n])
    expect(decodeTransaction(withNumbers(uint64, gasFeeCap, uint64))).toMatchObject({
      nonce: uint64,
      gasFeeCap,
    });
  for (const raw of [withNumbers(uint64 + 1n, 0n, 0n), withNumbers(0n, 0n, uint64 + 1n)]) {
    expect(() => decodeTransaction(raw)).toThrow(expect.objectContaining({ code: "malformed" }));
  }
});

test("typed kinds are accepted only where the rules name them", () => {
  const [plain, typed] = [0, 0x7802].map((code) =>
    signTransaction({ ...draft, code }, 5n, (digest) => sign(digest, KEY)),
  );
  if (plain === undefined || typed === undefined) throw new Error("two were signed");
  expect(() => checkTypeAccepted(plain, BASE_RULES)).not.toThrow();
  expect(() => checkTypeAccepted(typed, BASE_RULES)).toThrow("transaction type not supported");
  expect(() => checkTypeAccepted(typed, { ...BASE_RULES, acceptedTypes: new Set([0x7802]) })).not.toThrow();
});

test("the effective price is the offer, the base fee, or the base fee and what fits of the tip", () => {
  const tx = { ...draft, chainId: 5n, fields: {}, gasFeeCap: 30n, gasTipCap: 4n };
  expect(effectivePrice(tx, undefined, BASE_RULES)).toBe(30n);
  expect(effectivePrice(tx, 25n, { ...BASE_RULES, effectivePrice: "base-fee" })).toBe(25n);
  const tipped = { ...BASE_RULES, effectivePrice: "base-fee-and-tip" as const };
  expect(effectivePrice(tx, 25n, tipped)).toBe(29n);
  expect(effectivePrice(tx, 28n, tipped)).toBe(30n);
  expect(effectivePrice({ ...tx, gasTipCap: 30n }, 25n, tipped)).toBe(30n);
});

test("V of a typed transaction whose last byte is a parity is read, but has no sender, as in the Go node", () => {
  const read = decodeTransaction(typedWith(257n, 1n, 1n));
  expect(() => senderOf(read, 5n)).toThrow(badSignature);
  expect(() => decodeTransaction(typedWith(258n, 1n, 1n))).toThrow(badSignature);
});

const legacy = toHex(withSignature(45n, 1n, 1n));
const typed = toHex(typedWith(0n, 1n, 1n));
test.each([
  ["an empty string before a legacy list", `0x80${legacy.slice(2)}`, legacy],
  ["a number in a form that RLP forbids before a legacy list", `0x8105${legacy.slice(2)}`, legacy],
  ["a number with a leading zero before a legacy list", `0x820005${legacy.slice(2)}`, legacy],
  ["a type number of two bytes", `0x827801${typed.slice(6)}`, typed],
  ["a type number of two bytes behind the envelope", `0x78827801${typed.slice(6)}`, typed],
])("%s is read as in the Go node, and written in the usual form", (_what, bytes, usual) => {
  const read = decodeTransaction(fromHex(bytes));
  expect([toHex(read.raw), toHex(read.hash)]).toEqual([usual, toHex(decodeTransaction(fromHex(usual)).hash)]);
});

test.each([
  ["a zero byte before a legacy list", `0x00${legacy.slice(2)}`],
  ["a type number of three bytes", `0x83000001${legacy.slice(2)}`],
  ["an Ethereum type that RLP forbids", `0x788101${typed.slice(6)}`],
  ["a type number without a list", "0x8278"],
])("%s is malformed", (_what, bytes) => {
  expect(() => decodeTransaction(fromHex(bytes))).toThrow(expect.objectContaining({ code: "malformed" }));
});
