/** Writer of key files that checks a file before it replaces another. */

import { randomBytes } from "node:crypto";
import { readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Address } from "../bytes/brands.ts";
import { bareHex } from "../bytes/hex.ts";
import { syncDirectory, writeSynced } from "../runtime/synced-file.ts";

/** A key file to write to `directory` as `name`. */
export interface KeyFileDraft {
  readonly directory: string;
  readonly name: string;
  readonly text: string;
  /** Rejects when the text on disk does not give the key. */
  readonly verify: (text: string) => Promise<void>;
}

/**
 * Writes a hidden temporary file (mode 0600), verifies that it can be decrypted, and renames it, so that a
 * crash or a full disk never costs a key. The file and the directory are synced.
 */
export async function writeKeyFile({ directory, name, text, verify }: KeyFileDraft): Promise<void> {
  const temporary = join(directory, `.${name}.tmp${randomBytes(6).toString("hex")}`);
  try {
    await writeSynced(temporary, text);
    await verify(await readFile(temporary, "utf8"));
    await rename(temporary, join(directory, name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(directory);
}

/**
 * Returns `UTC--2026-01-31T12-34-56.123456789Z--<40 hex address>`; digits below the millisecond only make
 * names unique.
 */
export function keyFileName(nowMs: number, address: Address): string {
  const [day, time = ""] = new Date(nowMs).toISOString().slice(0, -1).split("T");
  const fraction = (process.hrtime.bigint() % 1_000_000n).toString().padStart(6, "0");
  return `UTC--${day}T${time.replaceAll(":", "-")}${fraction}Z--${bareHex(address)}`;
}
