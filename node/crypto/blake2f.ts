/**
 * The compression function F of BLAKE2b for contracts (EIP-152), in WebAssembly, compiled on first use. Its
 * time grows with the rounds, up to 2^32; the caller has charged gas for them.
 */
import { BLAKE2F_WASM } from "./blake2f-wasm.ts";
import { openWasm } from "./wasm.ts";

interface Blake2fModule {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly input: () => number;
  readonly compress: (rounds: number, last: boolean) => void;
}

const ROUNDS_BYTES = 4;
const STATE_BYTES = 64;
/** Bytes of h, m and t. */
const WORDS_BYTES = 208;

/** Bytes of an input: rounds 4 (big-endian), h 64, m 128, t 16 (little-endian words), f 1. */
export const BLAKE2F_INPUT_BYTES = ROUNDS_BYTES + WORDS_BYTES + 1;

let loaded: { readonly words: Uint8Array; readonly compress: Blake2fModule["compress"] } | undefined;

function load(): NonNullable<typeof loaded> {
  // The exports are those of wasm/assembly/blake2f.ts; a test rebuilds the module and compares.
  const { memory, input, compress } = openWasm(BLAKE2F_WASM) as Blake2fModule;
  return { words: new Uint8Array(memory.buffer, input(), WORDS_BYTES), compress };
}

/** Returns the number of rounds in an input of the right length. */
export function blake2fRounds(input: Uint8Array): number {
  return Buffer.from(input.buffer, input.byteOffset, ROUNDS_BYTES).readUInt32BE(0);
}

/** Returns the new state of 64 bytes; undefined unless the input has 213 bytes and the last is 0 or 1. */
export function blake2f(input: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const last = input[BLAKE2F_INPUT_BYTES - 1];
  if (input.length !== BLAKE2F_INPUT_BYTES || (last !== 0 && last !== 1)) return undefined;
  loaded ??= load();
  const { words, compress } = loaded;
  words.set(input.subarray(ROUNDS_BYTES, ROUNDS_BYTES + WORDS_BYTES));
  compress(blake2fRounds(input), last === 1);
  return new Uint8Array(words.subarray(0, STATE_BYTES));
}
