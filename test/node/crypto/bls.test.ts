/** Tests of BLS signatures for Randao. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";
import type * as Blst from "@chainsafe/blst";
import { describe, expect, test } from "@jest/globals";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bareHex, fromBareHex, fromHex } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { createBls, loadBls } from "../../../node/crypto/bls.ts";
import { loadBlst } from "../../../node/crypto/bls-blst.ts";
import { deriveBlsKey, isBlsKey } from "../../../node/crypto/bls-key.ts";
import { nobleBls } from "../../../node/crypto/bls-noble.ts";
import { loadPossessionCheck, provePossession } from "../../../node/crypto/bls-possession.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { compressedG1, outsideG1 } from "../../support/bls-points.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;
const INFINITY = (length: number): Uint8Array => new Uint8Array(length).with(0, 0xc0);
const blst = loadBlst();
const backends = [createBls(nobleBls), ...(blst === undefined ? [] : [createBls(blst)])];
const keyOf = (name: string): Uint8Array => deriveBlsKey(keccak256(Buffer.from(name)));
const numberKey = (number: number): Uint8Array => fixedBytes(number, 32);

// Key, number and signature of a test of the Go node (Randao).
const RANDAO = {
  key: fromBareHex("6c605527c8e4f31c959478801d51384d690a22dfc6438604646f7709032c893a"),
  number: 31_337,
  signature:
    "adfe25ced45819332cbf088f01cdd2807686dd6309b11d7440237dd623624f401d4753747f5fb92374235e997edcd183" +
    "18bae2806a1675b1e685e792abd1fbdf5c50ec1e148cc7fe861984d8bc3204c1b2136725b176902bc52eeb595919df3b",
};

// What a Go node told of itself: its BLS key was derived from its node key.
const TOLD = {
  nodeKey: fromBareHex("b17367c9b03221bdb190f121cd80df4d75fa7786e4b3cb6c31aa27477e89fc33"),
  publicKey:
    "9540eca8175444a1b64905bebaa313f3c1f9f72a955fcf7310f6fd92337382329811a132009d165b6c646f9aa5530d19",
  proof:
    "b614d3af9938a033dcc5037cc839fc1e9d6b08d013723306e2fb1d0816a7b62ed976236156366df9d181b9c28f4d4430" +
    "189e3d4f09bb9c549923064b7e5aad532e2dc0c6312cf0ebfb0996f410411a6780832a8cb5afe763dbc6d2d3b7da3770",
};

test("blst loads here and is the one in use", async () => {
  expect(backends.map(({ backend }) => backend)).toEqual(["noble", "blst"]);
  expect((await loadBls()).backend).toBe("blst");
  expect(await loadBls()).toBe(await loadBls());
});

describe.each(backends)("BLS by $backend", (bls) => {
  test("signs a block number as the Go node does", () => {
    const message = numberKey(RANDAO.number);
    expect(bareHex(bls.sign(RANDAO.key, message))).toBe(RANDAO.signature);
    const publicKey = bls.publicKeyOf(RANDAO.key);
    const signature = fromBareHex(RANDAO.signature);
    expect(bls.verify({ publicKey, message, signature })).toBe(true);
    expect(bls.verify({ publicKey, message: numberKey(31_338), signature })).toBe(false);
  });

  test("the public key of a derived key is the one that the Go node told", () => {
    expect(bareHex(bls.publicKeyOf(deriveBlsKey(TOLD.nodeKey)))).toBe(TOLD.publicKey);
  });

  test("verifies the reveal of every recorded block by the key registered in the genesis", () => {
    const { publicKey } = registration();
    const step = bls.backend === "blst" ? 1 : 7; // the other is slow
    for (const { number, randomReveal } of recordedBlocks().filter(
      (_, at) => at % step === 1 % step && at > 0,
    )) {
      const claim = { publicKey, message: numberKey(Number(number)), signature: fromHex(randomReveal) };
      expect(bls.verify(claim)).toBe(true);
      expect(bls.verify({ ...claim, message: numberKey(Number(number) + 1) })).toBe(false);
    }
  });

  test("a changed signature or key, and bytes that are no point, verify as false", () => {
    const message = numberKey(7);
    const publicKey = bls.publicKeyOf(keyOf("a"));
    const signature = bls.sign(keyOf("a"), message);
    const good = { publicKey, message, signature };
    expect(bls.verify(good)).toBe(true);
    expect(bls.verify({ ...good, publicKey: bls.publicKeyOf(keyOf("b")) })).toBe(false);
    for (const at of [0, 1, 40, 47]) {
      expect(bls.verify({ ...good, publicKey: publicKey.with(at, (publicKey[at] as number) ^ 1) })).toBe(
        false,
      );
    }
    for (const at of [0, 1, 48, 95]) {
      expect(bls.verify({ ...good, signature: signature.with(at, (signature[at] as number) ^ 1) })).toBe(
        false,
      );
    }
    for (const length of [0, 47, 49, 95, 97, 192]) {
      const bytes = new Uint8Array(length).fill(0x81);
      expect(bls.verify({ ...good, publicKey: bytes })).toBe(false);
      expect(bls.verify({ ...good, signature: bytes })).toBe(false);
    }
  });

  test("infinity is nobody's key and nobody's signature", () => {
    const message = numberKey(7);
    const publicKey = bls.publicKeyOf(keyOf("a"));
    expect(bls.verify({ publicKey: INFINITY(48), message, signature: INFINITY(96) })).toBe(false);
    expect(bls.verify({ publicKey, message, signature: INFINITY(96) })).toBe(false);
  });

  test("a key with a part outside the group is refused, though its pairings are those of the good key", () => {
    const message = numberKey(7);
    const [publicKey, signature] = [bls.publicKeyOf(keyOf("a")), bls.sign(keyOf("a"), message)];
    const { Point } = bls12_381.G1;
    const shifted = Point.fromBytes(publicKey).add(outsideG1());
    expect(shifted.isTorsionFree()).toBe(false);
    expect(bareHex(compressedG1(Point.fromBytes(publicKey)))).toBe(bareHex(publicKey));
    expect(bls.verify({ publicKey, message, signature })).toBe(true);
    expect(bls.verify({ publicKey: compressedG1(shifted), message, signature })).toBe(false);
  });

  test("refuses keys outside 1..r-1 without showing them", () => {
    for (const key of [new Uint8Array(32), fixedBytes(ORDER, 32), new Uint8Array(31).fill(1)]) {
      expect(() => bls.publicKeyOf(key)).toThrow(expect.objectContaining({ code: "bad-private-key" }));
      expect(() => bls.sign(key, numberKey(1))).toThrow(expect.objectContaining({ code: "bad-private-key" }));
    }
    expect(bls.publicKeyOf(fixedBytes(ORDER - 1n, 32)).length).toBe(48);
  });
});

test("both implementations sign and derive alike, and as blst's own derivation does", () => {
  const random = seededRandom(381);
  const { SecretKey } = createRequire(import.meta.url)("@chainsafe/blst") as typeof Blst;
  for (let round = 0; round < 6; round++) {
    const seed = randomBytes(random, 32 + round);
    const message = randomBytes(random, round * 31);
    const key = deriveBlsKey(seed);
    expect(bareHex(key)).toBe(bareHex(SecretKey.deriveMasterEip2333(seed).toBytes()));
    expect(new Set(backends.map((bls) => bareHex(bls.sign(key, message)))).size).toBe(1);
    expect(new Set(backends.map((bls) => bareHex(bls.publicKeyOf(key)))).size).toBe(1);
  }
});

// EIP-2333, test case 0.
test("of many claims each is told apart from the others", () => {
  if (blst === undefined) throw new Error("blst does not load here");
  const claim = (name: string) => {
    const message = keccak256(Buffer.from(name));
    return { publicKey: blst.publicKeyOf(keyOf(name)), message, signature: blst.sign(keyOf(name), message) };
  };
  const [a, b, c] = [claim("a"), claim("b"), claim("c")];
  const swapped = { ...b, signature: c.signature };
  const nowhere = { ...b, publicKey: INFINITY(48) };
  expect(blst.verifyEach([])).toEqual([]);
  expect(blst.verifyEach([a])).toEqual([true]);
  expect(blst.verifyEach([a, b, c])).toEqual([true, true, true]);
  expect(blst.verifyEach([a, swapped, c])).toEqual([true, false, true]);
  expect(blst.verifyEach([a, swapped, { ...c, signature: b.signature }])).toEqual([true, false, false]);
  expect(blst.verifyEach([nowhere, a])).toEqual([false, true]);
});

test("derives the published master key", () => {
  const seed = fromBareHex(
    "c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81b2f001698e7463b04",
  );
  expect(bareHex(deriveBlsKey(seed))).toBe(
    bareHex(fixedBytes(6083874454709270928345386274498605044986640685124978867557563392430687146096n, 32)),
  );
  expect(() => deriveBlsKey(new Uint8Array(31))).toThrow(
    expect.objectContaining({ code: "bad-private-key" }),
  );
});

test("keys lie in 1..r-1", () => {
  expect([1n, ORDER - 1n, 0n, ORDER].map((key) => isBlsKey(fixedBytes(key, 32)))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(isBlsKey(new Uint8Array(33).fill(1))).toBe(false);
});

test("a proof of possession is the one that the Go node told, and holds for its own key alone", async () => {
  const isPossessed = await loadPossessionCheck();
  const { publicKey, proof } = await provePossession(deriveBlsKey(TOLD.nodeKey));
  expect(bareHex(publicKey)).toBe(TOLD.publicKey);
  expect(bareHex(proof)).toBe(TOLD.proof);
  expect(isPossessed({ publicKey, proof })).toBe(true);
  const other = await provePossession(keyOf("b"));
  expect(isPossessed({ publicKey, proof: other.proof })).toBe(false);
  expect(isPossessed({ publicKey: other.publicKey, proof })).toBe(false);
  const bls = await loadBls();
  const signature = bls.sign(deriveBlsKey(TOLD.nodeKey), publicKey);
  expect(isPossessed({ publicKey, proof: signature })).toBe(false);
  for (const length of [0, 95, 97]) {
    expect(isPossessed({ publicKey, proof: new Uint8Array(length) })).toBe(false);
  }
  await expect(provePossession(new Uint8Array(32))).rejects.toMatchObject({ code: "bad-private-key" });
});

test("the key registered in a recorded genesis has a proof, and is derived from the node's key", async () => {
  const isPossessed = await loadPossessionCheck();
  const { publicKey, proof } = registration();
  expect(isPossessed({ publicKey, proof })).toBe(true);
  const bls = await loadBls();
  expect(bareHex(bls.publicKeyOf(keyOf("knit-s-osaka/cn0")))).toBe(bareHex(publicKey));
});

const CHAIN = "test/vectors/chains/osaka-randao";

function recordedBlocks(): readonly { number: string; randomReveal: string }[] {
  return JSON.parse(gunzipSync(readFileSync(`${CHAIN}/blocks.json.gz`)).toString());
}

/** Storage of the registry of BLS keys (KIP-113): two byte strings in consecutive slots. */
function registration(): { publicKey: Uint8Array; proof: Uint8Array } {
  const genesis = JSON.parse(readFileSync(`${CHAIN}/genesis.json`, "utf8"));
  const { storage } = genesis.alloc["0000000000000000000000000000000000000402"];
  const words = (first: bigint, length: number): Uint8Array => {
    const slots = Array.from(
      { length: Math.ceil(length / 32) },
      (_, at) => storage[`0x${(first + BigInt(at)).toString(16)}`],
    );
    return fromBareHex(slots.map((word: string) => word.slice(2)).join("")).subarray(0, length);
  };
  return {
    publicKey: words(0x32f10d1d7a33b5b8512a3fad8f6be64ff9c8de066743a1fb1a591bfccb8c2682n, 48),
    proof: words(0x8adb05b07b121b0796347cc7e56106664f826aac7fd595162307a93ceaf31132n, 96),
  };
}
