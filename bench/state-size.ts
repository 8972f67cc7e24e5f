/**
 * Measures the disk use of the state. First after 100 and after many blocks of 100 transfers over the same accounts: rows by
 * what they hold, and the files once they are compacted. Then as an archive, for each row that a block changed, against
 * the nodes that a trie keyed by hash would keep (each new node once, under its hash of 32 bytes, before a database's own
 * cost). With KNIT_PEER_KCN the directories after both nodes imported the same chain as archives.
 *
 *   npm run build && node bench/state-size.ts [accounts] [blocks] [blocks of the archive]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TrieStores } from "../node/state/trie/generations.ts";
import type { Batch, Store } from "../node/store/store.ts";
import { trieTables } from "../node/store/tables.ts";
import { hasGoNode, importWithGoNode } from "../test/support/go-node.ts";
import { makeTransferChain } from "../test/support/transfer-chain.ts";
import { runBuilt } from "./support/built-knit.ts";
import { directoryBytes } from "./support/directory-bytes.ts";
import { report, roundTo } from "./support/figures.ts";
import { TransferState } from "./support/transfer-state.ts";

const TRANSFERS = 100;
const HASH = 32;
const FEW = 100;

const [accounts = 5_000, blocks = 10_000, archived = 2_000] = process.argv.slice(2).map(Number);

function megabytes(bytes: number): number {
  return roundTo(bytes / 1e6);
}

/** Both databases, compacted. */
async function sizes(on: TransferState): Promise<object> {
  await on.state.flush();
  await on.close();
  await on.compact();
  const found = {
    rows: await on.rows(),
    chainMegabytes: megabytes(on.size("chain")),
    trieMegabytes: megabytes(on.size("trie")),
  };
  await on.open();
  await on.state.ready;
  return found;
}

async function full(): Promise<void> {
  const on = new TransferState({ accounts, settings: {} });
  await on.open();
  await on.begin();
  const afterBlocks: Record<string, object> = {};
  for (let n = 1; n <= blocks; n++) {
    await on.transfers(TRANSFERS);
    if (n === FEW || n === blocks) afterBlocks[n] = await sizes(on);
  }
  await on.close();
  on.remove();
  report({ bench: "state-size", mode: "full", accounts, transfersPerBlock: TRANSFERS, afterBlocks });
}

async function archive(): Promise<void> {
  const byHash = { bytes: 0, nodes: 0 };
  const plain = await grow({ accounts, settings: { archive: false } });
  const on = await grow({
    accounts,
    settings: { archive: true, flushInterval: 1 },
    tries: (directories) => counting(directories, byHash),
  });
  const { changes } = await on.state.verify();
  const before = byHash.bytes;
  await on.close();
  await plain.close();
  await on.compact();
  await plain.compact();
  const index = on.size("chain") - plain.size("chain");
  on.remove();
  plain.remove();
  report({
    bench: "state-size",
    mode: "archive",
    accounts,
    blocks: archived,
    transfersPerBlock: TRANSFERS,
    changedRows: changes,
    indexMegabytes: megabytes(index),
    indexBytesPerChangedRow: roundTo(index / changes),
    hashKeyedMegabytes: megabytes(before),
    hashKeyedBytesPerChangedRow: roundTo(before / changes),
    ratio: roundTo(index / before),
  });
}

async function grow(terms: ConstructorParameters<typeof TransferState>[0]): Promise<TransferState> {
  const on = new TransferState(terms);
  await on.open();
  await on.begin();
  for (let n = 0; n < archived; n++) await on.transfers(TRANSFERS);
  await on.state.flush();
  return on;
}

/** Adds up the nodes that are written, as rows under their hashes. */
function counting(stores: TrieStores, sum: { bytes: number; nodes: number }): TrieStores {
  const nodes: readonly number[] = [trieTables.accountNode.prefix, trieTables.storageNode.prefix];
  const counted = (batch: Batch): Batch => {
    const put = batch.put.bind(batch);
    batch.put = (key, value) => {
      if (nodes.includes(key[0] ?? 0)) {
        sum.bytes += value.length + HASH;
        sum.nodes++;
      }
      put(key, value);
    };
    return batch;
  };
  return {
    open: async (generation) => {
      const store: Store = await stores.open(generation);
      const create = store.createBatch.bind(store);
      store.createBatch = () => counted(create());
      return store;
    },
    remove: (generation) => stores.remove(generation),
    space: (generation) => stores.space(generation),
  };
}

/** Both nodes as archives over the same chain: all that they leave behind, and what of the Go node's is its state. */
async function againstGo(): Promise<void> {
  if (!hasGoNode) return report({ peer: "none: set KNIT_PEER_KCN to the path of a Go node" });
  const scratch = await mkdtemp(join(tmpdir(), "knit-bench-archive-"));
  try {
    const chain = join(scratch, "chain");
    await makeTransferChain(chain, { accounts, blocks: archived, transfers: TRANSFERS });
    const [own, go] = [join(scratch, "knit"), join(scratch, "go")];
    await runBuilt("init", "--datadir", own, join(chain, "genesis.json"));
    await runBuilt("import", "--gcmode", "archive", "--datadir", own, join(chain, "chain.rlp.gz"));
    await importWithGoNode(chain, go, ["--gcmode", "archive"]);
    const goData = join(go, "data", "klay", "chaindata");
    const [ownBytes, goBytes, goStateBytes] = [own, goData, join(goData, "statetrie")].map(directoryBytes);
    report({
      bench: "state-size",
      mode: "archive against the Go node",
      accounts,
      blocks: archived,
      transfersPerBlock: TRANSFERS,
      wholeMegabytes: megabytes(ownBytes ?? 0),
      goWholeMegabytes: megabytes(goBytes ?? 0),
      goStateMegabytes: megabytes(goStateBytes ?? 0),
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

await full();
await archive();
await againstGo();
