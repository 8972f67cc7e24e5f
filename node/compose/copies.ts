/** Copies of a running node: checkpoints in directories, backups in an archive, and copies that are given away. */
import { type Checkpoints, openCheckpoints } from "../checkpoint/checkpoints.ts";
import { TableHashes } from "../checkpoint/table-hashes.ts";
import type { Log } from "../observe/log.ts";
import type { NodeKey } from "../p2p/node-key.ts";
import { systemClock } from "../runtime/clock.ts";
import { type Backups, openBackups } from "./backups.ts";
import { checkpointSource, type Database } from "./database.ts";
import { type Giveaway, openGiveaway } from "./giveaway.ts";
import type { NodeOptions } from "./options.ts";

/** Opened copies. Disposing them ends the work that is under way. */
export interface Copies extends AsyncDisposable {
  readonly checkpoints: Checkpoints;
  readonly backups: Backups;
  readonly giveaway: Giveaway;
}

/** Parts of the node. */
export interface CopiesDeps {
  readonly options: NodeOptions;
  readonly database: Database;
  readonly nodeKey: NodeKey;
  readonly log: Log;
}

/** Opens them over the databases of a node. */
export async function openCopies({ options, database, nodeKey, log }: CopiesDeps): Promise<Copies> {
  await using parts = new AsyncDisposableStack();
  const checkpoints = parts.use(openCheckpoints(checkpointSource(options, database)));
  const common = { options, checkpoints, nodeKey, hashes: new TableHashes(), log };
  const backups = parts.use(await openBackups({ ...common, clock: systemClock }));
  const giveaway = parts.use(await openGiveaway(common));
  const all = parts.move();
  return { checkpoints, backups, giveaway, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
