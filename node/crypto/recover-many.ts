/**
 * Public keys of many signatures at once, in our own WebAssembly: half the time of the native curve, which works on
 * one after another. Measured by `bench/crypto.ts`. Whoever loads this module loads the code, so only threads that
 * recover do.
 */
import { RECOVERY_WASM } from "./recovery-wasm.ts";
import { openWasm } from "./wasm.ts";

interface RecoveryModule {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly input: () => number;
  readonly output: () => number;
  readonly isExact: () => number;
  readonly prepare: () => void;
  readonly recover: (count: number) => void;
}

/** Most signatures of one call. */
export const MAX_AT_ONCE = 64;
const JOB_BYTES = 97;
/** Bytes of an answer: 1 and the key, x and y; or 0 for one that is to be recovered another way, if it can be. */
export const KEY_ANSWER_BYTES = 65;

/** Takes up to 64 packed jobs (97 bytes: digest, r, s, v); gives their answers, valid until the next call. */
export type RecoverMany = (packed: Uint8Array) => Uint8Array;

/**
 * The function with tables of its own, made in some 5 ms; undefined where products are rounded before they are added,
 * as on machines that are too old, or where the engine does not know relaxed vectors.
 */
export function openRecoverMany(): RecoverMany | undefined {
  const module = openModule();
  if (module === undefined || module.isExact() === 0) return undefined;
  module.prepare();
  const { buffer } = module.memory;
  const input = new Uint8Array(buffer, module.input(), MAX_AT_ONCE * JOB_BYTES);
  const output = new Uint8Array(buffer, module.output(), MAX_AT_ONCE * KEY_ANSWER_BYTES);
  return (packed) => {
    const count = Math.floor(packed.length / JOB_BYTES);
    input.set(packed);
    module.recover(count);
    return output.subarray(0, count * KEY_ANSWER_BYTES);
  };
}

function openModule(): RecoveryModule | undefined {
  try {
    // The exports are those of wasm/assembly/recovery.ts; a test rebuilds the module and compares.
    return openWasm(RECOVERY_WASM) as RecoveryModule;
  } catch {
    return undefined; // the caller recovers one after another
  }
}
