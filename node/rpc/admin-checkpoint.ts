/** `admin`: checkpoints of the databases. */

import type { CheckpointStatus, Checkpoints } from "../checkpoint/checkpoints.ts";
import { CheckpointError } from "../checkpoint/error.ts";
import type { CheckpointFile, CheckpointHead, CheckpointManifest } from "../checkpoint/manifest.ts";
import { optional } from "../jsonrpc/codec.ts";
import { numberQuantity } from "../jsonrpc/codecs/hex.ts";
import { plain, text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, plainSchemas, recordSchema, schemaRefs } from "../jsonrpc/schemas.ts";
import { StoreError } from "../store/error.ts";

/** Dependencies of the methods about checkpoints. */
export interface AdminCheckpointDeps {
  readonly checkpoints: Pick<Checkpoints, "create" | "status">;
  readonly giveaway: {
    /** Opens the socket for a receiver that first writes so many marks of 8 bytes. Throws `CheckpointError`. */
    open(marks?: number): Promise<{ readonly path: string }>;
  };
}

const { integer, boolean } = plainSchemas;
const { hash } = schemaRefs;
const manifestSchema = recordSchema<CheckpointManifest>({
  format: integer,
  program: text.schema,
  chainId: text.schema,
  genesisHash: hash,
  head: recordSchema<CheckpointHead>({ number: integer, hash, stateRoot: hash }),
  files: arraySchema(recordSchema<CheckpointFile>({ path: text.schema, size: integer })),
});
const statusSchema = recordSchema<CheckpointStatus>({ isCreating: boolean, copied: integer, total: integer });

/** The methods of `admin` about checkpoints. They write where the caller says, so only local callers have them. */
export function adminCheckpointMethods({ checkpoints, giveaway }: AdminCheckpointDeps): Method[] {
  return [
    method({
      name: "admin_createCheckpoint",
      summary:
        "Creates a checkpoint of the databases in a new directory on the node's machine while blocks go on, and returns its manifest. It is a data directory: another node can start from it.",
      privilege: "files",
      isLocal: true,
      params: { directory: text },
      result: plain<object>("manifest", manifestSchema),
      handle: ({ directory }, { signal }) => withFailures(checkpoints.create(directory, signal)),
    }),
    method({
      name: "admin_serveCheckpoint",
      summary:
        "Opens a socket beside the IPC socket for one connection, which gets a checkpoint as a tar stream, and returns its path. A receiver that has tables of an interrupted copy gives their number and first writes a mark of 8 bytes for each, the beginning of the SHA-256 of `PATH HASH` with the path in the manifest and the file's SHA-256 in hex; these files are left out.",
      privilege: "files",
      isLocal: true,
      params: { marks: optional(numberQuantity) },
      result: plain<object>("socket", recordSchema({ path: text.schema })),
      handle: ({ marks }) => withFailures(giveaway.open(marks)),
    }),
    method({
      name: "admin_checkpointStatus",
      summary:
        "Returns true while a checkpoint is being created, with the bytes that are copied to another file system.",
      isLocal: true,
      params: {},
      result: plain<object>("status", statusSchema),
      handle: () => ({ ...checkpoints.status }),
    }),
  ];
}

/** Resolves as `work` does; an error of a checkpoint or a store becomes the answer's. */
export async function withFailures<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CheckpointError || error instanceof StoreError)
      throw failure(error.message, "not-done");
    throw error;
  }
}
