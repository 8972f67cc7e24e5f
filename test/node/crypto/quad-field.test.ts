import { beforeAll, expect, test } from "@jest/globals";
import { bareHex } from "../../../node/bytes/hex.ts";
import { openWasm } from "../../../node/crypto/wasm.ts";
import { compileWasm, IN_ORDER } from "../../../scripts/compile-wasm.ts";
import { FIELD_MODULUS as P, QUAD, quadFieldSource } from "../../../wasm/quad-field-source.ts";
import { quadLaneSource } from "../../../wasm/quad-lane-source.ts";
import { quadPowerSource } from "../../../wasm/quad-power-source.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

/** The functions of the field, as they are compiled for use; an element's address is its number times QUAD. */
interface Field {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly places: () => number;
  readonly multiply: (r: number, a: number, b: number) => void;
  readonly multiplyLess: (r: number, a: number, b: number, less: number) => void;
  readonly multiplyApart: (r: number, a: number, b: number, c: number, d: number) => void;
  readonly square: (r: number, a: number) => void;
  readonly squareLess: (r: number, a: number, less: number) => void;
  readonly invert: (r: number, a: number) => void;
  readonly root: (r: number, a: number) => void;
  readonly writeLane: (to: number, lane: number) => void;
}

const LIMBS = 6;
/** What a product's limbs may be: the lowest, and the others. */
const LOWEST = Math.floor(1.6 * 2 ** 42);
const OTHERS = 2 ** 42 + 2 ** 9;

let field: Field;
beforeAll(async () => {
  const names = ["multiply", "multiplyLess", "multiplyApart", "square", "squareLess"];
  const source = [quadFieldSource(), quadPowerSource(2), quadLaneSource()].join("\n");
  const opened = [...names, "invert", "root", "writeLane"].reduce(
    (text, name) => text.replace(`function ${name}(`, `export function ${name}(`),
    `${source}\nconst PLACES: usize = memory.data(${6 * QUAD}, 16);
     export function places(): usize { return PLACES; }`,
  );
  field = openWasm(Buffer.from(await compileWasm(opened, IN_ORDER)).toString("base64")) as Field;
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

/** What is at place 0 must be these values, in limbs that a product may have. */
function expectProducts(values: readonly bigint[]): void {
  for (const [i, value] of values.entries()) {
    const limbs = limbsOf(0, i);
    expect(modulo(valueOf(limbs))).toBe(modulo(value));
    expect(Math.abs(limbs[0] ?? Number.NaN)).toBeLessThanOrEqual(LOWEST);
    for (const limb of limbs.slice(1)) expect(Math.abs(limb)).toBeLessThanOrEqual(OTHERS);
  }
}

test("products and squares are exact up to the weights that are allowed, and weigh 1 again", () => {
  const random = seededRandom(1);
  for (let round = 0; round < 50; round++) {
    const [a, b, c, d] = [extremes(8, random), extremes(8, random), extremes(8, random), extremes(8, random)];
    if (round % 2 === 1) b.reverse();
    for (const [place, lanes] of [a, b, c, d].entries()) put(place + 1, lanes);
    const [x, y, z] = [a, b, c].map((lanes) => lanes.map(valueOf)) as [bigint[], bigint[], bigint[]];
    field.multiply(at(0), at(1), at(2));
    expectProducts(x.map((value, i) => value * (y[i] ?? 0n)));
    field.multiplyLess(at(0), at(1), at(2), at(3));
    expectProducts(x.map((value, i) => value * (y[i] ?? 0n) - (z[i] ?? 0n)));
    field.square(at(0), at(1));
    expectProducts(x.map((value) => value * value));
    field.squareLess(at(0), at(1), at(3));
    expectProducts(x.map((value, i) => value * value - (z[i] ?? 0n)));
    const [e, f, g, h] = [extremes(4, random), a, extremes(8, random), extremes(4, random)];
    for (const [place, lanes] of [e, f, g, h].entries()) put(place + 1, lanes);
    field.multiplyApart(at(0), at(1), at(2), at(3), at(4));
    const [s, t, u, v] = [e, f, g, h].map((lanes) => lanes.map(valueOf)) as [
      bigint[],
      bigint[],
      bigint[],
      bigint[],
    ];
    expectProducts(s.map((value, i) => value * (t[i] ?? 0n) - (u[i] ?? 0n) * (v[i] ?? 0n)));
  }
});

const split = (value: bigint): number[] =>
  Array.from({ length: LIMBS }, (_, j) => Number(BigInt.asUintN(43, value >> BigInt(43 * j))));
const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${bareHex(bytes)}`);

function written(place: number, i: number): bigint {
  field.writeLane(at(5), lane(place, i));
  return numberOf(new Uint8Array(field.memory.buffer, at(5), 32));
}

test("inverses and roots are those of the field, and a lane is written below the modulus", () => {
  const random = seededRandom(2);
  for (let round = 0; round < 20; round++) {
    const values = [...[1, 2, 3].map(() => numberOf(randomBytes(random, 32))), P - 1n];
    put(
      1,
      values.map((value) => split(value)),
    );
    field.invert(at(0), at(1));
    values.forEach((value, i) => expect(modulo(written(0, i) * value)).toBe(1n));
    field.square(at(2), at(1));
    field.root(at(0), at(2));
    values.forEach((value, i) => expect([modulo(value), modulo(-value)]).toContain(written(0, i)));
  }
  const edges = [0n, P, P - 1n, P + 1n, 2n ** 256n - 1n, 2n ** 257n + 5n];
  for (const value of [...edges, ...edges.map((edge) => -edge)]) {
    const limbs = split(value < 0n ? -value : value);
    put(1, [limbs.map((limb) => (value < 0n ? -limb : limb))]);
    expect(written(1, 0)).toBe(modulo(value));
  }
  for (const limbs of extremes(3, random)) {
    put(1, [limbs]);
    expect(written(1, 0)).toBe(modulo(valueOf(limbs)));
  }
});
