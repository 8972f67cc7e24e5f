/**
 * Powers modulo odd numbers of up to 2,048 bits by Montgomery multiplication in WebAssembly, compiled on
 * first use: two to three times as fast as bigints.
 */
import { openWasm } from "../crypto/wasm.ts";
import { MONTGOMERY_WASM } from "./montgomery-wasm.ts";

interface MontgomeryModule {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly modulus: () => number;
  readonly powers: () => number;
  readonly result: () => number;
  readonly begin: (limbs: number, inverse: number) => void;
  readonly step: (digit: number) => void;
  readonly finish: () => void;
}

interface Loaded {
  readonly module: MontgomeryModule;
  readonly words: Uint32Array;
}

/** Upper bound of the modulus in bits. */
export const MONTGOMERY_BITS = 2048;

const LIMB_BITS = 28;
const LIMB_DIGITS = 7;
const LIMB_MASK = 0xfffffff;
const VECTOR = 4;

let loaded: Loaded | undefined;

/** Returns `base ** exponent` modulo an odd number above 1; `base` is below the modulus. */
export function montgomeryPower(base: bigint, exponent: bigint, modulus: bigint): bigint {
  loaded ??= load();
  const { module, words } = loaded;
  const bits = modulus.toString(16).length * 4;
  const limbs = Math.ceil((bits + 2) / LIMB_BITS / VECTOR) * VECTOR;
  const shift = BigInt(limbs * LIMB_BITS);
  write(words, module.modulus() / 4, modulus, limbs);
  write(words, module.powers() / 4, (1n << shift) % modulus, limbs);
  write(words, module.powers() / 4 + limbs, (base << shift) % modulus, limbs);
  module.begin(limbs, negativeInverse(Number(modulus & BigInt(LIMB_MASK))));
  for (const digit of exponent.toString(16)) module.step(Number.parseInt(digit, 16));
  module.finish();
  return read(words, module.result() / 4, limbs) % modulus;
}

function load(): Loaded {
  // The exports are those of wasm/assembly/montgomery.ts; a test rebuilds the module and compares.
  const module = openWasm(MONTGOMERY_WASM) as MontgomeryModule;
  return { module, words: new Uint32Array(module.memory.buffer) };
}

/** Writes a number as limbs of 28 bits, seven hex digits each. */
function write(words: Uint32Array, at: number, value: bigint, limbs: number): void {
  const digits = value.toString(16).padStart(limbs * LIMB_DIGITS, "0");
  for (let i = 0; i < limbs; i++) {
    const end = digits.length - i * LIMB_DIGITS;
    words[at + i] = Number.parseInt(digits.slice(end - LIMB_DIGITS, end), 16);
  }
}

function read(words: Uint32Array, at: number, limbs: number): bigint {
  let digits = "0x";
  for (let i = limbs - 1; i >= 0; i--) digits += (words[at + i] ?? 0).toString(16).padStart(LIMB_DIGITS, "0");
  return BigInt(digits);
}

/** Returns -1 / value modulo 2^28, by Newton's method: each round doubles the number of correct bits. */
function negativeInverse(value: number): number {
  let inverse = value;
  for (let round = 0; round < 5; round++) inverse = Math.imul(inverse, 2 - Math.imul(value, inverse));
  return -inverse & LIMB_MASK;
}
