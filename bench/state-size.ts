/**
 * What the state takes on disk: after 100 and after many blocks of 100 transfers over the same accounts, with its
 * history; and as an archive, against the nodes that a trie keyed by hash would keep for the same blocks (each new
 * node once, under its hash of 32 bytes: what the Go node's archive mode writes, before its database's own cost).
 * `node bench/state-size.ts [accounts] [blocks] [blocks of the archive]`
 */
import type { TrieStores } from "../node/state/trie-stores.ts";
import type { Batch, Store } from "../node/store/store.ts";
import { trieTables } from "../node/store/tables.ts";
import { report, rounded } from "./support/figures.ts";
import { TransferState } from "./support/transfer-state.ts";

const TRANSFERS = 100;
const HASH = 32;
const FEW = 100;
const MEGABYTE = 1e6;

const [accounts = 5_000, blocks = 10_000, archived = 2_000] = process.argv.slice(2).map(Number);

/** Megabytes of both databases, as they are and compacted. */
async function sizes(on: TransferState): Promise<object> {
  await on.close();
  const megabytes = (part: "chain" | "trie"): number => rounded(on.size(part) / MEGABYTE);
  const found = { chain: megabytes("chain"), trie: megabytes("trie") };
  await on.compact();
  const compacted = { chain: megabytes("chain"), trie: megabytes("trie") };
  await on.open();
  await on.state.ready;
  return { ...found, compacted };
}

async function full(): Promise<void> {
  const on = new TransferState({ accounts, settings: {} });
  await on.open();
  await on.begin();
  const megabytes: Record<string, object> = { 0: await sizes(on) };
  for (let n = 1; n <= blocks; n++) {
    await on.transfers(TRANSFERS);
    if (n === FEW || n === blocks) megabytes[n] = await sizes(on);
  }
  await on.close();
  on.remove();
  report({
    bench: "state-size",
    mode: "full",
    accounts,
    transfersPerBlock: TRANSFERS,
    megabytesAfterBlocks: megabytes,
  });
}

async function archive(): Promise<void> {
  const byHash = { bytes: 0, nodes: 0 };
  const plain = await grown({ accounts, settings: { archive: false } });
  const on = await grown({
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
    indexMegabytes: rounded(index / MEGABYTE),
    indexBytesPerChangedRow: rounded(index / changes),
    hashKeyedMegabytes: rounded(before / MEGABYTE),
    hashKeyedBytesPerChangedRow: rounded(before / changes),
    ratio: rounded(index / before),
  });
}

async function grown(terms: ConstructorParameters<typeof TransferState>[0]): Promise<TransferState> {
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
  };
}

await full();
await archive();
