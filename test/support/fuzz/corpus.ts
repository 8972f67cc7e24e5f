/** Inputs that fuzzing has kept: a file of hex lines for each target, which grows with each run that is told so. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bareHex, fromBareHex } from "../../../node/bytes/hex.ts";

const DIRECTORY = new URL("../../vectors/fuzz/", import.meta.url);
/** Maximum inputs and bytes of an input that are kept. */
const MAX_INPUTS = 300;
const MAX_BYTES = 1024;

function fileOf(target: string): string {
  return fileURLToPath(new URL(`${target}.txt`, DIRECTORY));
}

/** Returns the kept inputs of a target. */
export function readCorpus(target: string): readonly Uint8Array[] {
  const file = fileOf(target);
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8").trimEnd().split("\n").map(fromBareHex);
}

/** Adds inputs to those of a target, small ones alone. Returns the number of added ones. */
export function growCorpus(target: string, inputs: readonly Uint8Array[]): number {
  const known = new Set(readCorpus(target).map(bareHex));
  const before = known.size;
  for (const input of inputs) {
    if (input.length <= MAX_BYTES && known.size < MAX_INPUTS) known.add(bareHex(input));
  }
  if (known.size === before) return 0;
  mkdirSync(fileURLToPath(DIRECTORY), { recursive: true });
  writeFileSync(fileOf(target), `${[...known].join("\n")}\n`);
  return known.size - before;
}
