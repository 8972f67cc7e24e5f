/**
 * The place of a node's databases while an import or a copy makes them beside it, which may take hours: a chain that
 * another process creates there meanwhile is never deleted.
 */
import { existsSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncDirectory } from "../runtime/synced-file.ts";
import { StoreError } from "../store/error.ts";

/** True for a directory of databases with a chain. */
export function hasChain(chainData: string): boolean {
  return existsSync(join(chainData, "chain", "CURRENT"));
}

/** Names that a first start makes before `CURRENT`: no file with rows is among them. */
const FIRST_NAMES = /^(chain|blocks|trie(\/\d+)?)(\/(LOCK|LOG(\.old)?|MANIFEST-\d+|\d+\.dbtmp))?$/;

/**
 * Deletes what is left of a first start that was killed. To be called right after `hasChain` was false. Throws `StoreError`
 * `failed` for a directory that has anything else: databases that have lost a file, or files of others.
 */
export async function clearPlace(chainData: string): Promise<void> {
  const names = await readdir(chainData, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const found = names.find((name) => !FIRST_NAMES.test(name));
  if (found !== undefined) {
    const advice = "put a copy of the databases back, or move it away";
    throw new StoreError("failed", `${chainData} has no chain/CURRENT, but it has ${found}: ${advice}`);
  }
  await rm(chainData, { recursive: true, force: true });
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
