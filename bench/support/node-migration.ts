/** A state migration of a running node that makes a block a second: how fast it copies, and the delays of the blocks. */

import { ask } from "../rpc/ask.ts";
import type { RunningNode } from "../rpc/running.ts";
import { type BlockDelays, delaysFor, delaysWhile } from "./block-delays.ts";
import { peakMemory } from "./built-knit.ts";

/** The first block after a start is late. */
const SETTLE_MS = 3_000;
const BEFORE_MS = 20_000;
/** A node that was just asked may not say yet that it migrates. */
const MIN_MS = 2_000;
const MAX_MS = 7_200_000;

/** Figures of a migration. */
export interface NodeMigration {
  readonly nodes: number;
  readonly seconds: number;
  readonly nodesPerSecond: number;
  /** Blocks before it, and beside it. */
  readonly before: BlockDelays;
  readonly meanwhile: BlockDelays;
  /** Before it, and at its end. */
  readonly peakMiB: readonly (number | undefined)[];
}

interface Status {
  readonly isMigration: boolean;
  readonly committed: number;
  readonly err: string | null;
}

/** Starts a migration and waits for its end. Throws when it fails or takes two hours. */
export async function measureNodeMigration({ targets, pid }: RunningNode): Promise<NodeMigration> {
  const { http } = targets;
  await delaysFor(http, SETTLE_MS);
  const before = await delaysFor(http, BEFORE_MS);
  const memoryBefore = peakMemory(pid);
  await ask(http, "admin_startStateMigration", []);
  const started = performance.now();
  const meanwhile = await delaysWhile(http, async () => {
    const ms = performance.now() - started;
    if (ms > MAX_MS) throw new Error("the migration does not end");
    return ms < MIN_MS || (await migrationOf(http)).isMigration;
  });
  const seconds = (performance.now() - started) / 1000;
  const { committed, err } = await migrationOf(http);
  if (err !== null && err !== "" && err !== "null") throw new Error(`the migration failed: ${err}`);
  return {
    nodes: committed,
    seconds: Math.round(seconds),
    nodesPerSecond: Math.round(committed / seconds),
    before,
    meanwhile,
    peakMiB: [memoryBefore, peakMemory(pid)],
  };
}

function migrationOf(http: string): Promise<Status> {
  return ask<Status>(http, "admin_stateMigrationStatus", []);
}
