/** CRC-32C (Castagnoli; RFC 3720, appendix B.4) in our own WebAssembly: a start checks up to 64 MiB with it. */
import { CRC32C_WASM } from "./crc32c-wasm.ts";
import { openWasm } from "./wasm.ts";

interface Crc32cModule {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly input: () => number;
  readonly update: (crc: number, length: number) => number;
}

/** What the module takes at a time. */
const INPUT_BYTES = 65_536;

// The exports are those of wasm/crc32c-source.ts; a test rebuilds the module and compares.
const { memory, input: inputAt, update } = openWasm(CRC32C_WASM) as Crc32cModule;
const input = new Uint8Array(memory.buffer, inputAt(), INPUT_BYTES);

/** The sum of `bytes`. */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let at = 0; at < bytes.length; at += INPUT_BYTES) {
    const part = bytes.subarray(at, at + INPUT_BYTES);
    input.set(part);
    crc = update(crc, part.length);
  }
  return ~crc >>> 0;
}
