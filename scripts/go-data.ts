/**
 * Records a data directory of a Go node for `test/vectors/go-data`: `KNIT_PEER_KCN=<path> node scripts/go-data.ts CHAIN
 * FILE [FLAG...]` has the node import a chain of `test/vectors/chains` and packs the databases that an import reads. The
 * node is stopped once before the newest block, so both of the newest states are stored.
 */
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readBlockFile } from "../node/chain/block-file.ts";
import { openGoImporter } from "../test/support/go-node.ts";

/** Databases that an import does not read. */
const UNREAD = ["snapshot", "bridgeservice", "txlookup"];

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
const left = UNREAD.map((name) => `--exclude=chaindata/${name}`);
const owner = ["--sort=name", "--owner=root", "--group=root", "--numeric-owner"];
execFileSync("tar", [...left, ...owner, "-czf", resolve(file), "chaindata"], {
  cwd: join(directory, "data", "klay"),
  env: { ...process.env, GZIP: "-9" },
});
await rm(directory, { recursive: true });
