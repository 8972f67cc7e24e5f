/** The archive of a running node's backups: a JSON file, read at each backup, and the variables of its store. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../bytes/message-of.ts";
import { readBoundedText } from "../runtime/bounded-file.ts";
import { CheckpointError } from "./error.ts";

/** An archive and what is done in it. */
export interface BackupTarget {
  /** Directory, or `s3://BUCKET/PREFIX`. */
  readonly url: string;
  /** Number of newest checkpoints that stay; the others are deleted. */
  readonly keep: number;
  /** True when each backup is read back. */
  readonly verify: boolean;
  /** Directory with one file for each variable of the store, named for it; undefined for those of the process. */
  readonly credentials: string | undefined;
}

const MAX_BYTES = 16 * 1024;
const MAX_KEPT = 1_000;

/** Reads the file. Throws `CheckpointError` `no-target`. */
export async function readBackupTarget(path: string | undefined): Promise<BackupTarget> {
  if (path === undefined) throw noTarget("no archive is configured: set --backup.file");
  let value: unknown;
  try {
    value = JSON.parse(await readBoundedText(path, MAX_BYTES));
  } catch (cause) {
    throw noTarget(`cannot read ${path}: ${messageOf(cause)}`, cause);
  }
  const fault = faultOf(value);
  if (fault !== undefined) throw noTarget(`${path}: ${fault}`);
  const {
    url,
    keep,
    verify = false,
    credentials,
  } = value as Partial<BackupTarget> & Pick<BackupTarget, "url" | "keep">; // every member was checked
  return { url, keep, verify, credentials };
}

function faultOf(value: unknown): string | undefined {
  const { url, keep, verify = false, credentials = "" } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof url !== "string" || url === "") return "url is not a text";
  const isCount = typeof keep === "number" && Number.isInteger(keep) && keep >= 1 && keep <= MAX_KEPT;
  if (!isCount) return `keep is not a number from 1 to ${MAX_KEPT}`;
  if (typeof verify !== "boolean") return "verify is neither true nor false";
  return typeof credentials === "string" ? undefined : "credentials is not a text";
}

/** Reads the variables of a store. Throws `CheckpointError` `no-target`; no message has a value. */
export async function readVariables(directory: string): Promise<Readonly<Record<string, string>>> {
  try {
    const names = (await readdir(directory)).filter((name) => /^AWS_[A-Z0-9_]{1,60}$/.test(name));
    const files = names.map(
      async (name) => [name, (await readBoundedText(join(directory, name), MAX_BYTES)).trim()] as const,
    );
    return Object.fromEntries(await Promise.all(files));
  } catch (cause) {
    throw noTarget(`cannot read the keys of the archive in ${directory}: ${messageOf(cause)}`, cause);
  }
}

function noTarget(message: string, cause?: unknown): CheckpointError {
  return new CheckpointError("no-target", message, { cause });
}
