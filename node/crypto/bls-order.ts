/**
 * Whether points of BLS12-381's first curve are in the group, in our own WebAssembly, which is compiled by the first
 * question: two points at once, in two thirds of the time that mcl takes for one.
 */
import { isZero } from "../bytes/compare.ts";
import { BLS_ORDER_WASM } from "./bls-order-wasm.ts";

interface OrderModule {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly input: () => number;
  readonly areInGroup: () => number;
}

/** What is used of the global of that name, whose types are only in the browser's library. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

const WORD = 64;
const COORDINATE = 48;
const POINT = 2 * COORDINATE;

let loaded: { readonly points: Uint8Array; readonly areInGroup: OrderModule["areInGroup"] } | undefined;

function load(): NonNullable<typeof loaded> {
  const code = new WebAssembly.Module(Buffer.from(BLS_ORDER_WASM, "base64"));
  // The exports are those of wasm/bls-order-source.ts; a test rebuilds the module and compares.
  const { memory, input, areInGroup } = new WebAssembly.Instance(code).exports as OrderModule;
  return { points: new Uint8Array(memory.buffer, input(), 2 * POINT), areInGroup };
}

/**
 * True when all points that are written at these places (EIP-2537, 128 bytes) are in the group, infinity too. They
 * are on the curve. Some 75 µs a point.
 */
export function areInG1(bytes: Uint8Array, places: readonly number[]): boolean {
  const finite = places.filter((at) => !isZero(bytes.subarray(at, at + 2 * WORD)));
  loaded ??= load();
  const { points, areInGroup } = loaded;
  const put = (place: number, at: number): void => {
    points.set(bytes.subarray(at + WORD - COORDINATE, at + WORD), place);
    points.set(bytes.subarray(at + 2 * WORD - COORDINATE, at + 2 * WORD), place + COORDINATE);
  };
  for (let i = 0; i < finite.length; i += 2) {
    const [first = 0, second = first] = finite.slice(i, i + 2);
    put(0, first);
    put(POINT, second);
    if (areInGroup() === 0) return false;
  }
  return true;
}
