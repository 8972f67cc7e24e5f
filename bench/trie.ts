/**
 * Puts, root hashes and gets of a trie per second, ours and @ethereumjs/mpt's, on the same random keys and values as
 * large as accounts. `node bench/trie.ts [keys]`
 */
import { createMPT } from "@ethereumjs/mpt";
import { MapDB, ValueEncoding } from "@ethereumjs/util";
import { equalBytes } from "../node/bytes/compare.ts";
import { fixedBytes } from "../node/bytes/integer.ts";
import { keccak256 } from "../node/crypto/keccak.ts";
import { NodeSource } from "../node/state/trie/node-source.ts";
import { Slab } from "../node/state/trie/slab.ts";
import { Trie } from "../node/state/trie/trie.ts";
import { createMemoryStore } from "../node/store/memory-store.ts";
import { report, roundTo } from "./support/figures.ts";

const [count = 20_000] = process.argv.slice(2).map(Number);
/** Changes between two roots, as a block has them. */
const BLOCK = 1_000;
const SLAB_BYTES = 32 * 1024 * 1024;

const keys = Array.from({ length: count }, (_, i) => keccak256(fixedBytes(i, 4)));
const values = keys.map((key, i) => Uint8Array.from([...key, ...fixedBytes(i, 8)]));

interface Speed {
  readonly putsPerSecond: number;
  readonly getsPerSecond: number;
  readonly root: Uint8Array;
}

async function ours(): Promise<Speed> {
  const store = createMemoryStore();
  const prefix = Uint8Array.of(65);
  const trie = new Trie(new NodeSource(store, prefix, new Slab(SLAB_BYTES)));
  const putting = performance.now();
  for (let i = 0; i < count; i++) {
    trie.put(keys[i] as Uint8Array, values[i] as Uint8Array); // both have `count`
    if (i % BLOCK !== BLOCK - 1) continue;
    const batch = store.createBatch();
    trie.flush(batch);
    await store.write(batch, { sync: false });
  }
  const root = trie.hash();
  const getting = performance.now();
  for (let i = 0; i < count; i++) {
    if (trie.get(keys[i] as Uint8Array) === undefined) throw new Error("a key is missing");
  }
  return { ...perSecond(putting, getting), root };
}

async function oracle(): Promise<Speed> {
  const trie = await createMPT({ db: new MapDB(), valueEncoding: ValueEncoding.Bytes });
  const putting = performance.now();
  for (let i = 0; i < count; i++) await trie.put(keys[i] as Uint8Array, values[i] as Uint8Array);
  const root = trie.root();
  const getting = performance.now();
  for (let i = 0; i < count; i++) {
    if ((await trie.get(keys[i] as Uint8Array)) === null) throw new Error("a key is missing");
  }
  return { ...perSecond(putting, getting), root };
}

function perSecond(putting: number, getting: number): Omit<Speed, "root"> {
  return { putsPerSecond: rate(getting - putting), getsPerSecond: rate(performance.now() - getting) };
}

function rate(ms: number): number {
  return Math.round((count * 1000) / ms);
}

await ours(); // warm
const mine = await ours();
const theirs = await oracle();
if (!equalBytes(mine.root, theirs.root)) throw new Error("the roots differ");
report({
  bench: "trie",
  keys: count,
  putsPerSecond: mine.putsPerSecond,
  getsPerSecond: mine.getsPerSecond,
  oraclePutsPerSecond: theirs.putsPerSecond,
  oracleGetsPerSecond: theirs.getsPerSecond,
  putRatio: roundTo(mine.putsPerSecond / theirs.putsPerSecond),
  getRatio: roundTo(mine.getsPerSecond / theirs.getsPerSecond),
});
