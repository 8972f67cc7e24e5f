/** Compiles AssemblyScript to WebAssembly, in memory. */
import { createMemoryStream, main } from "assemblyscript/asc";

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

/** What most modules are optimised with. */
export const BY_DEFAULT: readonly string[] = ["-O3"];

/** Where -O3 brings what is computed early to its only use, more vectors are alive than there are registers. */
export const IN_ORDER: readonly string[] = ["-O1", "--enable", "relaxed-simd"];

/** The module that a source gives. Throws what the compiler says. */
export async function compileWasm(source: string, flags: readonly string[]): Promise<Uint8Array> {
  let binary: Uint8Array | undefined;
  const stderr = createMemoryStream();
  const { error } = await main(["main.ts", "--outFile", "main.wasm", ...flags, ...FLAGS], {
    readFile: (name) => (name === "main.ts" ? source : null),
    writeFile: (name, contents) => {
      if (name === "main.wasm" && typeof contents !== "string") binary = contents;
    },
    listFiles: () => [],
    stderr,
  });
  if (error !== null || binary === undefined)
    throw new Error(`asc failed: ${stderr.toString()}`, { cause: error });
  return binary;
}
