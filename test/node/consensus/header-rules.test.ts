/** Tests of the header rules against the parent. */
import { expect, test } from "@jest/globals";
import { type HeaderDeps, verifyHeader } from "../../../node/consensus/header-rules.ts";
import { recoverCommitters, recoverProposer } from "../../../node/consensus/seal.ts";
import { validatorSet } from "../../../node/governance/validators.ts";
import { blockHash, type Header } from "../../../node/model/header.ts";
import { encodeExtra, parseExtra } from "../../../node/model/istanbul-extra.ts";
import {
  aGenesisBlock,
  aHeader,
  aHeaderContext,
  aSealedHeader,
  aValidator,
  baseFeeRules,
} from "../../support/headers.ts";

const [first, second, third, fourth] = [1, 2, 3, 4].map(aValidator) as [
  ReturnType<typeof aValidator>,
  ReturnType<typeof aValidator>,
  ReturnType<typeof aValidator>,
  ReturnType<typeof aValidator>,
];
const stranger = aValidator(9);
const all = [first, second, third, fourth];
const genesis = aGenesisBlock(all);

const context = aHeaderContext(genesis, all);

const good = aHeader(genesis, all);

test("a header with a validator's seal and a quorum of committed seals is valid", () => {
  const header = aSealedHeader(good, second, [first, third, fourth]);
  const { hash, author } = verifyHeader(header, context);
  expect(author).toEqual(second.address);
  expect(hash).toEqual(blockHash(header));
});

test("committed seals and the round do not change the hash", () => {
  const few = aSealedHeader(good, first, [second, third, fourth]);
  const other = aSealedHeader(good, first, [first, second, third]);
  const extra = Uint8Array.from(other.extra);
  extra[31] = 5;
  expect(blockHash({ ...other, extra })).toEqual(blockHash(few));
  expect(verifyHeader({ ...other, extra }, context).author).toEqual(first.address);
});

test.each<[string, Partial<Header>, string, Partial<HeaderDeps>?]>([
  ["a base fee before its fork", { baseFee: 25_000_000_000n }, "invalid baseFee before fork"],
  ["no base fee after its fork", {}, "header is missing baseFee", { rules: baseFeeRules }],
  [
    "another base fee than the parent gives",
    { baseFee: 25_000_000_002n },
    "invalid baseFee: have 25000000002, want 25000000000, parentBaseFee <nil>, parentGasUsed 0",
    { rules: baseFeeRules },
  ],
  ["a time ahead of the clock", { time: 2_002 }, "block in the future"],
  ["extra data that is too short", { extra: new Uint8Array(31) }, "invalid extra data format"],
  ["another block score than one", { blockScore: 2n }, "invalid blockscore"],
  ["a number that does not follow", { number: 2 }, "unknown ancestor"],
  ["another parent", { parentHash: new Uint8Array(32).fill(1) }, "unknown ancestor"],
  ["a time not after its parent's", { time: 1_000 }, "invalid timestamp"],
  [
    "random beacon fields before their fork",
    { mixHash: new Uint8Array(32), randomReveal: new Uint8Array(96), baseFee: 25_000_000_000n },
    "unexpected randao fields",
    { rules: baseFeeRules },
  ],
  [
    "governance data between epochs",
    { governance: Uint8Array.of(0x80) },
    "governance is not allowed in non-epoch block",
  ],
])("%s is refused", (_what, change, message, terms = {}) => {
  const extra = change.extra;
  const header = extra === undefined ? aSealedHeader({ ...good, ...change }, first, all) : { ...good, extra };
  expect(() => verifyHeader(header, { ...context, ...terms })).toThrow(message);
});

test("a proposer seal of another address, or none, is unauthorized", () => {
  expect(() => verifyHeader(aSealedHeader(good, stranger, all), context)).toThrow("unauthorized");
  expect(() => verifyHeader(good, context)).toThrow("unauthorized");
});

test("a time ahead of the clock counts only in a header with good seals, and in a proposal at once", () => {
  const early = { ...good, time: 2_002 };
  expect(() => verifyHeader(early, context)).toThrow("unauthorized");
  expect(() => verifyHeader(aSealedHeader(early, first, [first]), context)).toThrow("committed seals");
  expect(() => verifyHeader(early, { ...context, isProposal: true })).toThrow("block in the future");
});

test("a validator without enough stake may commit a block but not propose it", () => {
  const addresses = all.map(({ address }) => address);
  const terms = { ...context, validators: validatorSet(addresses, addresses.slice(0, 3), 22) };
  const by = (author: typeof first) => aSealedHeader(good, author, [second, fourth]);
  expect(verifyHeader(by(first), terms).author).toEqual(first.address);
  expect(() => verifyHeader(by(fourth), terms)).toThrow("unauthorized");
});

test("missing, too few, repeated, foreign and unreadable committed seals are rejected", () => {
  const check = (committers: (typeof first)[]) => () =>
    verifyHeader(aSealedHeader(good, first, committers), context);
  expect(check([])).toThrow("zero committed seals");
  expect(check([first, second])).toThrow("invalid committed seals");
  expect(check([first, second, first])).toThrow("invalid committed seals");
  expect(check([first, second, third, stranger])).toThrow("invalid committed seals");
  const broken = { ...first, sign: () => new Uint8Array(65).fill(255) };
  expect(check([first, second, broken])).toThrow("invalid signature");
});

test("a proposal has no committed seals, or those of a whole block", () => {
  const check = (committers: (typeof first)[]) => () =>
    verifyHeader(aSealedHeader(good, first, committers), { ...context, isProposal: true });
  expect(check([])().author).toEqual(first.address);
  expect(check([second, third, fourth])().author).toEqual(first.address);
  expect(check([first, second, first])).toThrow("invalid committed seals");
});

test("a changed byte outside the round changes the recovered sealers", () => {
  const header = aSealedHeader(good, first, [first, second, third]);
  for (let at = 0; at < header.stateRoot.length; at++) {
    const stateRoot = Uint8Array.from(header.stateRoot);
    stateRoot[at] = (stateRoot[at] ?? 0) ^ 1;
    expect(() => verifyHeader({ ...header, stateRoot }, context)).toThrow("unauthorized");
  }
});

test("seals recover to the addresses of their signers", () => {
  const header = aSealedHeader(good, third, [first, fourth]);
  const extra = parseExtra(header.extra);
  expect(recoverProposer(header, extra)).toEqual(third.address);
  expect(recoverCommitters(blockHash(header), extra)).toEqual([first.address, fourth.address]);
  expect(
    recoverProposer(header, parseExtra(encodeExtra({ ...extra, seal: new Uint8Array(65) }))),
  ).toBeUndefined();
});

test.each([
  [1, 22, 0],
  [3, 22, 0],
  [4, 22, 2],
  [7, 22, 4],
  [7, 4, 2],
])("of %i validators in a committee of at most %i, more than %i must agree", (count, size, twiceFaulty) => {
  const validators = Array.from({ length: count }, (_, i) => aValidator(i + 1).address);
  expect(validatorSet(validators, validators, size).twiceFaulty).toBe(twiceFaulty);
});
