/** Checkpoints of a running validator that makes full blocks: the time of each, and the delays of the blocks. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { askNode } from "../../node/transport/client.ts";
import { type BlockDelays, delaysFor, delaysWhile } from "../support/block-delays.ts";
import { type Quantiles, quantilesOf } from "../support/figures.ts";
import type { Grown } from "./grown.ts";
import { sendSteadily, signTransfers } from "./live-transfers.ts";
import type { ScaleNode, StartNode } from "./nodes.ts";

const CHECKPOINTS = 10;
/** Time between two checkpoints: each begins at another place between two blocks. */
const PAUSE_MS = 3_370;
const SETTLE_MS = 10_000;
const BEFORE_MS = 40_000;
/** More than all of it takes. */
const SECONDS = 200;

/** Figures of the checkpoints. */
export interface RunningCheckpoints {
  readonly runningCheckpointMs: Quantiles;
  readonly delaysWithout: BlockDelays;
  readonly delaysWith: BlockDelays;
}

/** Starts a validator on a copy and creates checkpoints over IPC beside 500 transfers a second. */
export async function measureRunningCheckpoints(start: StartNode, grown: Grown): Promise<RunningCheckpoints> {
  await using node = await start({ datadir: await grown.copy(), isValidator: true });
  const url = node.targets.http;
  const batches = await signTransfers(url, grown.accounts, SECONDS);
  await using _sending = sendSteadily(url, batches);
  await delaysFor(url, SETTLE_MS);
  const delaysWithout = await delaysFor(url, BEFORE_MS);
  let isDone = false;
  const creating = createMany(node, grown.scratch).finally(() => {
    isDone = true;
  });
  const delaysWith = await delaysWhile(url, async () => !isDone);
  return { runningCheckpointMs: quantilesOf(await creating), delaysWithout, delaysWith };
}

async function createMany({ ipc }: ScaleNode, scratch: string): Promise<number[]> {
  const took: number[] = [];
  for (let i = 0; i < CHECKPOINTS; i++) {
    const directory = join(scratch, `running-${i}`);
    const message = { jsonrpc: "2.0", id: 1, method: "admin_createCheckpoint", params: [directory] };
    const begun = performance.now();
    const answer = await askNode(ipc, JSON.stringify(message), AbortSignal.timeout(60_000));
    took.push(performance.now() - begun);
    if (!answer.includes('"result"')) throw new Error(answer);
    await rm(directory, { recursive: true });
    await setTimeout(PAUSE_MS);
  }
  return took;
}
