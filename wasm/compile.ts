/** Compiles a kernel of AssemblyScript to WebAssembly, in memory. */
import { existsSync, readFileSync } from "node:fs";
import { createMemoryStream, main } from "assemblyscript/asc";
import { unroll } from "./unroll.ts";
import type { ReadSource } from "./unroll-expressions.ts";

/** A kernel, and how it is compiled. */
export interface Kernel {
  /** The path of its source below `assembly/`. */
  readonly entry: string;
  /** The folder below `assembly/` whose `constants.ts` and `curve.ts` shared modules are compiled with. */
  readonly curve?: string;
  /** Flags of the optimiser; `-O3` when absent. */
  readonly flags?: readonly string[];
}

/** A kernel's row: the file that holds it, and the constant's name there. */
interface Row {
  readonly kernel: Kernel;
  readonly target: string;
  readonly name: string;
}

/** All kernels. */
export const KERNELS = {
  keccak: row("keccak.ts", "node/crypto/keccak-wasm.ts", "KECCAK_WASM"),
  blake2f: row("blake2f.ts", "node/crypto/blake2f-wasm.ts", "BLAKE2F_WASM"),
  recovery: {
    ...row("recovery.ts", "node/crypto/recovery-wasm.ts", "RECOVERY_WASM"),
    // -O3 brings what is computed early to its only use: more vectors are alive then than there are registers.
    kernel: { entry: "recovery.ts", flags: ["-O1", "--enable", "relaxed-simd"] },
  },
  bn254Pairing: {
    ...row("bn254-pairing.ts", "node/crypto/bn254-wasm.ts", "BN254_WASM"),
    kernel: { entry: "bn254-pairing.ts", curve: "bn254" },
  },
  blsPairing: {
    ...row("bls12-381-pairing.ts", "node/crypto/bls-pairing-wasm.ts", "BLS_PAIRING_WASM"),
    kernel: { entry: "bls12-381-pairing.ts", curve: "bls12-381" },
  },
  blsGroups: {
    ...row("bls12-381-groups.ts", "node/crypto/bls-order-wasm.ts", "BLS_ORDER_WASM"),
    kernel: { entry: "bls12-381-groups.ts", curve: "bls12-381-groups" },
  },
  bn254Points: {
    ...row("bn254-points.ts", "node/crypto/bn254-points-wasm.ts", "BN254_POINTS_WASM"),
    kernel: { entry: "bn254-points.ts", curve: "bn254-points" },
  },
  blsPoints: {
    ...row("bls12-381-points.ts", "node/crypto/bls-points-wasm.ts", "BLS_POINTS_WASM"),
    kernel: { entry: "bls12-381-points.ts", curve: "bls12-381-points" },
  },
  montgomery: row("montgomery.ts", "node/evm/montgomery-wasm.ts", "MONTGOMERY_WASM"),
  power: row("power.ts", "node/evm/power-wasm.ts", "POWER_WASM"),
} as const satisfies Readonly<Record<string, Row>>;

function row(entry: string, target: string, name: string): Row {
  return { kernel: { entry }, target, name };
}

const FLAGS = [
  "--noAssert",
  "--runtime",
  "stub",
  "--enable",
  "bulk-memory",
  "--enable",
  "simd",
  "--use",
  "abort=",
];
const SHARED = new Set(["constants.ts", "curve.ts"]);
const ASSEMBLY = new URL("./assembly/", import.meta.url);

/**
 * The module of a kernel. `sources` come before the files below `assembly/`; tests pass entries of their own. Throws
 * `Error` with the compiler's words.
 */
export async function compileKernel(
  { entry, curve, flags = ["-O3"] }: Kernel,
  sources: Readonly<Record<string, string>> = {},
): Promise<Uint8Array> {
  const read: ReadSource = (path) => {
    if (curve !== undefined && SHARED.has(path)) return `export * from "./${curve}/${path.slice(0, -3)}";\n`;
    const file = new URL(path, ASSEMBLY);
    return sources[path] ?? (existsSync(file) ? readFileSync(file, "utf8") : undefined);
  };
  let binary: Uint8Array | undefined;
  const stderr = createMemoryStream();
  const { error } = await main([entry, "--outFile", "kernel.wasm", ...flags, ...FLAGS], {
    readFile: (path) => (read(path) === undefined ? null : unroll(path, read)),
    writeFile: (path, contents) => {
      if (path === "kernel.wasm" && typeof contents !== "string") binary = contents;
    },
    listFiles: () => [],
    stderr,
  });
  if (error !== null || binary === undefined)
    throw new Error(`asc failed: ${stderr.toString()}`, { cause: error });
  return binary;
}
