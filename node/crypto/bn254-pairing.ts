/**
 * The pairing check on BN254 in our own WebAssembly, which is compiled by the first check: mcl's takes four times as
 * long, most of all for points of the second group, whose order it proves by multiplying.
 */
import { BN254_WASM } from "./bn254-wasm.ts";
import { openWasm } from "./wasm.ts";

interface PairingModule {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly input: () => number;
  readonly begin: () => void;
  readonly take: (count: number) => number;
  readonly isOne: () => number;
}

const PAIR = 192;
/** How many pairs are held at once; longer checks are done in parts. */
const PAIRS_AT_ONCE = 16;

let loaded: { readonly pairs: Uint8Array; readonly module: PairingModule } | undefined;

function load(): NonNullable<typeof loaded> {
  // The exports are those of wasm/bn254-source.ts; a test rebuilds the module and compares.
  const module = openWasm(BN254_WASM) as PairingModule;
  return { pairs: new Uint8Array(module.memory.buffer, module.input(), PAIRS_AT_ONCE * PAIR), module };
}

/**
 * Whether the product of the pairings is one; undefined when a point is not in its group. Pairs are 192 bytes, every
 * coordinate below the modulus. Some 0.5 ms, and 0.25 ms a pair.
 */
export function isBn254ProductOne(pairs: readonly Uint8Array[]): boolean | undefined {
  loaded ??= load();
  const { module } = loaded;
  module.begin();
  for (let at = 0; at < pairs.length; at += PAIRS_AT_ONCE) {
    const part = pairs.slice(at, at + PAIRS_AT_ONCE);
    for (const [i, pair] of part.entries()) loaded.pairs.set(pair, i * PAIR);
    if (module.take(part.length) === 0) return undefined;
  }
  return module.isOne() !== 0;
}
