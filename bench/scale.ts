/**
 * A node as its state and its chain grow, in parts that begin with copies of one grown data directory each:
 *
 * - `start`: first answer, memory, and calls that read a slot each for the first time
 * - `transfers`: blocks of 500 transfers made and written, then imported
 * - `checkpoint`: checkpoints of a validator beside 500 transfers a second, and the delays of its blocks
 * - `archive`: a checkpoint of a stopped node, its push to a directory and a pull
 * - `day`: what pushes send after the blocks of a day each (`--day`), of a transfer each to one account of a thousand
 * - `clone`: a new node from its sibling through a gateway over loopback, without a limit of the rate
 * - `gentle-clone`: the same at the rate that a node gives copies by default
 * - `migration`: a state migration beside a block a second
 * - `go`: Knit beside the Go node of KNIT_PEER_KCN, both from a genesis with all accounts
 *
 * Prints a line of JSON for the directory and for each part. `--directory` names a grown directory that is used and kept;
 * it is made where it is absent. One process each can be run alone: `node bench/scale.ts grow|genesis|blocks|transfers
 * DIRECTORY ACCOUNTS BLOCKS`, which changes the directory.
 *
 *   npm run build && node bench/scale.ts [--sizes 1000000:10000,5000000:100000] [--max-memory 2GB]
 *     [--only NAMES] [--without NAMES] [--directory DIRECTORY] [--day BLOCKS]
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { measureDailyPushes, measureFirstPush } from "./scale/archives.ts";
import { measureBesideGo } from "./scale/beside-go.ts";
import { measureClone } from "./scale/clone.ts";
import { measureFullBlocks } from "./scale/full-blocks.ts";
import { databasesIn, type Grown, openGrown } from "./scale/grown.ts";
import { knitStarter } from "./scale/nodes.ts";
import { measureRunningCheckpoints } from "./scale/running-checkpoints.ts";
import { measureStarts } from "./scale/starts.ts";
import { doWork } from "./scale/work.ts";
import { directoryBytes } from "./support/directory-bytes.ts";
import { report, roundTo } from "./support/figures.ts";
import type { ChainSize } from "./support/grown-chain.ts";
import { measureNodeMigration } from "./support/node-migration.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sizes: { type: "string", default: "1000000:10000,5000000:100000,25000000:500000" },
    "max-memory": { type: "string", default: "2GB" },
    only: { type: "string" },
    without: { type: "string", default: "" },
    directory: { type: "string" },
    day: { type: "string", default: "86400" },
  },
});
const maxMemory = values["max-memory"];
const MIB = 2 ** 20;
/** MiB a second: more than a disk writes. */
const UNLIMITED_RATE = 100_000;
const start = knitStarter(maxMemory);

const parts: Readonly<Record<string, (grown: Grown) => Promise<object>>> = {
  start: async (grown) => measureStarts(start, await grown.copy(), grown.accounts),
  transfers: measureFullBlocks,
  checkpoint: (grown) => measureRunningCheckpoints(start, grown),
  archive: measureFirstPush,
  day: (grown) => measureDailyPushes(grown, Number(values.day)),
  clone: (grown) => measureClone(start, grown, UNLIMITED_RATE),
  "gentle-clone": (grown) => measureClone(start, grown, undefined),
  migration: measureMigration,
  go: measureBesideGo,
};

const [work, datadir = "", accounts, blocks] = positionals;
if (work === undefined) for (const size of sizesOf(values.sizes)) await measure(size, chosenParts());
else
  await doWork(work, {
    datadir: resolve(datadir),
    maxMemory,
    accounts: Number(accounts),
    blocks: Number(blocks),
  });

/** The sizes of the command line. Throws where one directory is to have several. */
function sizesOf(text: string): readonly ChainSize[] {
  const sizes = text.split(",").map((size) => size.split(":").map(Number));
  if (values.directory !== undefined && sizes.length > 1)
    throw new Error("a directory has one size: give --sizes ACCOUNTS:BLOCKS");
  return sizes.map(([ofAccounts = 0, ofBlocks = 0]) => ({ accounts: ofAccounts, blocks: ofBlocks }));
}

/** The names of the parts to run. Throws for one that there is not. */
function chosenParts(): readonly string[] {
  const all = Object.keys(parts);
  const [only, without] = [values.only?.split(",") ?? all, values.without.split(",").filter(Boolean)];
  const unknown = [...only, ...without].find((name) => !all.includes(name));
  if (unknown !== undefined) throw new Error(`${unknown} is no part: ${all.join(", ")}`);
  return all.filter((name) => only.includes(name) && !without.includes(name));
}

async function measure(size: ChainSize, names: readonly string[]): Promise<void> {
  const kept = values.directory === undefined ? undefined : resolve(values.directory);
  await using directory = await openGrown({ ...size, maxMemory, kept });
  const { made, path } = directory;
  report({
    bench: "scale",
    part: "grow",
    ...size,
    madeSeconds: made && roundTo(made.seconds),
    madePeakMiB: made?.peakMiB,
    diskMiB: Math.round(directoryBytes(databasesIn(path)) / MIB),
  });
  for (const name of names) {
    await using grown = await directory.openPlace();
    report({ bench: "scale", part: name, ...size, maxMemory, ...(await parts[name]?.(grown)) });
  }
}

async function measureMigration(grown: Grown): Promise<object> {
  await using node = await start({ datadir: await grown.copy(), isValidator: true });
  return await measureNodeMigration(node);
}
