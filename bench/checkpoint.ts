/**
 * Checkpoints beside blocks of 500 transfers: milliseconds that each takes, and the delay of blocks (from when they were
 * due until they are on disk) without and with them. Prints one JSON object. `node bench/checkpoint.ts [accounts]
 * [milliseconds between blocks] [checkpoints]`; without arguments 200,000, 500 and 20.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { putConfig } from "../node/chain/stored-config.ts";
import { createCheckpoint } from "../node/checkpoint/create.ts";
import { parseChainConfig } from "../node/config/chain-config.ts";
import { encodeHeader } from "../node/model/header.ts";
import { tables } from "../node/store/tables.ts";
import { bareHeader } from "../test/support/bare-header.ts";
import { directoryBytes } from "./support/directory-bytes.ts";
import { quantilesOf } from "./support/figures.ts";
import { TransferState } from "./support/transfer-state.ts";

const TRANSFERS = 500;
const [accounts = 200_000, blockMs = 500, wanted = 20] = process.argv.slice(2).map(Number);

const on = new TransferState({
  accounts,
  settings: {},
  onBatch: (batch, number) => {
    if (number === 0) putConfig(batch, parseChainConfig({ chainId: 1 }));
    batch.put(tables.header.key(number), encodeHeader(bareHeader({ number })));
  },
});
await on.open();
await on.begin();

/** Makes blocks when they are due until `isOver`; returns their delays. */
async function blocksUntil(isOver: (made: number) => boolean): Promise<number[]> {
  const delays: number[] = [];
  for (let due = performance.now(); !isOver(delays.length); due += blockMs) {
    await on.transfers(TRANSFERS);
    delays.push(performance.now() - due);
    await setTimeout(Math.max(0, due + blockMs - performance.now()));
  }
  return delays;
}

async function createMany(): Promise<number[]> {
  const took: number[] = [];
  const source = {
    directory: on.directory,
    rows: on.chain,
    flushedTo: () => on.state.figures().flushedTo,
  };
  for (let i = 0; i < wanted; i++) {
    const directory = join(on.directory, "..", `knit-checkpoint-${process.pid}-${i}`);
    const begun = performance.now();
    await createCheckpoint(source, { directory, signal: new AbortController().signal });
    took.push(performance.now() - begun);
    rmSync(directory, { recursive: true });
    await setTimeout(blockMs * 1.37); // another place between blocks each time
  }
  return took;
}

const before = await blocksUntil((made) => made >= wanted * 1.5);
let isDone = false;
const creating = createMany().finally(() => {
  isDone = true;
});
const beside = await blocksUntil(() => isDone);
const took = await creating;
console.log(
  JSON.stringify(
    {
      bench: "checkpoint",
      accounts,
      megabytes: Math.round(directoryBytes(on.directory) / 1e6),
      msBetweenBlocks: blockMs,
      tookMs: quantilesOf(took),
      delayWithout: quantilesOf(before),
      delayWith: quantilesOf(beside),
    },
    undefined,
    2,
  ),
);
await on.close();
on.remove();
