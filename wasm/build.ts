/**
 * Compiles the kernels and writes them as TypeScript: `npm run wasm`. Constants are written first.
 * With `--check` nothing is written; the exit code is 1 when a committed file is not what the sources give.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { compileKernel, KERNELS } from "./compile.ts";
import { constantFiles } from "./constants.ts";

const isCheck = process.argv.includes("--check");

for (const [path, text] of Object.entries(constantFiles()))
  put(`wasm/assembly/${path}`, formatSource(path, text));
for (const { target, name, kernel } of Object.values(KERNELS)) {
  put(target, typescript(kernel.entry, name, await compileKernel(kernel)));
}

function put(path: string, text: string): void {
  const target = new URL(`../${path}`, import.meta.url);
  if (existsSync(target) && readFileSync(target, "utf8") === text) return;
  if (isCheck) {
    console.error(`${path} is not what its sources give: run npm run wasm`);
    process.exitCode = 1;
  } else writeFileSync(target, text);
}

/** As the formatter leaves it. */
function formatSource(path: string, text: string): string {
  const biome = new URL("../node_modules/.bin/biome", import.meta.url).pathname;
  return execFileSync(biome, ["format", `--stdin-file-path=wasm/assembly/${path}`], {
    input: text,
    encoding: "utf8",
  });
}

function typescript(entry: string, name: string, binary: Uint8Array): string {
  const lines =
    Buffer.from(binary)
      .toString("base64")
      .match(/.{1,100}/g) ?? [];
  return [
    `/** The kernel wasm/assembly/${entry}, base64. Written by \`npm run wasm\`: do not edit. */`,
    `export const ${name} = [`,
    ...lines.map((line) => `  "${line}",`),
    '].join("");',
    "",
  ].join("\n");
}
