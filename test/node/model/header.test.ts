/** Tests of block headers of all forks. */
import { expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { decodeRlp, encodeRlpList, listItems } from "../../../node/bytes/rlp.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { addressOfPublicKey, recover } from "../../../node/crypto/secp256k1.ts";
import {
  blockHash,
  decodeHeader,
  encodeHeader,
  type Header,
  hashLongHeader,
  isLongHeader,
  sealHash,
} from "../../../node/model/header.ts";
import {
  committedSealDigest,
  encodeExtra,
  parseExtra,
  proposerSealDigest,
  roundOf,
} from "../../../node/model/istanbul-extra.ts";
import { headerSamples } from "./samples.ts";

const samples = headerSamples().map((sample) => ({ ...sample, bytes: fromHex(sample.rlp) }));

function signer(digest: Uint8Array, seal: Uint8Array): string | undefined {
  const publicKey = recover(digest, seal);
  return publicKey && toHex(addressOfPublicKey(publicKey));
}

function expectRefusals(raws: readonly Uint8Array[]): void {
  expect(() => decodeHeader(decodeRlp(encodeRlpList(raws)))).toThrow(
    expect.objectContaining({ code: "bad-rlp" }),
  );
}

function aHeader(): Header {
  const sample = samples.find(({ chain, number }) => chain === "four-validators" && number === 1);
  return decodeHeader(decodeRlp(sample?.bytes ?? new Uint8Array(0)));
}

test("recorded headers of all forks go both ways and have their recorded hash", () => {
  const sizes = new Set<number>();
  for (const { bytes, hash, number } of samples) {
    const header = decodeHeader(decodeRlp(bytes));
    sizes.add(listItems(decodeRlp(bytes)).length);
    expect(header.number).toBe(number);
    expect(toHex(encodeHeader(header))).toBe(toHex(bytes));
    expect(toHex(blockHash(header))).toBe(hash);
  }
  expect([...sizes].sort((a, b) => a - b)).toEqual([14, 15, 17, 19]);
});

test("a long header is hashed in steps to the same hashes, also when its extra field is malformed", () => {
  const header = aHeader();
  const extra = parseExtra(header.extra);
  const validators = Array.from({ length: 30_000 }, () => new Uint8Array(20));
  const long = [
    { ...header, extra: encodeExtra({ ...extra, validators }) },
    { ...header, vote: new Uint8Array(600_000) },
    { ...header, extra: new Uint8Array(600_000) },
  ];
  expect([header, ...long].map(isLongHeader)).toEqual([false, true, true, true]);
  expect(long.map((each) => [...hashLongHeader(each)].length)).toEqual([6, 6, 3]);
  for (const each of long) expect(toHex(blockHash(each))).toBe(toHex(blockHash({ ...each })));
  const [one, other, malformed] = long as [Header, Header, Header];
  for (const each of [one, other]) expect(toHex(sealHash(each))).toBe(toHex(sealHash({ ...each })));
  expect(() => sealHash(malformed)).toThrow("invalid istanbul header extra-data");
});

test("recorded headers have their recorded seal hash, round and proposer", () => {
  const sealed = samples.filter(({ sigHash }) => sigHash !== undefined);
  for (const { bytes, sigHash, proposer, round } of sealed) {
    const header = decodeHeader(decodeRlp(bytes));
    expect(toHex(sealHash(header))).toBe(sigHash);
    expect(roundOf(header.extra)).toBe(round);
    expect(signer(proposerSealDigest(header), parseExtra(header.extra).seal)).toBe(proposer);
  }
  expect(sealed.some(({ round }) => round === 1)).toBe(true);
});

test("committed seals of a public test network recover to its validators", () => {
  const found = samples.filter(({ committers }) => committers);
  expect(found).toHaveLength(2);
  for (const { bytes, committers } of found) {
    const header = decodeHeader(decodeRlp(bytes));
    const digest = committedSealDigest(blockHash(header));
    expect(parseExtra(header.extra).committedSeals.map((seal) => signer(digest, seal))).toEqual(committers);
  }
});

test("round and committed seals do not change the block hash, the proposer's seal does", () => {
  const header = aHeader();
  const extra = parseExtra(header.extra);
  const vanity = Uint8Array.from(extra.vanity);
  vanity[31] = 9;
  const agreed = {
    ...header,
    extra: encodeExtra({ ...extra, vanity, committedSeals: [new Uint8Array(65)] }),
  };
  expect(blockHash(agreed)).toEqual(blockHash(header));
  expect(sealHash(agreed)).toEqual(sealHash(header));
  const resealed = { ...header, extra: encodeExtra({ ...extra, seal: new Uint8Array(65) }) };
  expect(blockHash(resealed)).not.toEqual(blockHash(header));
  expect(sealHash(resealed)).toEqual(sealHash(header));
});

test("a header whose extra field has another form is hashed as it is", () => {
  for (const extra of [new Uint8Array(0), new Uint8Array(31), new Uint8Array(40)]) {
    const header = { ...aHeader(), extra };
    expect(blockHash(header)).toEqual(keccak256(encodeHeader(header)));
    expect(() => sealHash(header)).toThrow("invalid istanbul header extra-data");
    expect(() => parseExtra(extra)).toThrow(expect.objectContaining({ code: "bad-extra" }));
  }
});

test("an extra field with a million seals is hashed without them, but not read", () => {
  const header = aHeader();
  const extra = parseExtra(header.extra);
  const empty = new Uint8Array(0);
  const flooded = encodeExtra({ ...extra, committedSeals: Array.from({ length: 1_000_000 }, () => empty) });
  expect(blockHash({ ...header, extra: flooded })).toEqual(blockHash(header));
  expect(() => parseExtra(flooded)).toThrow("invalid istanbul header extra-data");
});

test("an extra field names more validators than any council has: no rule of a header reads them", () => {
  const validators = Array.from({ length: 5_000 }, (_, number) => fixedBytes(number, 20));
  const parsed = parseExtra(encodeExtra({ ...parseExtra(aHeader().extra), validators }));
  expect(parsed.committedSeals).toEqual(parseExtra(aHeader().extra).committedSeals);
  expect(parsed.validators).toEqual(validators);
});

test("extra fields go both ways, vanity is filled up to 32 bytes", () => {
  const validators = [new Uint8Array(20).fill(1), new Uint8Array(20).fill(2)];
  const extra = encodeExtra({
    vanity: Uint8Array.of(7),
    validators,
    seal: new Uint8Array(0),
    committedSeals: [],
  });
  expect(extra.length).toBe(32 + 46);
  const parsed = parseExtra(extra);
  expect(parsed.vanity).toEqual(new Uint8Array([7, ...new Uint8Array(31)]));
  expect(parsed).toMatchObject({ validators, seal: new Uint8Array(0), committedSeals: [] });
  expect(encodeExtra(parsed)).toEqual(extra);
});

test("fields at the end stay absent, empty ones before a present one are written", () => {
  const plain = aHeader();
  const base = { ...plain, baseFee: undefined };
  expect(listItems(decodeRlp(encodeHeader(base)))).toHaveLength(14);
  expect(listItems(decodeRlp(encodeHeader({ ...base, baseFee: 0n })))).toHaveLength(15);
  const late = encodeHeader({ ...base, baseFee: 5n, blobGasUsed: 0n, excessBlobGas: 0n });
  expect(listItems(decodeRlp(late))).toHaveLength(19);
  expect(encodeHeader(decodeHeader(decodeRlp(late)))).toEqual(late);
});

test("a header with a field of a wrong size, one too few or one too many is refused", () => {
  const items = listItems(decodeRlp(encodeHeader({ ...aHeader(), baseFee: undefined }))).map(
    (item) => item.raw,
  );
  expectRefusals(items.slice(0, 13));
  expectRefusals([...items, ...Array.from({ length: 6 }, () => Uint8Array.of(0x80))]);
  for (const at of [0, 1, 2, 3, 4, 5]) expectRefusals(items.with(at, Uint8Array.of(0x80)));
  expectRefusals(items.with(7, Uint8Array.of(0x87, 0x20, 0, 0, 0, 0, 0, 0)));
  expectRefusals(items.with(10, Uint8Array.of(0x82, 1, 0)));
  expectRefusals(items.with(11, Uint8Array.of(0xc0)));
});
