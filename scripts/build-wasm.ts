/**
 * Compiles the WebAssembly parts and writes them as TypeScript: `node scripts/build-wasm.ts`.
 * With `--check` nothing is written; the exit code is 1 when a committed file is not what the source gives.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { blake2fSource } from "../wasm/blake2f-source.ts";
import { blsOrderSource } from "../wasm/bls-order-source.ts";
import { blsPairingSource } from "../wasm/bls-pairing-source.ts";
import { bn254Source } from "../wasm/bn254-source.ts";
import { crc32cSource } from "../wasm/crc32c-source.ts";
import { keccakSource } from "../wasm/keccak-source.ts";
import { montgomerySource } from "../wasm/montgomery-source.ts";
import { powerSource } from "../wasm/power-source.ts";
import { recoverySource } from "../wasm/recovery-source.ts";
import { BY_DEFAULT, compileWasm, IN_ORDER } from "./compile-wasm.ts";

interface Part {
  readonly source: () => string;
  readonly target: string;
  readonly name: string;
  /** Of the optimiser; `BY_DEFAULT` without. */
  readonly flags?: readonly string[];
}

const PARTS: readonly Part[] = [
  { source: keccakSource, target: "node/crypto/keccak-wasm.ts", name: "KECCAK_WASM" },
  { source: blake2fSource, target: "node/crypto/blake2f-wasm.ts", name: "BLAKE2F_WASM" },
  { source: blsOrderSource, target: "node/crypto/bls-order-wasm.ts", name: "BLS_ORDER_WASM" },
  { source: blsPairingSource, target: "node/crypto/bls-pairing-wasm.ts", name: "BLS_PAIRING_WASM" },
  { source: bn254Source, target: "node/crypto/bn254-wasm.ts", name: "BN254_WASM" },
  { source: crc32cSource, target: "node/crypto/crc32c-wasm.ts", name: "CRC32C_WASM" },
  { source: montgomerySource, target: "node/evm/montgomery-wasm.ts", name: "MONTGOMERY_WASM" },
  { source: powerSource, target: "node/evm/power-wasm.ts", name: "POWER_WASM" },
  {
    source: recoverySource,
    target: "node/crypto/recovery-wasm.ts",
    name: "RECOVERY_WASM",
    flags: IN_ORDER,
  },
];

function asTypeScript(name: string, binary: Uint8Array): string {
  const lines =
    Buffer.from(binary)
      .toString("base64")
      .match(/.{1,100}/g) ?? [];
  return [
    "/** A compiled WebAssembly module, base64. Written by `node scripts/build-wasm.ts`: do not edit. */",
    `export const ${name} = [`,
    ...lines.map((line) => `  "${line}",`),
    '].join("");',
    "",
  ].join("\n");
}

for (const part of PARTS) {
  const target = new URL(`../${part.target}`, import.meta.url);
  const text = asTypeScript(part.name, await compileWasm(part.source(), part.flags ?? BY_DEFAULT));
  if (!process.argv.includes("--check")) writeFileSync(target, text);
  else if (readFileSync(target, "utf8") !== text) {
    console.error(`${part.target} is not what its source gives: run node scripts/build-wasm.ts`);
    process.exitCode = 1;
  }
}
