/** Seals recovered ahead, in batches, say the same as seals recovered one by one. */
import { afterAll, expect, test } from "@jest/globals";
import { verifyHeader } from "../../../node/consensus/header-rules.ts";
import { recoverCommitters, recoverProposer } from "../../../node/consensus/seal.ts";
import { authorOf, recoveredSealers, recoverSealers } from "../../../node/consensus/sealers.ts";
import { openRecoverer } from "../../../node/crypto/recoverer.ts";
import { blockHash, type Header } from "../../../node/model/header.ts";
import { encodeExtra, parseExtra } from "../../../node/model/istanbul-extra.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { aGenesisBlock, aHeader, aHeaderContext, aSealedHeader, aValidator } from "../../support/headers.ts";

const recoverer = openRecoverer(silentLog);
afterAll(async () => {
  await recoverer[Symbol.asyncDispose]();
});

const all = [aValidator(1), aValidator(2), aValidator(3), aValidator(4)];
const [first, second, third] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0]]; // four were made
const genesis = aGenesisBlock(all);
const good = aHeader(genesis, all);
const context = aHeaderContext(genesis, all);

async function find(...headers: readonly Header[]): Promise<void> {
  await recoverSealers(
    recoverer,
    headers.map((header) => ({ header, hash: blockHash(header) })),
  );
}

test("a header has the same sealers in a batch as alone", async () => {
  const headers = Array.from({ length: 40 }, (_, i) =>
    aSealedHeader({ ...good, gasUsed: BigInt(i) }, all[i % 4] ?? first, all.slice(0, i % 4)),
  );
  await find(...headers);
  for (const header of headers) {
    const extra = parseExtra(header.extra);
    expect(recoveredSealers(header)).toEqual({
      proposer: recoverProposer(header, extra),
      committers: recoverCommitters(blockHash(header), extra),
    });
  }
});

test("a copy of a header object has no remembered sealers", async () => {
  const header = aSealedHeader(good, first, all);
  await find(header);
  expect(recoveredSealers({ ...header })).toBeUndefined();
});

test("the author of a header is recovered once", async () => {
  const [ahead, late] = [1n, 2n].map((gasUsed) => aSealedHeader({ ...good, gasUsed }, second, all)) as [
    Header,
    Header,
  ];
  await find(ahead);
  expect(authorOf(late)).toEqual(second.address);
  for (const header of [ahead, late]) {
    header.extra.fill(0);
    expect(authorOf(header)).toEqual(second.address);
    expect(authorOf({ ...header })).toBeUndefined();
  }
});

test("headers with unreadable seals or hundreds of seals are skipped", async () => {
  const sealed = aSealedHeader(good, first, all);
  const extra = parseExtra(sealed.extra);
  const many = Array.from({ length: 200 }, () => extra.committedSeals[0] ?? extra.seal);
  const left = [
    { ...sealed, extra: new Uint8Array(31) },
    { ...sealed, extra: encodeExtra({ ...extra, seal: new Uint8Array(3) }) },
    { ...sealed, extra: encodeExtra({ ...extra, committedSeals: many }) },
    good,
  ];
  await find(...left, sealed);
  expect(left.map(recoveredSealers)).toEqual([undefined, undefined, undefined, undefined]);
  expect(recoveredSealers(sealed)?.proposer).toEqual(first.address);
});

test("header rules treat remembered and recovered sealers alike", async () => {
  const passing = aSealedHeader(good, second, [first, second, third]);
  const strange = aSealedHeader(good, aValidator(9), all);
  const few = aSealedHeader(good, first, [first, second]);
  const broken = aSealedHeader(good, first, [
    first,
    second,
    { ...third, sign: () => new Uint8Array(65).fill(255) },
  ]);
  await find(passing, strange, few, broken);
  expect(verifyHeader(passing, context).author).toEqual(second.address);
  expect(() => verifyHeader(strange, context)).toThrow("unauthorized");
  expect(() => verifyHeader(few, context)).toThrow("invalid committed seals");
  expect(() => verifyHeader(broken, context)).toThrow("invalid signature");
});

test("more committed seals than validators are rejected without recovery", () => {
  const sealed = aSealedHeader(good, first, all);
  const extra = parseExtra(sealed.extra);
  const unreadable = Array.from({ length: 3000 }, () => new Uint8Array(65).fill(255));
  const header = { ...sealed, extra: encodeExtra({ ...extra, committedSeals: unreadable }) };
  expect(() => verifyHeader(header, context)).toThrow("invalid committed seals");
});
