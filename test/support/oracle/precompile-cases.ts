/**
 * Cases about one precompiled contract each: every address that has one at some fork, and its neighbours, called in the
 * four ways on well-formed, cut, extended and damaged input, with the gas that it needs, one less, or plenty.
 */
import { createHash } from "node:crypto";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { toHex } from "../../../node/bytes/hex.ts";
import { bytesToBigint, fixedBytes } from "../../../node/bytes/integer.ts";
import { addressOfPublicKey, recoverAnyId, sign } from "../../../node/crypto/secp256k1.ts";
import { precompileAt } from "../../../node/evm/precompiles.ts";
import { addressOf, aKey } from "../execution.ts";
import { curveInputs } from "../precompile-inputs.ts";
import { rulesUpTo } from "../suite-runners.ts";
import type { TransactionFork } from "../transaction-differences.ts";
import { addressOfNumber, CONTRACTS, type Draw, push } from "./draw.ts";
import { contract, type Scene, surroundings } from "./opcode-cases.ts";

/** Numbers of the addresses. */
export const PRECOMPILE_NUMBERS: readonly number[] = [
  ...Array.from({ length: 0x13 }, (_, index) => index),
  0x100,
  0x101,
  0x3fc,
  0x3fd,
  0x3fe,
  0x3ff,
  0x400,
];

const CALLS: readonly number[] = [0xf1, 0xf2, 0xf4, 0xfa];
const PLENTY = 1n << 40n;

/** Returns a scene about the contract at an address. */
export function precompileScene(draw: Draw, fork: TransactionFork, number: number): Scene {
  const pre = surroundings(draw, fork);
  const isOld = draw.chance(0.2);
  const rules = rulesUpTo(fork);
  const work = precompileAt(addressOfNumber(number), rules, isOld ? 0 : 1);
  const input = damage(draw, inputOf(draw, work?.name ?? "none"));
  const price = work === undefined ? 0n : BigInt(work.gas(input, rules));
  const [first] = CONTRACTS as [Uint8Array];
  const row = contract(draw, fork, caller(draw, number, price));
  pre[toHex(first)] = isOld ? { ...row, vmVersion: 0 } : row;
  return { pre, input };
}

/** Copies the calldata, calls the contract with it, stores the result and returns the output. */
function caller(draw: Draw, number: number, price: bigint): Uint8Array {
  const kind = draw.pick(CALLS);
  const fits = price < PLENTY ? price : PLENTY;
  const gas = draw.pick([PLENTY, PLENTY, fits, fits, fits > 0n ? fits - 1n : 0n, fits + 1n, 10_000n, 0n]);
  const value = kind === 0xf1 || kind === 0xf2 ? [draw.chance(0.9) ? 0n : 1n] : [];
  const size = Uint8Array.of(0x36);
  const out = BigInt(draw.pick([0, 32, 64]));
  // gas, address, value, place and length of the input, place and length of the output
  return concatBytes(
    Uint8Array.of(0x36, 0x60, 0, 0x60, 0, 0x37),
    push(out),
    push(0n),
    size,
    ...[0n, ...value, addressOfNumber(number), gas].map(push),
    Uint8Array.of(kind, 0x60, 7, 0x55, 0x5a, 0x60, 6, 0x55),
    Uint8Array.of(0x3d, 0x60, 0, 0x60, 0, 0x3e, 0x3d, 0x60, 0, 0xf3),
  );
}

function inputOf(draw: Draw, name: string): Uint8Array {
  const made = INPUTS[name]?.(draw) ?? draw.pick(curveInputs(name, draw.random) ?? [undefined]);
  return made ?? draw.bytes(draw.pick([0, 1, 20, 31, 32, 33, 52, 117, 182, 213, 300]));
}

const LENGTHS: readonly bigint[] = [
  0n,
  1n,
  2n,
  8n,
  31n,
  32n,
  33n,
  64n,
  96n,
  128n,
  256n,
  1023n,
  1024n,
  1025n,
  2048n,
  4096n,
];
const FAR: readonly bigint[] = [32n, 53n, 58n, 59n, 60n, 61n, 63n, 64n, 255n].flatMap((bits) => [
  (1n << bits) - 1n,
  1n << bits,
  (1n << bits) + 32n,
]);

const INPUTS: Readonly<Record<string, (draw: Draw) => Uint8Array>> = {
  ecrecover: (draw) => {
    const digest = draw.bytes(32);
    const signature = sign(digest, aKey(1 + draw.below(3)));
    const v = draw.chance(0.8) ? 27n + BigInt(signature[64] ?? 0) : draw.word();
    const [r, s] = [signature.subarray(0, 32), signature.subarray(32, 64)];
    return concatBytes(
      digest,
      fixedBytes(v, 32),
      draw.chance(0.9) ? r : fixedBytes(draw.word(), 32),
      draw.chance(0.9) ? s : fixedBytes(draw.word(), 32),
    );
  },
  modexp: (draw) => {
    const far = draw.chance(0.5);
    const sizes = [0, 1, 2].map(() => draw.pick(far && draw.chance(0.5) ? FAR : LENGTHS));
    const parts = sizes.map((size) => operand(draw, size > 600n ? 40 : Number(size)));
    return concatBytes(...sizes.map((size) => fixedBytes(size, 32)), ...parts);
  },
  blake2f: (draw) =>
    concatBytes(
      fixedBytes(draw.pick([0n, 1n, 12n, 255n, 4000n, (1n << 32n) - 1n]), 4),
      draw.bytes(208),
      Uint8Array.of(draw.pick([0, 1, 1, 2, 255])),
    ),
  pointEvaluation: (draw) => {
    const { G1 } = bls12_381;
    const order = bls12_381.fields.Fr.ORDER;
    const value = draw.pick([0n, 1n, bytesToBigint(draw.bytes(30)), order - 1n, order]);
    const point = value % order === 0n ? G1.Point.ZERO : G1.Point.BASE.multiply(value % order);
    const commitment = point.toBytes();
    const hash = createHash("sha256")
      .update(commitment)
      .digest()
      .fill(draw.chance(0.95) ? 1 : 0, 0, 1);
    const at = draw.pick([0n, 1n, bytesToBigint(draw.bytes(30)), order]);
    return concatBytes(hash, fixedBytes(at, 32), fixedBytes(value, 32), commitment, G1.Point.ZERO.toBytes());
  },
  validateSender: (draw) => {
    const hash = draw.bytes(32);
    if (draw.chance(0.2)) return claimOfAnyId(draw, hash);
    const keys = Array.from({ length: draw.below(4) }, () => 1 + draw.below(3));
    return concatBytes(
      addressOf(draw.chance(0.8) ? (keys[0] ?? 1) : 1 + draw.below(12)),
      hash,
      ...keys.map((key) => sign(hash, aKey(key))),
    );
  },
};

/** A signature with any recovery id, mostly with an r small enough for the ids 2 and 3, and its signer. */
function claimOfAnyId(draw: Draw, hash: Uint8Array): Uint8Array {
  const r = draw.chance(0.8) ? BigInt(1 + draw.below(20)) : draw.word();
  const s = draw.chance(0.8) ? 1n + bytesToBigint(draw.bytes(16)) : draw.word();
  const signature = concatBytes(fixedBytes(r, 32), fixedBytes(s, 32), Uint8Array.of(draw.below(5)));
  const publicKey = recoverAnyId(hash, signature);
  return concatBytes(publicKey === undefined ? addressOf(1) : addressOfPublicKey(publicKey), hash, signature);
}

function operand(draw: Draw, length: number): Uint8Array {
  const bytes = draw.bytes(length);
  const kind = draw.random();
  if (kind < 0.2) return bytes.fill(0);
  if (kind < 0.3) return bytes.fill(0xff);
  if (kind < 0.4 && length > 0) return bytes.fill(0).with(length - 1, draw.below(3));
  return kind < 0.5 ? bytes.fill(0, length >> 1) : bytes;
}

/** The input, or what is left of it after a cut, an extension or a flipped bit. */
function damage(draw: Draw, input: Uint8Array): Uint8Array {
  const kind = draw.random();
  if (kind < 0.65) return input;
  if (kind < 0.75) return input.subarray(0, draw.below(input.length + 1));
  if (kind < 0.85) return concatBytes(input, draw.bytes(draw.pick([1, 32, 128, 160])));
  if (kind < 0.9) return concatBytes(input, input);
  const at = draw.below(input.length);
  return input.length === 0 ? input : input.with(at, (input[at] ?? 0) ^ (1 << draw.below(8)));
}
