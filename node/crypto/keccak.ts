/**
 * Keccak-256 as Ethereum and Klaytn use it (padding 0x01, not SHA-3) in our own WebAssembly.
 * `keccak256` is for everybody; code that hashes on every step writes its bytes into `keccakInput`, calls
 * `hashInput` and reads `keccakOutput`, which copies and allocates nothing. Measured by `bench/crypto.ts`.
 */
import type { Hash } from "../bytes/brands.ts";
import { KECCAK_WASM } from "./keccak-wasm.ts";
import { openWasm } from "./wasm.ts";

interface KeccakModule {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly input: () => number;
  readonly output: () => number;
  readonly state: () => number;
  readonly hash: (length: number) => void;
  readonly start: () => void;
  readonly absorb: (length: number) => void;
  readonly finish: (length: number) => void;
}

const RATE = 136;
const INPUT_BYTES = 65_536;
/** The largest number of whole blocks that fits the input buffer. */
const CHUNK = INPUT_BYTES - (INPUT_BYTES % RATE);

// The exports are those of wasm/assembly/keccak.ts; a test rebuilds the module and compares.
const keccak = openWasm(KECCAK_WASM) as KeccakModule;

/** Memory that `hashInput` reads: 65,536 bytes. Valid only until anything else hashes. */
export const keccakInput: Uint8Array = new Uint8Array(keccak.memory.buffer, keccak.input(), INPUT_BYTES);

/** Memory that holds the newest hash: 32 bytes, overwritten by the next one. */
export const keccakOutput: Uint8Array = new Uint8Array(keccak.memory.buffer, keccak.output(), 32);

/** Hashes the first `length` bytes of `keccakInput` into `keccakOutput`; at most 65,536. */
export const hashInput: (length: number) => void = keccak.hash;

/** The sponge itself, for hashes that are taken up again (`running-keccak.ts`): 200 bytes. */
export const keccakState: Uint8Array = new Uint8Array(keccak.memory.buffer, keccak.state(), 200);

/** Begins a hash in `keccakState`. */
export const startHash: () => void = keccak.start;

/** Absorbs the first `length` bytes of `keccakInput`: whole blocks of 136, at most 65,416 bytes. */
export const absorbInput: (length: number) => void = keccak.absorb;

/** Absorbs and pads the last bytes, then writes `keccakOutput`. */
export const finishHash: (length: number) => void = keccak.finish;

/** The hash of data of any length: 32 new bytes. */
export function keccak256(data: Uint8Array): Hash<ArrayBuffer> {
  if (data.length <= INPUT_BYTES) {
    keccakInput.set(data);
    keccak.hash(data.length);
  } else {
    hashLong(data);
  }
  const hash = new Uint8Array(32);
  hash.set(keccakOutput);
  return hash;
}

function hashLong(data: Uint8Array): void {
  keccak.start();
  let at = 0;
  for (; data.length - at > CHUNK; at += CHUNK) {
    keccakInput.set(data.subarray(at, at + CHUNK));
    keccak.absorb(CHUNK);
  }
  keccakInput.set(data.subarray(at));
  keccak.finish(data.length - at);
}

/** The hash of no bytes: the code hash of an account without code. Never write into it. */
export const EMPTY_HASH: Hash<ArrayBuffer> = keccak256(new Uint8Array(0));
