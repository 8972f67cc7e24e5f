/** Small file systems for claims, and files on them that grow. Mounting needs root. */
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const MEBIBYTE = 2 ** 20;
const SIZE = 256 * MEBIBYTE;
const FILLER = "filler";
const GROWTH_MS = 1_000;

const growing = new Map<string, NodeJS.Timeout>();

/** Mounts it. */
export function mountDisk(directory: string): void {
  mkdirSync(directory, { recursive: true });
  const options = ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", directory];
  const { status, stderr } = spawnSync("mount", options, { encoding: "utf8" });
  if (status !== 0) throw new Error(`mount: ${stderr}`);
}

/** Unmounts it, whoever still uses it. */
export function unmountDisk(directory: string): void {
  spawnSync("umount", ["--lazy", directory]);
}

/** Fills a little more than half of it, then by an eighth of a mebibyte a second. */
export function fill(directory: string): void {
  append(directory, 0.55 * SIZE);
  growing.set(
    directory,
    setInterval(() => append(directory, MEBIBYTE / 8), GROWTH_MS),
  );
}

/** Fills it but for less than a tenth. */
export function fillUp(directory: string): void {
  stop(directory);
  rmSync(join(directory, FILLER));
  append(directory, 0.92 * SIZE);
}

/** Deletes the file. */
export function empty(directory: string): void {
  rmSync(join(directory, FILLER));
}

/** Ends its growth. */
export function stop(directory: string): void {
  clearInterval(growing.get(directory));
  growing.delete(directory);
}

function append(directory: string, bytes: number): void {
  appendFileSync(join(directory, FILLER), Buffer.alloc(Math.round(bytes), 1));
}
