/**
 * The import from the data directory of a Go node (`knit import-go`): megabytes of blocks and trie nodes a second, and
 * the peak of the memory. The directory is made of a chain of transfers, with the counters of live pruning, in four
 * shards and compacted, as a Go node lays it out. Prints one JSON line.
 *
 *   npm run build && node bench/import-go.ts [--accounts N] [--blocks N] [--transfers N]
 */
import { globSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { compactLevel, openLevelStore } from "../node/store/level-store.ts";
import { trieTables } from "../node/store/tables.ts";
import { makeGoDirectory } from "../test/support/go-directory.ts";
import { importAll, initFrom } from "../test/support/offline-jobs.ts";
import { makeTransferChain } from "../test/support/transfer-chain.ts";
import { optionsOf } from "../test/support/whole-directory.ts";
import { runBuilt } from "./support/built-knit.ts";
import { report, roundTo } from "./support/figures.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "200000" },
    blocks: { type: "string", default: "500" },
    transfers: { type: "string", default: "500" },
  },
});
const [accounts, blocks, transfers] = [values.accounts, values.blocks, values.transfers].map(Number);

const scratch = await mkdtemp(join(tmpdir(), "knit-bench-import-go-"));
try {
  const [made, ours, go] = [join(scratch, "made"), join(scratch, "ours"), join(scratch, "go")];
  await makeTransferChain(made, { accounts: accounts ?? 0, blocks: blocks ?? 0, transfers: transfers ?? 0 });
  await initFrom(ours, join(made, "genesis.json"));
  await importAll(ours, join(made, "chain.rlp.gz"));
  await makeGoDirectory(ours, go, { shards: 4, isCounted: true, isSingle: false, stateName: "statetrie" });
  for (const current of globSync(join(go, "klay", "chaindata", "**", "CURRENT")))
    await compactLevel(dirname(current));
  const kinds = ["header", "body", "receipts"].map((kind) => join(go, "klay", "chaindata", kind));
  let blockBytes = 0;
  for (const kind of kinds) blockBytes += await valueBytesOf(kind);
  const nodes = await nodesOf(ours);
  const { output, seconds, peakMiB } = await runBuilt("import-go", "--datadir", join(scratch, "built"), go);
  const phases = phasesOf(output);
  report({
    bench: "import-go",
    accounts,
    blockMB: roundTo(blockBytes / 1e6),
    nodes,
    blockMBPerSecond: roundTo(blockBytes / 1e6 / phases.blocks),
    nodesPerSecond: Math.round(nodes / phases.state),
    restSeconds: roundTo(phases.rest),
    wholeSeconds: roundTo(seconds),
    peakMiB,
  });
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/** Returns the bytes of all values in a directory of a Go node. */
async function valueBytesOf(directory: string): Promise<number> {
  await using store = await openLevelStore(directory, { checksums: false });
  let bytes = 0;
  for await (const [, value] of store.entries({ from: Uint8Array.of(0), to: Uint8Array.of(255) }))
    bytes += value.length;
  return bytes;
}

/** Counts the trie nodes of a data directory. */
async function nodesOf(datadir: string): Promise<number> {
  await using trie = await openLevelStore(join(optionsOf(datadir).paths.chainData, "trie", "0"), {
    checksums: false,
  });
  let count = 0;
  for (const table of [trieTables.accountNode, trieTables.storageNode])
    for await (const _ of trie.entries(table.range())) count++;
  return count;
}

/** The seconds of blocks, of the state, and of the verification, as the command says them. */
function phasesOf(output: string): {
  readonly blocks: number;
  readonly state: number;
  readonly rest: number;
} {
  const said = /blocks ([\d.]+) s, state ([\d.]+) s, verification ([\d.]+) s/.exec(output);
  if (said === null) throw new Error(`no times in ${JSON.stringify(output)}`);
  const [ofBlocks = 0, state = 0, rest = 0] = said.slice(1).map(Number);
  return { blocks: ofBlocks, state, rest };
}
