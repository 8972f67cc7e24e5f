/**
 * The place of a node's databases while an import or a copy makes them beside it, which may take hours: a chain that
 * another process creates there meanwhile is never deleted.
 */
import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncDirectory } from "../runtime/synced-file.ts";

/** True for a directory of databases with a chain. */
export function hasChain(chainData: string): boolean {
  return existsSync(join(chainData, "chain", "CURRENT"));
}

/** Deletes what is left of a first start that was killed. To be called right after `hasChain` was false. */
export function clearPlace(chainData: string): Promise<void> {
  return rm(chainData, { recursive: true, force: true });
}

/** Puts finished databases in their place, on disk when it resolves; false, with nothing changed, when it is not empty. */
export async function putInPlace(databases: string, chainData: string): Promise<boolean> {
  try {
    await rename(databases, chainData); // replaces an empty directory and no other one
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTEMPTY" || code === "EEXIST") return false;
    throw error;
  }
  await syncDirectory(dirname(chainData));
  return true;
}
