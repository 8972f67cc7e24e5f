/** Tests of the rules of header fields that forks added. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { BASE_RULES } from "../../../node/config/rules.ts";
import { checkForkFields, type ForkFieldDeps } from "../../../node/consensus/fork-fields.ts";
import {
  type BlsChecks,
  loadBlsChecks,
  mixedHash,
  mixOf,
  type ProposerKey,
} from "../../../node/consensus/randomness.ts";
import { copyReveal, revealMessage } from "../../../node/consensus/reveals.ts";
import { type Bls, loadBls } from "../../../node/crypto/bls.ts";
import { deriveBlsKey } from "../../../node/crypto/bls-key.ts";
import { provePossession } from "../../../node/crypto/bls-possession.ts";
import type { Header } from "../../../node/model/header.ts";
import { aGenesisBlock, aHeader, aValidator } from "../../support/headers.ts";

const author = aValidator(1);
const genesis = aGenesisBlock([author]);
const blsKey = deriveBlsKey(new Uint8Array(32).fill(1));
const parentMix = new Uint8Array(32).fill(9);
let bls: Bls;
let checks: BlsChecks;
let key: ProposerKey;

beforeAll(async () => {
  bls = await loadBls();
  checks = await loadBlsChecks();
  key = await provePossession(blsKey);
});

function context(change: Partial<ForkFieldDeps> = {}, registered: ProposerKey | undefined = key) {
  return {
    parent: genesis.header,
    rules: { ...BASE_RULES, randao: true },
    blobs: { target: 1, max: 2, baseFeeUpdateFraction: 1n },
    randomness: { ...checks, parentMix, keyOf: () => registered },
    ...change,
  };
}

function random(change: Partial<Header> = {}, number = 1): Header {
  const randomReveal = bls.sign(blsKey, revealMessage(number));
  const mixHash = mixedHash(parentMix, randomReveal);
  return { ...aHeader(genesis, [author]), randomReveal, mixHash, ...change };
}

describe("random fields", () => {
  test("are the author's signature of the number, mixed into the parent's", () => {
    expect(() => checkForkFields(random(), author.address, context())).not.toThrow();
  });

  test("are verified once; the result holds for the same header with other seals", () => {
    let verified = 0;
    const verify: BlsChecks["verify"] = (claim) => {
      verified++;
      return checks.verify(claim);
    };
    const counting = context({ randomness: { ...checks, verify, parentMix, keyOf: () => key } });
    const header = random();
    const resealed = { ...header };
    checkForkFields(header, author.address, counting);
    copyReveal(header, resealed);
    checkForkFields(resealed, author.address, counting);
    expect(verified).toBe(1);
  });

  test.each<[string, () => Partial<Header>]>([
    ["without a signature", () => ({ randomReveal: undefined })],
    ["with an empty one", () => ({ randomReveal: new Uint8Array(0) })],
    ["with a signature of another number", () => ({ randomReveal: random({}, 2).randomReveal })],
    ["with a point at infinity", () => ({ randomReveal: Uint8Array.of(0xc0, ...new Uint8Array(95)) })],
    ["without a mix", () => ({ mixHash: undefined })],
    ["with another mix", () => ({ mixHash: new Uint8Array(32) })],
    ["with a mix of 31 bytes", () => ({ mixHash: random().mixHash?.subarray(1) })],
  ])("%s are refused", (_what, change) => {
    expect(() => checkForkFields(random(change()), author.address, context())).toThrow(
      "invalid randao fields",
    );
  });

  test("of an author without a registered and proven key are rejected", async () => {
    const unknown = { ...context(), randomness: { ...checks, parentMix, keyOf: () => undefined } };
    expect(() => checkForkFields(random(), author.address, unknown)).toThrow(
      "bls pubkey not found for the proposer",
    );
    const other = await provePossession(deriveBlsKey(new Uint8Array(32).fill(2)));
    const stolen = { publicKey: key.publicKey, proof: other.proof };
    expect(() => checkForkFields(random(), author.address, context({}, stolen))).toThrow(
      "KIP113 PoP verification failed",
    );
    expect(() => checkForkFields(random(), author.address, context({}, other))).toThrow(
      "invalid randao fields",
    );
    const short = { publicKey: key.publicKey.subarray(1), proof: new Uint8Array(0) };
    expect(() => checkForkFields(random(), author.address, context({}, short))).toThrow(
      "KIP113 PoP verification failed",
    );
  });

  test("start from zeros at the first block with randomness", () => {
    const parent = random({ mixHash: parentMix });
    expect(mixOf(parent, true)).toEqual(parentMix);
    expect(mixOf(parent, false)).toEqual(new Uint8Array(32));
    expect(mixOf({ ...parent, mixHash: undefined }, true)).toEqual(new Uint8Array(32));
  });

  test("before their fork are rejected, also when empty", () => {
    for (const field of [{ randomReveal: new Uint8Array(0) }, { mixHash: new Uint8Array(32) }]) {
      const header = { ...aHeader(genesis, [author]), ...field };
      expect(() => checkForkFields(header, author.address, context({ rules: BASE_RULES }))).toThrow(
        "unexpected randao fields",
      );
    }
  });
});

test("the empty random fields before blob gas are none on a chain without randomness", () => {
  const rules = { ...BASE_RULES, blobGas: true };
  const empty = new Uint8Array(0);
  const header = {
    ...aHeader(genesis, [author]),
    randomReveal: empty,
    mixHash: empty,
    blobGasUsed: 0n,
    excessBlobGas: 0n,
  };
  expect(() => checkForkFields(header, author.address, context({ rules }))).not.toThrow();
  for (const field of [{ randomReveal: new Uint8Array(96) }, { mixHash: new Uint8Array(32) }]) {
    expect(() => checkForkFields({ ...header, ...field }, author.address, context({ rules }))).toThrow(
      "unexpected randao fields",
    );
  }
});

test("a random value that a development chain has set stands without a reveal", () => {
  const mixHash = new Uint8Array(32).fill(7);
  const header = { ...aHeader(genesis, [author]), randomReveal: new Uint8Array(0), mixHash };
  const check = (change: Partial<Header>, set: Uint8Array) => () =>
    checkForkFields(
      { ...header, ...change },
      author.address,
      context({ rules: BASE_RULES, overrides: { mixHash: set } }),
    );
  expect(check({}, mixHash)).not.toThrow();
  for (const refused of [check({}, parentMix), check({ randomReveal: new Uint8Array(96) }, mixHash)])
    expect(refused).toThrow("unexpected randao fields");
});

describe("blob gas", () => {
  const GAS = 131_072n;
  const osaka = { ...BASE_RULES, blobGas: true };
  const parentWith = (used: bigint | undefined, excess: bigint | undefined): Partial<ForkFieldDeps> => ({
    rules: osaka,
    parent: { ...genesis.header, blobGasUsed: used, excessBlobGas: excess },
  });

  test.each<[string, Partial<Header>, Partial<ForkFieldDeps>]>([
    ["none at all", { blobGasUsed: 0n, excessBlobGas: 0n }, parentWith(undefined, undefined)],
    ["as much as is allowed", { blobGasUsed: 2n * GAS, excessBlobGas: 0n }, parentWith(GAS, 0n)],
    ["beyond the target", { blobGasUsed: 0n, excessBlobGas: 4n * GAS }, parentWith(2n * GAS, 3n * GAS)],
  ])("%s is taken", (_what, fields, change) => {
    const header = { ...aHeader(genesis, [author]), ...fields };
    expect(() => checkForkFields(header, author.address, context(change))).not.toThrow();
  });

  test.each<[string, Partial<Header>, Partial<ForkFieldDeps>]>([
    ["unexpected excessBlobGas before osaka", { blobGasUsed: 0n, excessBlobGas: 0n }, { rules: BASE_RULES }],
    ["unexpected blobGasUsed before osaka", { blobGasUsed: 0n }, { rules: BASE_RULES }],
    ["header is missing excessBlobGas", { blobGasUsed: 0n }, parentWith(0n, 0n)],
    ["header is missing blobGasUsed", { excessBlobGas: 0n }, parentWith(0n, 0n)],
    [
      "blob gas used 393216 exceeds maximum allowance 262144",
      { blobGasUsed: 3n * GAS, excessBlobGas: 0n },
      parentWith(0n, 0n),
    ],
    [
      "blob gas used 1 not a multiple of blob gas per blob 131072",
      { blobGasUsed: 1n, excessBlobGas: 0n },
      parentWith(0n, 0n),
    ],
    [
      "invalid excessBlobGas: have 0, want 131072",
      { blobGasUsed: 0n, excessBlobGas: 0n },
      parentWith(2n * GAS, 0n),
    ],
  ])("%s", (message, fields, change) => {
    const header = { ...aHeader(genesis, [author]), ...fields };
    expect(() => checkForkFields(header, author.address, context(change))).toThrow(
      expect.objectContaining({ code: "fork-fields", message }),
    );
  });
});
