/** Tests of sidecars of blob transactions. */
import { expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { decodeRlp, encodeRlp, encodeRlpList } from "../../../node/bytes/rlp.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { addressOfKey, sign } from "../../../node/crypto/secp256k1.ts";
import {
  decodeTransaction,
  readTransactions,
  senderOf,
  signTransaction,
} from "../../../node/model/transaction.ts";
import type { BlobSidecar } from "../../../node/model/transaction-type.ts";
import { transactionSamples } from "./samples.ts";

const KEY = new Uint8Array(32).fill(7);
const points = (count: number) => Array.from({ length: count }, (_, i) => new Uint8Array(48).fill(i + 1));
const sidecars: readonly BlobSidecar[] = [
  { version: 0, blobs: [new Uint8Array(131_072).fill(3)], commitments: points(1), proofs: points(1) },
  { version: 1, blobs: [new Uint8Array(131_072).fill(3)], commitments: points(1), proofs: points(128) },
  { version: 1, blobs: [], commitments: [], proofs: [] },
];

function aBlob(sidecar?: BlobSidecar) {
  const caps = { gasFeeCap: 30n, gasTipCap: 3n };
  const call = {
    nonce: 1n,
    gas: 21_000n,
    value: 0n,
    to: new Uint8Array(20).fill(9),
    input: new Uint8Array(0),
  };
  const fields = { maxFeePerBlobGas: 5n, blobVersionedHashes: [new Uint8Array(32).fill(1)] };
  const all = sidecar === undefined ? fields : { ...fields, sidecar };
  return signTransaction({ code: 0x7803, ...caps, ...call, fields: all }, 1001n, (digest) =>
    sign(digest, KEY),
  );
}

test.each(sidecars)(
  "a sidecar of version $version goes both ways and leaves hash and sender alone",
  (sidecar) => {
    const [bare, full] = [aBlob(), aBlob(sidecar)];
    const read = decodeTransaction(full.raw);
    expect(read.fields.sidecar).toEqual(sidecar);
    expect(Buffer.compare(read.type.encode(read, read.signatures), full.raw)).toBe(0);
    expect(toHex(read.hash)).toBe(toHex(bare.hash));
    expect(toHex(read.senderTxHash)).toBe(toHex(bare.hash));
    expect(toHex(bare.hash)).toBe(toHex(keccak256(bare.raw.subarray(1))));
    expect(toHex(senderOf(read, 1001n))).toBe(toHex(addressOfKey(KEY)));
    expect(full.raw.length).toBeGreaterThan(bare.raw.length);
  },
);

test("a transaction that a Go node took with its sidecar has the hash that it has in the block", () => {
  const sample = transactionSamples().find(({ name }) => name === "sidecar/blob/one");
  const tx = decodeTransaction(fromHex(sample?.raw ?? "0x"));
  expect(tx.fields.sidecar).toMatchObject({ version: 1, blobs: [expect.anything()] });
  expect(tx.fields.sidecar?.proofs).toHaveLength(128);
  expect(toHex(tx.hash)).toBe(sample?.txHash);
});

test("a sidecar in a block is refused", () => {
  const body = decodeRlp(encodeRlpList([aBlob(sidecars[2]).raw]));
  expect(() => readTransactions(body)).toThrow(expect.objectContaining({ code: "sidecar-in-block" }));
  expect(readTransactions(decodeRlp(encodeRlpList([aBlob().raw])))).toHaveLength(1);
});

test.each([0, 2, 255])("sidecar version %i is not known", (version) => {
  const list = aBlob().raw.subarray(2);
  const byte = encodeRlp(version === 0 ? new Uint8Array(0) : Uint8Array.of(version));
  const empty = Uint8Array.of(0xc0);
  const raw = Uint8Array.of(0x78, 3, ...encodeRlpList([list, byte, empty, empty, empty]));
  expect(() => decodeTransaction(raw)).toThrow(
    expect.objectContaining({ code: "unsupported-type", message: `unsupported blob tx version ${version}` }),
  );
});

test("blobs, commitments and proofs have their lengths", () => {
  const list = aBlob().raw.subarray(2);
  const empty = Uint8Array.of(0xc0);
  for (const bad of [
    [encodeRlp([new Uint8Array(131_071)]), empty, empty],
    [empty, encodeRlp([new Uint8Array(47)]), empty],
    [empty, empty, encodeRlp([new Uint8Array(49)])],
  ]) {
    const raw = concatBytes(Uint8Array.of(0x78, 3), encodeRlpList([list, ...bad]));
    expect(() => decodeTransaction(raw)).toThrow(expect.objectContaining({ code: "malformed" }));
  }
});
