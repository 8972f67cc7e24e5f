/** Schemas of `spec.backup` and `status.backup`. */
import { count, instantField, objectName } from "./fields.ts";
import { archiveUrl, storeVariables } from "./node-bootstrap.ts";
import { cronText } from "./node-maintenance.ts";
import { flag, integer, object, optional, text, type ValueOf, withDefault } from "./schema.ts";

/** `spec.backup`. */
export const backup = object(
  "Backups: checkpoints of one replica in an archive, sent by the node itself. Any Node starts from them (`bootstrap.url`).",
  {
    to: object("Archive, for this Node alone.", {
      url: archiveUrl("Archive of checkpoints, s3://BUCKET/PREFIX.", 256),
      credentialsSecret: optional(
        objectName(
          `Name of a Secret with any of these keys for the store: ${storeVariables.join(", ")}. A change of its content takes effect by itself.`,
        ),
      ),
    }),
    schedule: optional(cronText("Schedule; without one backups are made by annotation alone.", 60)),
    keep: withDefault(
      integer("Number of newest checkpoints that the archive keeps; the others are deleted.", 1, 100),
      7,
    ),
    verify: withDefault(
      flag("Reads each backup back from the archive and compares every file with its SHA-256."),
      false,
    ),
  },
);

/** `status.backup`. */
export const backupStatus = object("The newest backup.", {
  since: instantField("Time at which the operator first saw spec.backup with its schedule."),
  member: optional(text("Name of the replica that made it.", { maxLength: 44 })),
  checkpoint: optional(text("Name of the checkpoint in the archive.", { maxLength: 128 })),
  archive: optional(text("URL of the archive.", { maxLength: 1_024 })),
  height: optional(count("Number of its newest block.")),
  bytes: optional(count("Size in bytes, with files that earlier checkpoints of the archive have too.")),
  sentBytes: optional(count("Bytes that the archive did not have and that were sent.")),
  at: optional(instantField("Start time of its run.")),
  verifiedAt: optional(instantField("Start time of the last run whose backup was read back.")),
});

/** The newest backup. */
export type BackupStatus = ValueOf<typeof backupStatus>;
