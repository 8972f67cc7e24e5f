/**
 * Checks that points of BLS12-381's curves are in the groups, in our own WebAssembly, which is compiled at
 * the first use.
 */
import { isZero } from "../bytes/compare.ts";
import { BLS_ORDER_WASM } from "./bls-order-wasm.ts";
import { openWasm } from "./wasm.ts";

interface OrderModule {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly input: () => number;
  readonly areInFirst: () => number;
  readonly isInSecond: () => number;
}

const WORD = 64;
const COORDINATE = 48;

let loaded: { readonly coordinates: Uint8Array; readonly module: OrderModule } | undefined;

function load(): NonNullable<typeof loaded> {
  // The exports are those of wasm/assembly/bls12-381-groups.ts; a test rebuilds the module and compares.
  const module = openWasm(BLS_ORDER_WASM) as OrderModule;
  return { coordinates: new Uint8Array(module.memory.buffer, module.input(), 4 * COORDINATE), module };
}

/** Copies four coordinates into the module's memory and returns the module. */
function withCoordinates(bytes: Uint8Array, places: readonly [number, number, number, number]): OrderModule {
  loaded ??= load();
  for (const [i, at] of places.entries()) {
    loaded.coordinates.set(bytes.subarray(at + WORD - COORDINATE, at + WORD), i * COORDINATE);
  }
  return loaded.module;
}

/**
 * True when all points that are written at these places (EIP-2537, 128 bytes) are in the first group, infinity too.
 * They are on its curve. Some 75 µs a point: they are asked for two at once.
 */
export function areInG1(bytes: Uint8Array, places: readonly number[]): boolean {
  const finite = places.filter((at) => !isZero(bytes.subarray(at, at + 2 * WORD)));
  for (let i = 0; i < finite.length; i += 2) {
    const [first = 0, second = first] = finite.slice(i, i + 2);
    const module = withCoordinates(bytes, [first, second, first + WORD, second + WORD]);
    if (module.areInFirst() === 0) return false;
  }
  return true;
}

/** As `areInG1`, for points of 256 bytes and the second group. About 130 µs a point. */
export function areInG2(bytes: Uint8Array, places: readonly number[]): boolean {
  return places.every((at) => {
    if (isZero(bytes.subarray(at, at + 4 * WORD))) return true;
    return withCoordinates(bytes, [at, at + WORD, at + 2 * WORD, at + 3 * WORD]).isInSecond() !== 0;
  });
}
