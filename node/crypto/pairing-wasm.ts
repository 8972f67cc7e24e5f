/** Pairing checks in a WebAssembly module, compiled by the first check. */
import { openWasm } from "./wasm.ts";

/** Exports of such a module. */
interface PairingModule {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly input: () => number;
  readonly begin: () => void;
  readonly take: (count: number) => number;
  readonly isOne: () => number;
}

/** Pairs held at once; longer checks are computed in parts. */
const PAIRS_AT_ONCE = 16;

/**
 * Returns true when the product of the pairings of whole pairs is one; undefined when a point is not in its
 * group.
 */
export type PairingCheck = (pairs: Uint8Array) => boolean | undefined;

/**
 * Creates the check of a module for pairs of the given size; a test compiles the module's source and
 * compares.
 */
export function pairingCheck(base64: string, pairBytes: number): PairingCheck {
  const most = PAIRS_AT_ONCE * pairBytes;
  let module: PairingModule | undefined;
  return (pairs) => {
    module ??= openWasm(base64) as PairingModule;
    const input = new Uint8Array(module.memory.buffer, module.input(), most);
    module.begin();
    for (let at = 0; at < pairs.length; at += most) {
      const part = pairs.subarray(at, at + most);
      input.set(part);
      if (module.take(part.length / pairBytes) === 0) return undefined;
    }
    return module.isOne() !== 0;
  };
}
