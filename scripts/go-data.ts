/**
 * Records a data directory of a Go node for `test/vectors/go-data`: `KNIT_PEER_KCN=<path> node scripts/go-data.ts CHAIN
 * FILE [FLAG...]` has the node import a chain of `test/vectors/chains` and packs the databases that an import reads. The
 * node is stopped once before the newest block, so both of the newest states are stored. Kaia writes the state of the main
 * network's block 0 into each directory: its one large contract is deleted, which rewrites the files of its shard.
 */
import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { readBlockFile } from "../node/chain/block-file.ts";
import { codeKey } from "../node/go-data/keys.ts";
import { compactLevel, openLevelStore } from "../node/store/level-store.ts";
import { openGoImporter } from "../test/support/go-node.ts";

/** Databases that an import does not read. */
const UNREAD = ["snapshot", "bridgeservice", "txlookup"];
/** First byte of all keys of code, whose lowest bits choose the shard. */
const CODE_BYTE = 0x63;
/** Bytes of code that no contract of a recorded chain has. */
const LARGE_CODE = 100_000;

const [chain, file, ...flags] = process.argv.slice(2);
if (chain === undefined || file === undefined) throw new Error("give the name of a chain and a file");
const folder = join("test", "vectors", "chains", chain);
const directory = await mkdtemp(join(tmpdir(), "knit-go-data-"));
const blocks: Uint8Array[] = [];
for await (const { index, raw } of readBlockFile(join(folder, "chain.rlp.gz")))
  if (index > 0) blocks.push(Uint8Array.from(raw));
for (const part of [blocks.slice(0, -1), blocks.slice(-1)]) {
  await using go = await openGoImporter({ genesis: join(folder, "genesis.json"), directory, flags });
  if (go === undefined) throw new Error("KNIT_PEER_KCN names no Go node");
  await go.secondsOf(Buffer.concat(part));
}
const chaindata = join(directory, "data", "klay", "chaindata");
const shards = globSync(join(chaindata, "statetrie", "**", "CURRENT")).map(dirname);
const ofCode = shards.toSorted()[CODE_BYTE & (shards.length - 1)];
if (ofCode !== undefined) await deleteLargeCode(ofCode);
const left = [...UNREAD.map((name) => `chaindata/${name}`), "LOG*"].map((name) => `--exclude=${name}`);
const owner = ["--sort=name", "--owner=root", "--group=root", "--numeric-owner"];
execFileSync("tar", [...left, ...owner, "-czf", resolve(file), "chaindata"], { cwd: dirname(chaindata) });
await rm(directory, { recursive: true });

async function deleteLargeCode(database: string): Promise<void> {
  await using store = await openLevelStore(database, { checksums: false });
  const deletions = store.createBatch();
  const range = { from: codeKey(new Uint8Array(32)), to: codeKey(new Uint8Array(32).fill(255)) };
  for await (const [key, code] of store.entries(range)) if (code.length > LARGE_CODE) deletions.delete(key);
  if (deletions.bytes === 0) return;
  await store.write(deletions, { sync: true });
  await store[Symbol.asyncDispose]();
  await compactLevel(database);
}
