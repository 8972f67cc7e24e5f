/** Fixtures of the state tests: states over stores in memory and on disk, rows, random changes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMPT } from "@ethereumjs/mpt";
import { MapDB, ValueEncoding } from "@ethereumjs/util";
import { toHex } from "../../../node/bytes/hex.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { type Account, encodeAccount } from "../../../node/model/account.ts";
import { openState, type StateOptions } from "../../../node/state/open-state.ts";
import type { State } from "../../../node/state/state.ts";
import { memoryTries, type TrieStores, trieDirectories } from "../../../node/state/trie/generations.ts";
import type { World } from "../../../node/state/world/world.ts";
import { openLevelStore } from "../../../node/store/level-store.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import type { Range, Row, Store, StoreReader } from "../../../node/store/store.ts";
import { trieTables } from "../../../node/store/tables.ts";

/** A state with the chain database below it, closed together. */
export interface Opened extends AsyncDisposable {
  readonly chain: Store;
  readonly state: State;
}

/** The same with access to the trie database, as a reader thread has it. */
export interface OpenedWithTries extends Opened {
  readonly openTrie: (generation: number) => Promise<StoreReader>;
}

type Settings = Omit<StateOptions, "chain" | "trie"> & Partial<Pick<StateOptions, "trie">>;

/** An address of 20 equal bytes. */
export const anAddress = (n: number): Uint8Array => new Uint8Array(20).fill(n);

/** A slot key or value that ends in these bytes. */
export const aWord = (...bytes: number[]): Uint8Array => {
  const word = new Uint8Array(32);
  word.set(bytes, 32 - bytes.length);
  return word;
};

/** Bytes without leading zeros. */
export const trimZeros = (bytes: Uint8Array): Uint8Array =>
  bytes.subarray(bytes.findIndex((byte) => byte !== 0));

/** A trie store that outlives its state, as a directory would. */
export function keptTries(): TrieStores {
  const stores = new Map<number, Store>();
  return {
    open: async (generation) => {
      const store = stores.get(generation) ?? createMemoryStore();
      stores.set(generation, store);
      return { ...bound(store), damage: undefined, [Symbol.asyncDispose]: () => Promise.resolve() };
    },
    remove: async (generation) => void stores.delete(generation),
    space: async () => ({ used: 0, free: Number.POSITIVE_INFINITY }),
  };
}

/** A store whose writes stop arriving: the first `writes` are let through. */
export function failingAfter(store: Store, left: { writes: number }): Store {
  return {
    ...bound(store),
    write: (batch, options) =>
      left.writes-- > 0 ? store.write(batch, options) : Promise.reject(new Error("power is gone")),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** A store's own methods, for stores that do but one thing otherwise; closing is theirs. */
export function bound(store: Store): Omit<Store, typeof Symbol.asyncDispose> {
  return {
    damage: undefined,
    dismissDamage: () => store.dismissDamage(),
    property: (name) => store.property(name),
    bytesIn: (range) => store.bytesIn(range),
    compact: () => store.compact(),
    get: (key) => store.get(key),
    createBatch: () => store.createBatch(),
    write: (batch, options) => store.write(batch, options),
    entries: (range) => store.entries(range),
    snapshot: () => store.snapshot(),
  };
}

export async function openInMemory(settings: Settings = {}): Promise<Opened> {
  const chain = createMemoryStore();
  return closeTogether(chain, await openState({ chain, trie: memoryTries(), gatherBytes: 1, ...settings }));
}

/** Opens the databases below a directory as the node does. */
export async function openOnDisk(directory: string, settings: Settings = {}): Promise<Opened> {
  const chain = await openLevelStore(join(directory, "chain"));
  try {
    return closeTogether(
      chain,
      await openState({
        chain,
        trie: trieDirectories(join(directory, "trie")),
        patienceMs: 60_000,
        gatherBytes: 1,
        ...settings,
      }),
    );
  } catch (error) {
    await chain[Symbol.asyncDispose]();
    throw error;
  }
}

export function closeTogether(chain: Store, state: State): Opened {
  return {
    chain,
    state,
    [Symbol.asyncDispose]: async () => {
      await state[Symbol.asyncDispose]();
      await chain[Symbol.asyncDispose]();
    },
  };
}

/** Makes the next block: durable when this resolves. */
export async function makeBlock(
  { chain, state }: Pick<Opened, "chain" | "state">,
  change: (world: World) => void,
): Promise<Uint8Array> {
  const world = state.begin();
  change(world);
  const number = state.number + 1;
  const sealed = state.seal(world, { keepEmpty: number === 0 });
  const batch = chain.createBatch();
  sealed.commit(number, batch);
  await state.prepareFlush();
  await chain.write(batch, { sync: true });
  state.markPersisted(number);
  await state.flushIfDue();
  return sealed.root;
}

/** The root of accounts by an independent trie. */
export async function oracleRoot(accounts: Iterable<readonly [Uint8Array, Account]>): Promise<string> {
  const rows = Array.from(
    accounts,
    ([address, account]) => [keccak256(address), encodeAccount(account)] as const,
  );
  return oracleTrieRoot(rows);
}

/** The root of hashed keys and values by an independent trie. */
export async function oracleTrieRoot(rows: Iterable<readonly [Uint8Array, Uint8Array]>): Promise<string> {
  const trie = await createMPT({ db: new MapDB(), valueEncoding: ValueEncoding.Bytes });
  for (const [key, value] of rows) await trie.put(key, value);
  return toHex(trie.root());
}

/** A directory that is gone when the test ends. */
export function aTemporaryDirectory(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "knit-state-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Number of rows of a store in a range. */
export async function rowsIn(store: Store, range: Range): Promise<number> {
  let rows = 0;
  for await (const _ of store.entries(range)) rows++;
  return rows;
}

/** All rows of tries. */
export async function trieRowsOf(store: Pick<Store, "entries">): Promise<Row[]> {
  const rows: Row[] = [];
  for (const table of [trieTables.accountNode, trieTables.storageNode]) {
    for await (const row of store.entries(table.range())) rows.push(row);
  }
  return rows;
}
