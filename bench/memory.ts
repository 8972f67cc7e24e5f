/**
 * Measures the memory of a node with `--max-memory` under floods of heavy calls: one line of JSON for each flood with the highest
 * memory of its own (without pages of files) and the highest resident memory, the calls that were refused for want of
 * memory, and whether the node still answers. Ends with 1 when the limit was passed.
 *
 *   npm run build && node bench/memory.ts [--limit 512MB] [--blocks 100] [--seconds 10] [--only TEXT]
 */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request as post } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { toQuantity } from "../node/bytes/integer.ts";
import { byteSize } from "../node/options/kinds.ts";
import { freePort } from "../test/support/go-node.ts";
import { ask, request } from "./rpc/ask.ts";
import { madeChain } from "./rpc/made-chain.ts";
import { startNode } from "./rpc/running.ts";
import { dress } from "./rpc/wires.ts";
import { BUILT_MAIN, runBuilt } from "./support/built-knit.ts";
import { report } from "./support/figures.ts";

const { values } = parseArgs({
  options: {
    limit: { type: "string", default: "512MB" },
    blocks: { type: "string", default: "100" },
    seconds: { type: "string", default: "10" },
    only: { type: "string", default: "" },
  },
});
const limit = byteSize.parse(values.limit);
const height = Number(values.blocks);
const CONNECTIONS = 16;
/** Clients that send and never read. */
const SILENT = 64;
const SAMPLE_MS = 10;

const blocks = Array.from({ length: height }, (_, i) => toQuantity(i + 1));
const everything = { fromBlock: "0x1", toBlock: toQuantity(height) };
const fullBlocks = blocks.map((block) => request("eth_getBlockByNumber", [block, true]));
const logs = [request("eth_getLogs", [everything])];
const traces = blocks.map((block) => request("debug_traceBlockByNumber", [block, {}]));
const batches = [`[${fullBlocks.join(",")}]`];
const floods = { fullBlocks, logs, traces, batches, all: [...logs, ...traces, ...batches, ...fullBlocks] };

const scratch = await mkdtemp(join(tmpdir(), "knit-bench-memory-"));
try {
  const datadir = join(scratch, "data");
  const chain = await madeChain(height);
  await runBuilt("init", "--datadir", datadir, join(chain, "genesis.json"));
  await runBuilt("import", "--datadir", datadir, join(chain, "chain.rlp.gz"));
  await flood(datadir);
} finally {
  await rm(scratch, { recursive: true, force: true });
}

async function flood(datadir: string): Promise<void> {
  const [http, metrics] = [await freePort(), await freePort()];
  const args = [BUILT_MAIN, "run", "--type", "core", "--datadir", datadir, "--max-memory", `${limit}`]
    .concat(["--rpc", "--rpcport", `${http}`, "--rpcapi", "eth,debug", "--port", "0", "--nodiscover"])
    .concat(["--metrics", "--prometheus", "--prometheusport", `${metrics}`, "--verbosity", "2"]);
  const target = `http://127.0.0.1:${http}`;
  await using node = await startNode({ command: process.execPath, args, targets: { http: target } });
  let highest = 0;
  for (const [name, bodies] of Object.entries(floods)) {
    if (!name.includes(values.only)) continue;
    const watched = watch(node.pid);
    const silent = name === "all" ? silentClients(http, target) : [];
    const counts = await ask16(target, bodies);
    for (const socket of silent) socket.destroy();
    const peak = watched.stop();
    highest = Math.max(highest, peak.own);
    const refused = await refusedCalls(metrics);
    const head = await ask<string>(target, "eth_blockNumber", []);
    report({ bench: "memory", flood: name, limit, ...peak, ...counts, refused, head: Number(head) });
  }
  if (highest > limit) process.exitCode = 1;
}

/** Clients that ask one after the other as fast as they are answered, and connect again where they are dropped. */
async function ask16(target: string, bodies: readonly string[]) {
  const until = performance.now() + Number(values.seconds) * 1000;
  const agent = new Agent({ keepAlive: true });
  const counts = { answers: 0, megabytes: 0, dropped: 0 };
  let next = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < until) {
      const bytes = await bytesOfAnswer(agent, target, bodies[next++ % bodies.length] ?? "");
      if (bytes === undefined) counts.dropped++;
      else counts.answers++;
      counts.megabytes += (bytes ?? 0) / 1e6;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  agent.destroy();
  return { ...counts, megabytes: Math.round(counts.megabytes) };
}

function bytesOfAnswer(agent: Agent, target: string, body: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const sent = post(target, { method: "POST", agent, headers }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => (bytes += chunk.length));
      response.on("end", () => resolve(bytes));
      response.on("error", () => resolve(undefined));
    });
    sent.on("error", () => resolve(undefined));
    sent.end(body);
  });
}

/** Sockets that ask for long answers and take none of them. */
function silentClients(port: number, target: string) {
  return Array.from({ length: SILENT }, () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined); // the node may drop it
    socket.pause();
    for (const body of fullBlocks) socket.write(dress("http", target, body));
    return socket;
  });
}

/** Looks at a process's memory again and again. */
function watch(pid: number) {
  const peak = { own: 0, resident: 0 };
  const timer = setInterval(() => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const bytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024;
    peak.own = Math.max(peak.own, bytes("RssAnon"));
    peak.resident = Math.max(peak.resident, bytes("VmRSS"));
  }, SAMPLE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return peak;
    },
  };
}

async function refusedCalls(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics/own`)).text();
  const counts = text.matchAll(/^knit_rpc_calls_total\{.*outcome="no_memory"\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
