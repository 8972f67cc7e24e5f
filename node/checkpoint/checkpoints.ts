/** Checkpoints of a running node: one at a time, with its progress. Closing ends the one that is being created. */
import { type CheckpointSource, createCheckpoint } from "./create.ts";
import { CheckpointError } from "./error.ts";
import type { CheckpointManifest } from "./manifest.ts";

/** Progress of a checkpoint: bytes copied to another file system; both are 0 where files are linked. */
export interface CheckpointStatus {
  readonly isCreating: boolean;
  readonly copied: number;
  readonly total: number;
}

/** Creates the checkpoints of a node. */
export interface Checkpoints extends AsyncDisposable {
  /** See `createCheckpoint`. Throws `CheckpointError` `busy` while another one is being created. */
  create(directory: string, signal: AbortSignal): Promise<CheckpointManifest>;
  readonly status: CheckpointStatus;
}

const IDLE: CheckpointStatus = { isCreating: false, copied: 0, total: 0 };

/** Opens them over the databases of a node. */
export function openCheckpoints(source: CheckpointSource): Checkpoints {
  const closing = new AbortController();
  let status = IDLE;
  let running: Promise<unknown> | undefined;
  return {
    get status() {
      return status;
    },
    async create(directory, signal) {
      if (running !== undefined) throw new CheckpointError("busy", "another checkpoint is being created");
      status = { ...IDLE, isCreating: true };
      const work = createCheckpoint(source, {
        directory,
        signal: AbortSignal.any([signal, closing.signal]),
        onCopied: (copied, total) => {
          status = { isCreating: true, copied, total };
        },
      });
      running = work;
      try {
        return await work;
      } finally {
        running = undefined;
        status = IDLE;
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await running?.catch(() => undefined); // its caller receives the error
    },
  };
}
