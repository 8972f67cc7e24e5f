/**
 * The import from the data directory of a Go node (`knit import-go`): megabytes of blocks and trie nodes a second, and
 * the peak of the memory. The directory is made of a chain of transfers, with the counters of live pruning, in four
 * shards, as a Go node lays it out. Prints one JSON line.
 *
 *   npm run build && node bench/import-go.ts [--accounts N] [--blocks N] [--transfers N]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { importGoDatadir } from "../node/compose/go-jobs.ts";
import { openLevelStore } from "../node/store/level-store.ts";
import { trieTables } from "../node/store/tables.ts";
import { makeGoDirectory } from "../test/support/go-directory.ts";
import { importAll, initFrom } from "../test/support/offline-jobs.ts";
import { makeTransferChain } from "../test/support/transfer-chain.ts";
import { optionsOf } from "../test/support/whole-directory.ts";
import { runBuilt } from "./support/built-knit.ts";
import { directoryBytes } from "./support/directory-bytes.ts";
import { report, roundTo } from "./support/figures.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "200000" },
    blocks: { type: "string", default: "500" },
    transfers: { type: "string", default: "500" },
  },
});
const [accounts, blocks, transfers] = [values.accounts, values.blocks, values.transfers].map(Number);
const MIB = 2 ** 20;

const scratch = await mkdtemp(join(tmpdir(), "knit-bench-import-go-"));
try {
  const [made, ours, go] = [join(scratch, "made"), join(scratch, "ours"), join(scratch, "go")];
  await makeTransferChain(made, { accounts: accounts ?? 0, blocks: blocks ?? 0, transfers: transfers ?? 0 });
  await initFrom(ours, join(made, "genesis.json"));
  await importAll(ours, join(made, "chain.rlp.gz"));
  await makeGoDirectory(ours, go, { shards: 4, isCounted: true, isSingle: false, stateName: "statetrie" });
  const kinds = ["header", "body", "receipts"].map((kind) =>
    directoryBytes(join(go, "klay", "chaindata", kind)),
  );
  const blockMiB = kinds.reduce((sum, bytes) => sum + bytes, 0) / MIB;
  const nodes = await nodesOf(ours);
  const { seconds, peakMiB } = await runBuilt("import-go", "--datadir", join(scratch, "built"), go);
  const phases = await phasesOf(join(scratch, "phases"), go);
  report({
    bench: "import-go",
    accounts,
    blockMiB: roundTo(blockMiB),
    nodes,
    blockMiBPerSecond: roundTo(blockMiB / phases.blocks),
    nodesPerSecond: Math.round(nodes / phases.state),
    wholeSeconds: roundTo(seconds),
    peakMiB,
  });
} finally {
  await rm(scratch, { recursive: true, force: true });
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

/** Imports once more and returns the seconds of blocks, and of the state with the verification behind it. */
async function phasesOf(datadir: string, source: string) {
  const started = performance.now();
  let blocksAt = started;
  await importGoDatadir(optionsOf(datadir), {
    source,
    head: undefined,
    from: undefined,
    signal: new AbortController().signal,
    onBlocks: () => {
      blocksAt = performance.now();
    },
    onState: () => undefined,
  });
  return { blocks: (blocksAt - started) / 1000, state: (performance.now() - blocksAt) / 1000 };
}
