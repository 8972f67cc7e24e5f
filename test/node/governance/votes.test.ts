/** Tests of governance votes and their encoding. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { fixedBytes, integerBytes } from "../../../node/bytes/integer.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { GovernanceError } from "../../../node/governance/error.ts";
import { decodeGovernanceData, encodeGovernanceData } from "../../../node/governance/governance-data.ts";
import { checkGovernanceData, checkVote, type VoteDeps } from "../../../node/governance/header-fields.ts";
import type { ParameterValue } from "../../../node/governance/parameter-rows.ts";
import { councilAfterVote, sortedValidators, validatorSet } from "../../../node/governance/validators.ts";
import { decodeVote, type ValidatorVote } from "../../../node/governance/vote.ts";
import { emptyAccount } from "../../../node/model/account.ts";
import { FAIL_KEY } from "../../../node/model/account-key.ts";
import { testParameters } from "../../support/headers.ts";
import { seededRandom } from "../../support/random.ts";

interface Samples {
  readonly headerVotes: {
    readonly samples: readonly { readonly hex: string; readonly computedDecoded: Record<string, string> }[];
  };
  readonly headerGovernance: {
    readonly samples: readonly { readonly hex: string; readonly computedJson: string }[];
  };
}

const samples = JSON.parse(
  readFileSync(
    fileURLToPath(new URL("../../vectors/governance/header-fields.json", import.meta.url)),
    "utf8",
  ),
) as Samples;

const [maker, other, stranger, contract] = [1, 2, 9, 4].map((number) => fixedBytes(number, 20)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const text = (value: string): Uint8Array => Buffer.from(value);

function vote(name: string, value: Uint8Array, voter = maker): Uint8Array {
  return encodeRlp([voter, text(name), value]);
}

const context: VoteDeps = {
  validators: validatorSet([maker, other], [maker], 4),
  formerCouncil: [maker, other],
  decided: { ...testParameters, governanceMode: "single", governingNode: maker },
  account: (address) => {
    if (toHex(address) === toHex(other)) return emptyAccount();
    return toHex(address) === toHex(contract)
      ? { ...emptyAccount(), kind: "contract", key: FAIL_KEY, nonce: 1n }
      : undefined;
  },
};

describe("a vote is accepted", () => {
  test.each<[string, string, Uint8Array]>([
    ["for a price", "governance.unitprice", integerBytes(25_000_000_000n)],
    ["for zero, which is no bytes", "kip71.gastarget", new Uint8Array(0)],
    ["for an amount in decimal digits", "reward.mintingamount", text("9600000000000000000")],
    ["for an amount of many digits", "reward.mintingamount", text(`${"0".repeat(1_500)}7`)],
    ["for a ratio that makes a hundred", "reward.ratio", text("34/54/12")],
    ["for a ratio of four parts", "reward.ratio", text("40/25/25/10")],
    [
      "for a ratio that makes a hundred in 64 bits",
      "reward.ratio",
      text("9223372036854775807/9223372036854775807/102"),
    ],
    ["for the flexible reward", "reward.useflexreward", Uint8Array.of(1)],
    ["for a threshold of any size", "reward.stakingrewardthreshold", text("100000000000000000000")],
    ["for a contract that is there", "governance.govparamcontract", contract],
    ["for another governing node", "governance.governingnode", stranger],
    ["for a validator", "governance.addvalidator", stranger],
    ["against several", "governance.removevalidator", concatBytes(other, stranger)],
    [
      "against more than any council has",
      "governance.removevalidator",
      concatBytes(...Array.from({ length: 5_000 }, () => stranger)),
    ],
  ])("%s", (_what, name, value) => {
    expect(() => checkVote(vote(name, value), maker, context)).not.toThrow();
  });
});

test.each([
  ["+0009", "9"],
  ["-0012", "-12"],
  ["-00", "0"],
  ["7".repeat(40), "7".repeat(40)],
])("the amount %s of a vote stays text, in its shortest form", (given, value) => {
  expect(decodeVote(vote("reward.mintingamount", text(given)))).toMatchObject({ value });
});

const KEY_AND_VALUE = "your vote couldn't be placed. Please check your vote's key and value";

describe("a header is rejected for a vote", () => {
  test.each<[string, Uint8Array, string, Partial<VoteDeps>?]>([
    ["that is no RLP", Uint8Array.of(0xc1), "invalid rlp"],
    ["of four members", encodeRlp([maker, text("a"), text("b"), text("c")]), "invalid rlp"],
    [
      "with bytes after it",
      concatBytes(vote("governance.unitprice", integerBytes(1)), text("x")),
      "invalid rlp",
    ],
    ["for a name that is none", vote("governance.price", integerBytes(1)), "invalid vote data"],
    ["for a name in capitals", vote("governance.unitPrice", integerBytes(1)), "invalid vote data"],
    ["for what nobody may vote", vote("istanbul.epoch", integerBytes(1)), "invalid vote data"],
    ["of nine bytes", vote("governance.unitprice", new Uint8Array(9).fill(1)), "invalid vote data"],
    ["for a ratio of 99", vote("reward.ratio", text("34/54/11")), "invalid vote data"],
    ["for a ratio of five parts", vote("reward.ratio", text("20/20/20/20/20")), "invalid vote data"],
    [
      "for two parts of the stakers' ratio more",
      vote("reward.kip82ratio", text("20/30/50")),
      "invalid vote data",
    ],
    ["for a threshold below zero", vote("reward.stakingrewardthreshold", text("-1")), "invalid vote data"],
    ["for a flexible reward of two", vote("reward.useflexreward", Uint8Array.of(2)), "invalid vote data"],
    ["for a ratio below zero", vote("reward.kip82ratio", text("-1/101")), "invalid vote data"],
    [
      "for a share of 64 bits",
      vote("reward.ratio", text("9223372036854775808/9223372036854775807/101")),
      "invalid vote data",
    ],
    ["for an empty committee", vote("istanbul.committeesize", new Uint8Array(0)), "invalid vote data"],
    ["for an address of 19 bytes", vote("governance.governingnode", new Uint8Array(19)), "invalid vote data"],
    ["for an amount that is none", vote("reward.mintingamount", text("1e18")), "invalid vote data"],
    ["of a stranger", vote("governance.unitprice", integerBytes(1), stranger), KEY_AND_VALUE],
    ["of another validator", vote("governance.unitprice", integerBytes(1), other), "invalid voter"],
    [
      "for a lower bound above the upper",
      vote("kip71.lowerboundbasefee", integerBytes(750_000_000_001n)),
      "lowerboundbasefee is greater than upperboundbasefee",
    ],
    [
      "for an upper bound below the lower",
      vote("kip71.upperboundbasefee", integerBytes(1n)),
      "upperboundbasefee is less than lowerboundbasefee",
    ],
    [
      "for a contract that is nowhere",
      vote("governance.govparamcontract", stranger),
      "govparamcontract is not an account",
    ],
    [
      "for a contract that is an account",
      vote("governance.govparamcontract", other),
      "govparamcontract is not an contract account",
    ],
    [
      "about the governing node as a validator",
      vote("governance.removevalidator", concatBytes(other, maker)),
      "gov node is found in the valset vote value",
    ],
    [
      "for a governing node while the present one is no validator",
      vote("governance.governingnode", other),
      "gov node is not found in the valset list",
      { formerCouncil: [other] },
    ],
  ])("%s", (_what, bytes, message, change = {}) => {
    expect(() => checkVote(bytes, maker, { ...context, ...change })).toThrow(
      expect.objectContaining({ message }),
    );
  });
});

test("recorded votes and governance data are read, and data written again has the same values", () => {
  for (const { hex, computedDecoded } of samples.headerVotes.samples) {
    const found = decodeVote(fromHex(hex));
    expect(toHex(found.voter)).toBe(computedDecoded["voter"]);
    if (found.kind === "parameter") expect(found.name).toBe(computedDecoded["key"]);
    else expect(computedDecoded["key"]).toMatch(/^governance\.(add|remove)validator$/);
  }
  for (const { hex, computedJson } of samples.headerGovernance.samples) {
    const values = decodeGovernanceData(fromHex(hex));
    expect([...values.keys()]).toEqual(Object.keys(JSON.parse(computedJson) as object));
    expect(decodeGovernanceData(encodeGovernanceData(values))).toEqual(
      new Map([...values].sort(([a], [b]) => (a < b ? -1 : 1))),
    );
  }
});

test("the value of an old vote of another length is one address in its last bytes", () => {
  const found = decodeVote(vote("governance.addvalidator", text(`0x${"ab".repeat(20)}`))) as ValidatorVote;
  expect(found.addresses.map((address) => Buffer.from(address).toString())).toEqual(["ab".repeat(10)]);
});

describe("governance data", () => {
  const data = (json: string): Uint8Array => encodeRlp(text(json));
  const expected = new Map<string, ParameterValue>([["governance.unitprice", 7n]]);

  test("is what votes asked for, in any spelling of the same values", () => {
    checkGovernanceData(encodeGovernanceData(expected), expected);
    checkGovernanceData(data(' {"governance.unitprice": 7.0} '), expected);
    checkGovernanceData(data(`{"governance.unitprice":7}${" ".repeat(1_100_000)}`), expected);
    checkGovernanceData(new Uint8Array(0), new Map());
    checkGovernanceData(data("null"), new Map());
    checkGovernanceData(new Uint8Array(0), undefined);
  });

  const MISMATCH = "header.Governance does not match the vote in previous epoch";
  test.each<[string, Uint8Array, string]>([
    ["in a block that begins no epoch", data("{}"), "governance is not allowed in non-epoch block"],
    ["that is missing", new Uint8Array(0), MISMATCH],
    ["with another value", data('{"governance.unitprice":8}'), MISMATCH],
    ["with one more", data('{"governance.unitprice":7,"kip71.gastarget":1}'), MISMATCH],
    ["without RLP around it", text('{"governance.unitprice":7}'), "invalid rlp"],
    ["that is no JSON", data("{"), "invalid json"],
    ["that is no object", data("[7]"), "invalid json"],
    ["with an unknown name", data('{"governance.price":7}'), "invalid gov data"],
    ["with a number as text", data('{"governance.unitprice":"7"}'), "invalid gov data"],
    ["with a number of 65 bits", data('{"governance.unitprice":18446744073709551616}'), "invalid gov data"],
    ["with half a number", data('{"governance.unitprice":0.5}'), "invalid gov data"],
  ])("%s is refused", (what, bytes, message) => {
    const wanted = what.includes("no epoch") ? undefined : expected;
    expect(() => checkGovernanceData(bytes, wanted)).toThrow(expect.objectContaining({ message }));
  });
});

test("arbitrary bytes decode or throw a `GovernanceError`", () => {
  const draw = seededRandom(7);
  const random = (below: number): number => Math.floor(draw() * below);
  const whole = [
    ...samples.headerVotes.samples.map(({ hex }) => fromHex(hex)),
    ...samples.headerGovernance.samples.map(({ hex }) => fromHex(hex)),
  ];
  const rounds = Number(process.env["KNIT_MUTATIONS"] ?? 20) * 250;
  for (let i = 0; i < rounds; i++) {
    const bytes = Uint8Array.from(whole[i % whole.length] ?? []);
    for (let change = 0; change <= i % 3; change++) bytes[random(bytes.length)] = random(256);
    const cut = i % 5 === 0 ? bytes.subarray(0, random(bytes.length)) : bytes;
    for (const read of [decodeVote, decodeGovernanceData]) {
      try {
        read(cut);
      } catch (error) {
        expect(error).toBeInstanceOf(GovernanceError);
      }
    }
  }
});

test("a ratio of a million digits and data of millions of brackets are invalid", () => {
  expect(() => decodeVote(vote("reward.ratio", text("9".repeat(1_000_000))))).toThrow("invalid vote data");
  expect(() => decodeGovernanceData(encodeRlp(text("[".repeat(2_000_000))))).toThrow("invalid json");
});

test("votes change the council in its own order, and never the governing node's place", () => {
  const council = sortedValidators([other, maker]);
  const by = (adds: boolean, ...addresses: readonly Uint8Array[]): ValidatorVote => ({
    kind: "validators",
    voter: maker,
    adds,
    addresses,
  });
  const added = councilAfterVote(council, by(true, stranger, other), maker);
  expect(added).toEqual(sortedValidators([maker, other, stranger]));
  expect(councilAfterVote(added, by(false, maker, other), maker)).toEqual(
    sortedValidators([maker, stranger]),
  );
});
