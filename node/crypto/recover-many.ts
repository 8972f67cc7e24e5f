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

/** Maximum of signatures in one call. */
export const MAX_AT_ONCE = 64;
const JOB_BYTES = 97;
/** Bytes of a result: 1 and the key x, y; or 0 for a signature that has to be recovered in another way. */
export const KEY_ANSWER_BYTES = 65;

/** Recovers up to 64 packed jobs (97 bytes: digest, r, s, v). The results are valid until the next call. */
export type RecoverMany = (packed: Uint8Array) => Uint8Array;

/**
 * Opens the function with its own tables, in about 5 ms; undefined on machines that round products before
 * they are added, and in engines without relaxed vectors.
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
