/** Chain files and checkpoints for tests that use none. */
import type { Checkpoints } from "../../node/checkpoint/checkpoints.ts";
import type { AdminBackupDeps } from "../../node/rpc/admin-backup.ts";
import type { ChainFiles } from "../../node/rpc/admin-chain.ts";
import type { AdminCheckpointDeps } from "../../node/rpc/admin-checkpoint.ts";

const refuse = (): Promise<never> => Promise.reject(new Error("no chain files here"));

/** Refuses every method about chain files. */
export const noFiles: ChainFiles = { exportTo: refuse, importFrom: refuse, importBytes: refuse };

/** Refuses to create checkpoints. */
export const noCheckpoints: Pick<Checkpoints, "create" | "status"> = {
  create: refuse,
  status: { isCreating: false, copied: 0, total: 0 },
};

/** Gives no copy away. */
export const noGiveaway: AdminCheckpointDeps["giveaway"] = { open: refuse };

/** Backups of a node that has none. */
export const noBackups: AdminBackupDeps["backups"] = {
  start: refuse,
  stop: () => false,
  status: {},
};
