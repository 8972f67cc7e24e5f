/**
 * JSON-RPC of Knit against the Go node and against development chains: single calls, batches, WebSocket, IPC, long
 * blocks, transfers through RPC, start-up, memory. One load tool for all, in rounds that go through the nodes forth
 * and back. Every row is one line of JSON with each node's median and `ratios` that say how many times better the
 * first node is; a node that has no figure says why.
 *
 *   npm run build && node bench/rpc.ts [--install] [--targets knit,anvil] [--rows eth_call,transfers] [--seconds N]
 *
 * KNIT_PEER_KCN is the path of a Go node. Anvil, Ganache and Hardhat are taken from `--peers DIRECTORY`, by default a
 * cache outside the checkout, where `--install` puts them. `--runs N` rounds, `--blocks N` of the chain that Knit and
 * the Go node import, `--transfers N` sent in a row, `--list` tells the rows.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startLoadTool } from "./rpc/load.ts";
import { madeChain } from "./rpc/made-chain.ts";
import { type NodesOptions, openNodes, type ReadyNode } from "./rpc/nodes.ts";
import { peerPlace } from "./rpc/peers.ts";
import { type Figure, type Row, rows, type Subject } from "./rpc/rows.ts";
import { Table } from "./rpc/table.ts";
import { targets } from "./rpc/targets.ts";

const { values } = parseArgs({
  options: {
    install: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    peers: { type: "string" },
    targets: { type: "string" },
    rows: { type: "string" },
    seconds: { type: "string", default: "3" },
    runs: { type: "string", default: "3" },
    blocks: { type: "string", default: "1000" },
    transfers: { type: "string", default: "20000" },
  },
});

if (values.list)
  for (const { name, isLong } of rows) console.log(isLong ? `${name} (only when named)` : name);
else await measureAll();

async function measureAll(): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "knit-bench-rpc-"));
  try {
    const height = Number(values.blocks);
    const peers = await peerPlace(values.peers, values.install);
    const workshop = { scratch, peers, chain: await madeChain(height) };
    await measureIn({ workshop, height, runs: Number(values.runs), table: new Table() });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function measureIn(options: NodesOptions): Promise<void> {
  await using nodes = await openNodes(choose(targets, values.targets), options);
  using load = startLoadTool();
  const terms = { load, measureMs: Number(values.seconds) * 1000, transfers: Number(values.transfers) };
  const wanted = values.rows === undefined ? rows.filter(({ isLong }) => !isLong) : choose(rows, values.rows);
  const measured = { ...options, nodes: nodes.open, terms };
  await inRounds(
    wanted.filter(({ sends }) => !sends),
    measured,
  );
  await inRounds(
    wanted.filter(({ sends }) => sends),
    measured,
  );
  nodes.noteMemory();
}

interface Measured extends Pick<NodesOptions, "runs" | "table"> {
  readonly nodes: readonly ReadyNode[];
  readonly terms: Omit<Subject, "node" | "contents">;
}

/** All rows in every round, the nodes forth and then back. */
async function inRounds(chosenRows: readonly Row[], { runs, table, nodes, terms }: Measured): Promise<void> {
  for (let run = 0; run < runs; run++) {
    const turn = run % 2 === 0 ? nodes : nodes.toReversed();
    for (const row of run === 0 ? chosenRows : chosenRows.filter(({ isLong }) => !isLong)) {
      for (const ready of turn) table.add(row, ready.name, await figureOf(row, { ...ready, ...terms }));
      if (run === runs - 1 || row.isLong) table.print(row);
    }
  }
}

/** Returns the figure of a row, or the reason why the node has none. */
function figureOf(row: Row, subject: Subject): Promise<Figure | string> {
  return row.measure(subject).catch((error: unknown) => (error as Error).message);
}

/** Those that are named, or all. Throws for a name that there is not. */
function choose<T extends { readonly name: string }>(
  all: readonly T[],
  names: string | undefined,
): readonly T[] {
  if (names === undefined) return all;
  return names.split(",").map((name) => {
    const found = all.find((row) => row.name === name);
    if (found === undefined) throw new Error(`${name} is none of ${all.map((row) => row.name).join(", ")}`);
    return found;
  });
}
