/**
 * Nodes among nodes, as processes on loopback. Prints one JSON line a figure.
 *
 *   npm run build && node bench/network.ts [sync] [propagation] [consensus] [--chain DIRECTORY] [--validators 4,22]
 *
 * `sync`: a fresh endpoint takes a chain of 50,000 transfers (or the genesis.json and chain.rlp.gz of a directory) from
 * one proxy; with the path of a Go node's binary in KNIT_PEER_KCN that one takes it from the same proxy afterwards.
 * Times are from the first block to the last, because a Go node waits up to ten seconds before it begins.
 * `propagation`: how long a block takes to each node of eight (a core node, three proxies, four endpoints), and what
 * such a node needs of the processor. `consensus`: how long after its second a block is there, of 4 and 22 core nodes or
 * so many as are named, of ours and of the Go node where there is one.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchConsensus, benchPropagation } from "./support/network-mesh.ts";
import { benchSync } from "./support/network-sync.ts";

interface BenchOptions {
  readonly scratch: string;
  readonly chain: string | undefined;
  readonly validators: readonly number[];
}

const BENCHES: Readonly<Record<string, (terms: BenchOptions) => Promise<void>>> = {
  sync: benchSync,
  propagation: benchPropagation,
  consensus: benchConsensus,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { chain: { type: "string" }, validators: { type: "string", default: "4,22" } },
});
const scratch = await mkdtemp(join(tmpdir(), "knit-bench-network-"));
try {
  for (const name of positionals.length > 0 ? positionals : Object.keys(BENCHES)) {
    const bench = BENCHES[name];
    if (bench === undefined)
      throw new RangeError(`no bench ${name}: there are ${Object.keys(BENCHES).join(", ")}`);
    await bench({ scratch, chain: values.chain, validators: values.validators.split(",").map(Number) });
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}
