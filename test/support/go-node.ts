/** The Go node as a peer, when the machine has one: the path of its binary is in KNIT_PEER_KCN. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { cpuSeconds, peakMemory } from "../../bench/support/built-knit.ts";
import { readBlockFile } from "../../node/chain/block-file.ts";
import { freePorts } from "../../scripts/network/ports.ts";

/** Path of the Go core node; empty for none. */
export const GO_BINARY = process.env["KNIT_PEER_KCN"] ?? "";

/** True if this machine has a Go node to compare with. */
export const hasGoNode = GO_BINARY !== "";

/** Duration of an import and the peak memory of the process. */
export interface PeerImport {
  readonly seconds: number;
  readonly peakMiB: number | undefined;
}

/**
 * Measures `admin_importChain` of the folder's blocks in the Go node, its start not counted; undefined without a
 * binary. Block 0 is left out: the Go node does not take it. Its database is then below `directory`; `flags` are
 * further ones for it.
 */
export async function importWithGoNode(
  chain: string,
  directory: string,
  flags: readonly string[] = [],
): Promise<PeerImport | undefined> {
  await using go = await openGoImporter({ genesis: join(chain, "genesis.json"), directory, flags });
  if (go === undefined) return undefined;
  const seconds = await go.secondsOf(await blocksWithoutFirst(join(chain, "chain.rlp.gz")));
  return { seconds, peakMiB: go.peakMiB() };
}

/** Directory, ports and flags of a Go node. */
export interface GoNodeOptions {
  /** The path of a genesis file. */
  readonly genesis: string;
  readonly directory: string;
  readonly flags?: readonly string[];
}

/** A Go node that takes in blocks, until it is disposed of. */
export interface GoImporter extends AsyncDisposable {
  /** Seconds that it needs for some blocks that follow those before. */
  readonly secondsOf: (blocks: Uint8Array) => Promise<number>;
  readonly peakMiB: () => number | undefined;
  /** Address of its HTTP listener. */
  readonly url: string;
  /** Seconds of CPU time that it has had. */
  readonly cpuSeconds: () => number;
  /** The result of a method; throws what it answers as an error. */
  readonly ask: (method: string, ...params: unknown[]) => Promise<unknown>;
}

/** Starts a Go node with a fresh database; undefined without a binary. */
export async function openGoImporter(terms: GoNodeOptions): Promise<GoImporter | undefined> {
  const { genesis, directory } = terms;
  if (!hasGoNode) return undefined;
  await mkdir(directory, { recursive: true });
  initGoNode(genesis, join(directory, "data"));
  return startGoImporter(terms);
}

/** Writes block 0 into a data directory of a Go node. Throws when it refuses the genesis. */
export function initGoNode(genesis: string, datadir: string): void {
  const { status } = spawnSync(GO_BINARY, ["--datadir", datadir, "init", genesis], { stdio: "ignore" });
  if (status !== 0) throw new Error(`the Go node refused the genesis: ${status}`);
}

/** Starts a Go node on the database that is below the directory already. */
export async function startGoImporter({
  directory,
  flags = [],
}: Omit<GoNodeOptions, "genesis">): Promise<GoImporter> {
  const file = join(directory, "blocks.rlp");
  const datadir = join(directory, "data");
  const [port = 0, peers = 0] = await freePorts(2);
  const url = `http://127.0.0.1:${port}`;
  const node = spawn(GO_BINARY, [...goFlags(datadir, port, peers), ...flags], { stdio: "ignore" });
  while ((await answer(url, "eth_blockNumber", [])) === undefined) {
    if (node.exitCode !== null) throw new Error(`the Go node ended with ${node.exitCode}`);
    await new Promise((done) => setTimeout(done, 50));
  }
  return {
    secondsOf: async (blocks) => {
      await writeFile(file, blocks);
      const started = performance.now();
      if ((await answer(url, "admin_importChain", [file])) !== true)
        throw new Error("the Go node refused the chain");
      return (performance.now() - started) / 1000;
    },
    peakMiB: () => peakMemory(node.pid),
    url,
    cpuSeconds: () => cpuSeconds(node.pid),
    ask: (method, ...params) => answer(url, method, params),
    [Symbol.asyncDispose]: async () => {
      node.kill("SIGINT");
      await once(node, "exit");
    },
  };
}

function goFlags(datadir: string, port: number, peers: number): string[] {
  const network = [
    "--nodiscover",
    "--nat",
    "none",
    "--ntp.disable",
    "--networkid",
    "9001",
    "--port",
    String(peers),
  ];
  const rpc = [
    "--rpc",
    "--rpcaddr",
    "127.0.0.1",
    "--rpcport",
    String(port),
    "--rpcapi",
    "admin,debug,eth,klay",
  ];
  return [
    "--datadir",
    datadir,
    ...network,
    ...rpc,
    "--rpcvhosts",
    "*",
    "--rpcexecutiontimeout",
    "600",
    "--rpcwritetimeout",
    "600",
  ];
}

/** A file's blocks as the Go node takes them. */
export async function blocksWithoutFirst(path: string): Promise<Buffer> {
  const blocks: Uint8Array[] = [];
  for await (const { index, raw } of readBlockFile(path)) if (index > 0) blocks.push(raw);
  return Buffer.concat(blocks);
}

async function answer(url: string, method: string, params: unknown[]): Promise<unknown> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
    if (error !== undefined) throw new Error(error.message);
    return result;
  } catch (error) {
    if ((error as Error).message === "fetch failed") return undefined; // not listening yet
    throw error;
  }
}

/** A port that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
