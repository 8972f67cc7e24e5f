/** Tests of the field of secp256k1 in the recovery kernel: bounds of its limbs, inverses, roots. */
import { beforeAll, expect, test } from "@jest/globals";
import { bareHex } from "../../node/bytes/hex.ts";
import { openWasm } from "../../node/crypto/wasm.ts";
import { compileKernel, KERNELS } from "../../wasm/compile.ts";
import { randomBytes, seededRandom } from "../support/random.ts";

/** SEC 2 section 2.4.1. */
const P = 2n ** 256n - 2n ** 32n - 977n;
/** Bytes of four elements. */
const QUAD = 192;

/** The functions of the field, as they are compiled for use; an element's address is its number times QUAD. */
interface Field {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly places: () => number;
  readonly factor: () => number;
  readonly writeLane: (to: number, lane: number) => void;
  readonly [name: string]: unknown;
}

/** A function with what its operands may weigh, the number 4 for `f`, and what it gives. */
interface Case {
  readonly name: string;
  readonly weights: readonly (number | "f")[];
  readonly value: (...operands: readonly bigint[]) => bigint;
}

const CASES: readonly Case[] = [
  { name: "multiply", weights: [8, 8], value: (a = 0n, b = 0n) => a * b },
  { name: "multiplyBy", weights: [4, 4, "f"], value: (a = 0n, b = 0n) => 4n * a * b },
  { name: "multiplyLess", weights: [16, 4, 8], value: (a = 0n, b = 0n, c = 0n) => a * b - c },
  {
    name: "multiplyGapLess",
    weights: [8, 4, 4, 8],
    value: (a = 0n, b = 0n, c = 0n, d = 0n) => a * (b - c) - d,
  },
  {
    name: "multiplyApart",
    weights: [8, 2, 2, 8, 4],
    value: (a = 0n, b = 0n, c = 0n, d = 0n, e = 0n) => a * (b - c) - d * e,
  },
  { name: "square", weights: [8], value: (a = 0n) => a * a },
  { name: "squareBy", weights: [4, "f"], value: (a = 0n) => 4n * a * a },
  { name: "squareLess", weights: [8, 4, 2], value: (a = 0n, b = 0n, c = 0n) => a * a - b - 2n * c },
];

const LIMBS = 6;
/** Largest limbs of a product: the lowest, and the others. */
const LOWEST = Math.floor(1.6 * 2 ** 42);
const OTHERS = 2 ** 42 + 2 ** 9;

let field: Field;
beforeAll(async () => {
  const names = CASES.map(({ name }) => name).join(", ");
  const entry = `
    export { ${names} } from "./secp256k1/field";
    export { invert, root } from "./secp256k1/powers";
    export { writeLane } from "./secp256k1/lanes";
    const PLACES: usize = memory.data(${7 * QUAD}, 16);
    export function places(): usize { return PLACES; }
    const FACTOR: usize = memory.data<f64>([4.0, 4.0], 16);
    export function factor(): usize { return FACTOR; }`;
  const kernel = { ...KERNELS.recovery.kernel, entry: "field-test.ts" };
  const binary = await compileKernel(kernel, { "field-test.ts": entry });
  field = openWasm(Buffer.from(binary).toString("base64")) as Field;
});

const at = (place: number): number => field.places() + place * QUAD;
const lane = (place: number, i: number): number => at(place) + (i >> 1) * (QUAD / 2) + (i & 1) * 8;
const limbsAt = (address: number): Float64Array => new Float64Array(field.memory.buffer, address, 2 * LIMBS);

function put(place: number, lanes: readonly (readonly number[])[]): void {
  for (const [i, limbs] of lanes.entries()) {
    for (const [j, limb] of limbs.entries()) limbsAt(lane(place, i)).set([limb], 2 * j);
  }
}

const limbsOf = (place: number, i: number): number[] =>
  Array.from({ length: LIMBS }, (_, j) => limbsAt(lane(place, i))[2 * j] ?? Number.NaN);
const valueOf = (limbs: readonly number[]): bigint =>
  limbs.reduce((sum, limb, j) => sum + (BigInt(limb) << BigInt(43 * j)), 0n);
const modulo = (value: bigint): bigint => ((value % P) + P) % P;

/** Limbs as large as those of something of a weight may be, by sign: all, then chosen by chance. */
function extremes(weight: number, random: () => number): number[][] {
  const signs = [() => 1, () => -1, () => (random() < 0.5 ? 1 : -1), () => random() * 2 - 1];
  return signs.map((sign) =>
    Array.from({ length: LIMBS }, (_, j) => Math.trunc(sign() * weight * (j === 0 ? LOWEST : OTHERS))),
  );
}

function run(name: string, ...addresses: readonly number[]): void {
  (field[name] as (...from: readonly number[]) => void)(...addresses); // all are functions of addresses
}

/** Values at place 0, each with a mark for limbs that a product may have. */
function products(): { value: bigint; isLight: boolean }[] {
  return [0, 1, 2, 3].map((i) => {
    const limbs = limbsOf(0, i);
    const isLight = limbs.every((limb, j) => Math.abs(limb) <= (j === 0 ? LOWEST : OTHERS));
    return { value: modulo(valueOf(limbs)), isLight };
  });
}

test.each(CASES)(
  "$name is exact up to the weights that are allowed, and weighs 1",
  ({ name, weights, value }) => {
    const random = seededRandom(1);
    for (let round = 0; round < 40; round++) {
      const operands = weights.filter((weight) => weight !== "f").map((weight) => extremes(weight, random));
      if (round % 2 === 1) operands[0]?.reverse();
      for (const [place, lanes] of operands.entries()) put(place + 1, lanes);
      run(name, at(0), ...weights.map((weight, i) => (weight === "f" ? field.factor() : at(i + 1))));
      const expected = [0, 1, 2, 3].map((i) => value(...operands.map((lanes) => valueOf(lanes[i] ?? []))));
      expect(products()).toEqual(expected.map((each) => ({ value: modulo(each), isLight: true })));
    }
  },
);

const split = (value: bigint): number[] =>
  Array.from({ length: LIMBS }, (_, j) => Number(BigInt.asUintN(43, value >> BigInt(43 * j))));
const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${bareHex(bytes)}`);

function readLane(place: number, i: number): bigint {
  field.writeLane(at(6), lane(place, i));
  return numberOf(new Uint8Array(field.memory.buffer, at(6), 32));
}

test("inverses and roots are those of the field, and a lane is written below the modulus", () => {
  const random = seededRandom(2);
  for (let round = 0; round < 20; round++) {
    const values = [...[1, 2, 3].map(() => numberOf(randomBytes(random, 32))), P - 1n];
    put(
      1,
      values.map((value) => split(value)),
    );
    run("invert", at(0), at(1));
    values.forEach((value, i) => expect(modulo(readLane(0, i) * value)).toBe(1n));
    run("square", at(2), at(1));
    run("root", at(0), at(2));
    values.forEach((value, i) => expect([modulo(value), modulo(-value)]).toContain(readLane(0, i)));
  }
  const edges = [0n, P, P - 1n, P + 1n, 2n ** 256n - 1n, 2n ** 257n + 5n];
  for (const value of [...edges, ...edges.map((edge) => -edge)]) {
    const limbs = split(value < 0n ? -value : value);
    put(1, [limbs.map((limb) => (value < 0n ? -limb : limb))]);
    expect(readLane(1, 0)).toBe(modulo(value));
  }
  for (const limbs of extremes(3, random)) {
    put(1, [limbs]);
    expect(readLane(1, 0)).toBe(modulo(valueOf(limbs)));
  }
});
