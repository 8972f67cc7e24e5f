/** Errors of this room. */
import { causesOf } from "../bytes/causes.ts";
import { StoreError } from "../store/error.ts";

/**
 * - `exists`: the directory is there and is not empty;
 * - `bad-manifest`: the manifest is missing, cannot be read or is not signed by its creator;
 * - `bad-file`: a file is missing or is not the one of the manifest;
 * - `cut`: a stream ended before the checkpoint did;
 * - `foreign`: a checkpoint of another chain than the wanted one;
 * - `bad-chain`: the head or the headers below it contradict the manifest or the council;
 * - `busy`: another checkpoint is being created, or another backup runs;
 * - `no-target`: the file with the archive of backups, or with siblings, is missing or wrong;
 * - `disk`: the disk takes no more files of a checkpoint;
 * - `failed`: the system refused an operation.
 */
export type CheckpointErrorCode =
  | "exists"
  | "bad-manifest"
  | "bad-file"
  | "cut"
  | "foreign"
  | "bad-chain"
  | "busy"
  | "no-target"
  | "disk"
  | "failed";

/** Thrown by this room; `code` is stable, the message names the file or the block. */
export class CheckpointError extends Error {
  override readonly name = "CheckpointError";
  readonly code: CheckpointErrorCode;
  constructor(code: CheckpointErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Codes of a disk that takes no files: those of the system, and that of the engine. */
const DISK_CODES = new Set(["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EIO", "LEVEL_IO_ERROR"]);

/** True for a failure of the own disk. A `CheckpointError` is about the other side; the engine calls some damage I/O. */
export function isDiskFailure(error: unknown): boolean {
  if (error instanceof CheckpointError) return false;
  if (error instanceof StoreError && error.code === "corrupt") return false;
  for (const { code } of causesOf(error)) if (DISK_CODES.has(String(code))) return true;
  return false;
}
