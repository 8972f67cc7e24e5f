/**
 * A state migration beside blocks of 500 transfers, one a second: nodes copied a second, how long blocks take until
 * they are on disk before and meanwhile (`delay`: from when they were due), resident memory, and the size of the trie
 * before and after. Prints one JSON object. `node bench/migration.ts [accounts] [contracts of 100 slots] [milliseconds
 * between blocks]`; without arguments 200,000, 500 and 1,000.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { runInThread } from "../node/state/migration/migration-run.ts";
import { directoryBytes } from "./support/directory-bytes.ts";
import { quantile } from "./support/figures.ts";
import { TransferState } from "./support/transfer-state.ts";

const TRANSFERS = 500;
const SLOTS = 100;
/** Milliseconds in which blocks are looked at before the migration. */
const BEFORE_MS = 20_000;

const [accounts = 200_000, contracts = 500, blockMs = 1000, made = ""] = process.argv
  .slice(2)
  .map((each, i) => (i < 3 ? Number(each) : each)) as [number?, number?, number?, string?];

/** Block 0 with the accounts, then contracts, 20 a block. */
async function makeState(directory: string): Promise<void> {
  const state = new TransferState({ accounts, directory, settings: {} });
  await state.open();
  await state.begin();
  for (let from = 0; from < contracts; from += 20) {
    await state.makeBlock((world) => {
      for (let c = from; c < Math.min(contracts, from + 20); c++) {
        const contract = new Uint8Array(20);
        new DataView(contract.buffer).setUint32(0, 0xc0000000 + c);
        world.setNonce(contract, 1n);
        for (let s = 0; s < SLOTS; s++) world.setSlot(contract, BigInt(s), BigInt(c + 1));
        world.endTransaction();
      }
    });
  }
  await state.close();
}

if (made !== "") {
  await makeState(made);
  process.exit();
}
const directory = mkdtempSync(join(tmpdir(), "knit-bench-"));
// in a process of its own, whose memory does not count
spawnSync(process.execPath, [import.meta.filename, `${accounts}`, `${contracts}`, `${blockMs}`, directory], {
  stdio: "inherit",
});
const startRun = runInThread(join(directory, "chain"), join(directory, "trie"));
const on = new TransferState({ accounts, directory, settings: { startRun } });
await on.open();
await on.state.ready;

let peak = 0;
let late = 0;
interface Timed {
  /** Milliseconds until it was on disk. */
  readonly took: number;
  /** The same from when it was due. */
  readonly delay: number;
}

/** Blocks when they are due for as long as wanted. */
async function blocksWhile(wanted: (made: number) => boolean): Promise<Timed[]> {
  const blocks: Timed[] = [];
  for (let due = performance.now(); wanted(blocks.length); due += blockMs) {
    const waited = performance.now() - due;
    if (waited > blockMs) late++;
    const took = await on.transfers(TRANSFERS);
    blocks.push({ took, delay: waited + took });
    peak = Math.max(peak, process.memoryUsage.rss());
    await setTimeout(Math.max(0, due + blockMs - performance.now()));
  }
  return blocks;
}

const quantiles = (times: readonly number[]): object => {
  const at = (part: number): number => Math.round(quantile(times, part) || 0);
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
};
const figures = (blocks: readonly Timed[]): object => ({
  blocks: blocks.length,
  took: quantiles(blocks.map(({ took }) => took)),
  delay: quantiles(blocks.map(({ delay }) => delay)),
});

const before = await blocksWhile((blocks) => blocks * blockMs < BEFORE_MS);
const trieBytes = (): number => directoryBytes(join(on.directory, "trie"));
const peakBefore = peak;
const sizeBefore = trieBytes();
const { migration } = on.state;
await migration.start();
const seen: { readonly at: number; readonly nodes: number }[] = [];
const watched = setInterval(() => {
  const { committed } = migration.status.counts;
  if (committed !== seen.at(-1)?.nodes) seen.push({ at: performance.now(), nodes: committed });
}, 20);
const meanwhile = await blocksWhile(() => migration.status.isMigration);
clearInterval(watched);
const { counts, error } = migration.status;
const [first, last] = [seen[1], seen.at(-1)]; // the first is of none
const nodesPerSecond =
  first === undefined || last === undefined
    ? undefined
    : Math.round(((last.nodes - first.nodes) * 1000) / (last.at - first.at));
await on.state.flush();
const { strayNodes, straySlots } = await on.state.verify();
console.log(
  JSON.stringify(
    {
      bench: "migration",
      accounts,
      contracts,
      slotsEach: SLOTS,
      error,
      nodes: counts.committed,
      nodesPerSecond,
      msBetweenBlocks: blockMs,
      blocksBefore: figures(before),
      blocksMeanwhile: figures(meanwhile),
      blocksLate: late,
      residentMegabytes: [peakBefore, peak].map((bytes) => Math.round(bytes / 1e6)),
      trieMegabytes: [sizeBefore, trieBytes()].map((bytes) => Math.round(bytes / 1e5) / 10),
      strayNodes,
      straySlots,
    },
    undefined,
    2,
  ),
);
await on.close();
on.remove();
