/**
 * The mcl library's WebAssembly, called directly: its own wrapper is asynchronous, holds one curve at a time and
 * copies every value. An instance of 2 MB belongs to one curve; it is made in some 10 ms, synchronously, when a
 * curve is first asked for. All numbers that functions take and give are places in the instance's memory.
 */
import { createRequire } from "node:module";

/** The functions that are used here. Points are projective: x, y, z; a point is infinity when its z is 0. */
export interface MclExports {
  readonly __wasm_call_ctors: () => void;
  readonly malloc: (size: number) => number;
  readonly mclBn_init: (curve: number, variable: number) => number;
  readonly mclBn_setMapToMode: (mode: number) => number;
  readonly mclBn_setETHserialization: (on: number) => void;
  readonly mclBn_verifyOrderG1: (on: number) => void;
  readonly mclBn_verifyOrderG2: (on: number) => void;
  /** Little-endian; 0 when the value is not below the modulus. */
  readonly mclBnFp_deserialize: (to: number, bytes: number, length: number) => number;
  /** Little-endian. */
  readonly mclBnFp_serialize: (bytes: number, length: number, from: number) => number;
  readonly mclBnFp_setInt32: (to: number, value: number) => void;
  readonly mclBnFp_mapToG1: (to: number, from: number) => number;
  readonly mclBnFp2_mapToG2: (to: number, from: number) => number;
  readonly mclBnFr_setBigEndianMod: (to: number, bytes: number, length: number) => number;
  /** The number of bytes read, 0 for what is no point. */
  readonly mclBnG1_deserialize: (to: number, bytes: number, length: number) => number;
  readonly mclBnG1_isValid: (point: number) => number;
  readonly mclBnG1_isZero: (point: number) => number;
  readonly mclBnG1_clear: (point: number) => void;
  readonly mclBnG1_normalize: (to: number, from: number) => void;
  readonly mclBnG1_add: (to: number, a: number, b: number) => void;
  readonly mclBnG1_sub: (to: number, a: number, b: number) => void;
  readonly mclBnG1_mul: (to: number, point: number, scalar: number) => void;
  /** The points are changed. */
  readonly mclBnG1_mulVec: (to: number, points: number, scalars: number, count: number) => void;
  readonly mclBnG2_deserialize: (to: number, bytes: number, length: number) => number;
  readonly mclBnG2_isValid: (point: number) => number;
  readonly mclBnG2_isZero: (point: number) => number;
  readonly mclBnG2_clear: (point: number) => void;
  readonly mclBnG2_normalize: (to: number, from: number) => void;
  readonly mclBnG2_add: (to: number, a: number, b: number) => void;
  /** The points are changed. */
  readonly mclBnG2_mulVec: (to: number, points: number, scalars: number, count: number) => void;
}

/** One curve's instance. `heap()` is its memory; it is another array after the memory grew. */
export interface Mcl {
  readonly raw: MclExports;
  readonly heap: () => Uint8Array;
}

/** Sizes of values in memory, in bytes; the same for both curves. */
export const MCL_BYTES = { fp: 48, fr: 32, g1: 144, g2: 288 } as const;

/** The library's numbers of the curves. */
export const MCL_CURVES = { bn254: 4, bls12381: 5 } as const;

// The library's numbers: words of its fields as it was compiled (10 * 4 of Fr + 6 of Fp), RFC 9380's maps.
const COMPILED_FOR = 46;
const MAP_OF_RFC_9380 = 5;
const PAGES = 32;

/** The part of the global that is used; its types are only in the browser's library. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
};

let compiled: object | undefined;

/** A fresh instance for a curve. Throws `Error` when the library is not the one that was locked. */
export function openMcl(curve: number): Mcl {
  compiled ??= new WebAssembly.Module(code());
  const memory = new WebAssembly.Memory({ initial: PAGES });
  // The exports are those of the version in the lock file; the tests compare every result with another library.
  const raw = new WebAssembly.Instance(compiled, { env: { memory } }).exports as MclExports;
  raw.__wasm_call_ctors();
  if (raw.mclBn_init(curve, COMPILED_FOR) !== 0) throw new Error(`mcl does not know curve ${curve}`);
  if (curve === MCL_CURVES.bls12381) raw.mclBn_setMapToMode(MAP_OF_RFC_9380);
  // Whoever needs a point of the right order asks for it: additions take any point of the curve.
  raw.mclBn_verifyOrderG1(0);
  raw.mclBn_verifyOrderG2(0);
  let view = new Uint8Array(memory.buffer);
  const heap = (): Uint8Array => {
    if (view.length === 0) view = new Uint8Array(memory.buffer);
    return view;
  };
  return { raw, heap };
}

/** The package has its WebAssembly inside the text of a function. */
function code(): Uint8Array {
  const factory: unknown = createRequire(import.meta.url)("mcl-wasm/dist/mcl_c.js");
  const [, base64] = /wasmBase64 = '([^']+)'/.exec(String(factory)) ?? [];
  if (base64 === undefined) throw new Error("mcl-wasm has another form than the version that was locked");
  return Buffer.from(base64, "base64");
}
