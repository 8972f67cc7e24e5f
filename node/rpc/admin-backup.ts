/** `admin`: backups of the databases to the configured archive. */
import { boolean, nothing, plain } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { nullableSchema, plainSchemas, recordSchema } from "../jsonrpc/schemas.ts";
import { withFailures } from "./admin-checkpoint.ts";

/** Dependencies of the methods about backups. */
export interface AdminBackupDeps {
  readonly backups: {
    /** Starts a backup. Throws `CheckpointError`. */
    start(): Promise<void>;
    /** Ends the backup that runs; false when none does. */
    stop(): boolean;
    readonly status: object;
  };
}

const { text, integer } = plainSchemas;
const backupSchema = recordSchema({
  isRunning: boolean.schema,
  step: nullableSchema(text),
  done: integer,
  total: integer,
  err: nullableSchema(text),
  last: nullableSchema(
    recordSchema({
      checkpoint: text,
      archive: text,
      block: integer,
      bytes: integer,
      sentBytes: integer,
      isVerified: boolean.schema,
    }),
  ),
});

/** The methods of `admin` about backups, for local callers: the archive and its keys are the node's configuration. */
export function adminBackupMethods({ backups }: AdminBackupDeps): Method[] {
  return [
    method({
      name: "admin_startBackup",
      summary:
        "Starts a backup: sends a checkpoint to the archive of `--backup.file` while blocks go on, and deletes its oldest checkpoints.",
      privilege: "process",
      isLocal: true,
      params: {},
      result: nothing,
      handle: () => withFailures(backups.start()),
    }),
    method({
      name: "admin_stopBackup",
      summary: "Ends the backup that runs, and returns false when none does.",
      privilege: "process",
      isLocal: true,
      params: {},
      result: boolean,
      handle: () => backups.stop(),
    }),
    method({
      name: "admin_backupStatus",
      summary:
        "Returns the progress of the backup, with its step and the bytes of it, and the outcome of the last one since the node started.",
      isLocal: true,
      params: {},
      result: plain<object>("status", backupSchema),
      handle: () => ({ ...backups.status }),
    }),
  ];
}
