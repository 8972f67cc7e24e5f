/**
 * A state migration of whole nodes, Knit and, where KNIT_PEER_KCN is its path, the Go node: the same genesis, a block
 * a second, then `admin_startStateMigration`. A line of JSON a node: nodes copied a second from being asked to the end,
 * how late blocks were (milliseconds from their time to being seen, by asking every 10 ms), the longest time between
 * two blocks, peak memory before and after.
 *
 *   npm run build && KNIT_PEER_KCN=<path of kcn> node bench/migration-nodes.ts [--accounts N] [--contracts N]
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { freePort } from "../test/support/go-node.ts";
import { largeGenesis, makerFlags, SLOTS } from "../test/support/large-genesis.ts";
import { ask } from "./rpc/ask.ts";
import { startNode } from "./rpc/running.ts";
import { BUILT_MAIN, peakMemory, runBuilt } from "./support/built-knit.ts";
import { report } from "./support/figures.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "200000" },
    contracts: { type: "string", default: "500" },
  },
});
const BEFORE_MS = 20_000;
const LOOK_MS = 10;
/** A node that was just asked may not say yet that it migrates. */
const MIN_MS = 2_000;
const MAX_MS = 600_000;
const PEER = process.env["KNIT_PEER_KCN"];

const scratch = await mkdtemp(join(tmpdir(), "knit-bench-migration-"));
try {
  const genesis = join(scratch, "genesis.json");
  await writeFile(genesis, largeGenesis(Number(values.accounts), Number(values.contracts)));
  const knit = join(scratch, "knit");
  await runBuilt("init", "--datadir", knit, genesis);
  await measure("knit", process.execPath, [BUILT_MAIN, "run", "--type", "core", ...(await flagsOf(knit))]);
  if (PEER !== undefined) {
    const go = join(scratch, "go");
    spawnSync(PEER, ["--datadir", go, "init", genesis], { stdio: "ignore" });
    await measure("go", PEER, [
      ...(await flagsOf(go)),
      "--nat",
      "none",
      "--ntp.disable",
      "--networkid",
      "9001",
    ]);
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/** Flags of both nodes; the HTTP port comes first. */
async function flagsOf(datadir: string): Promise<string[]> {
  const [http, peers] = [await freePort(), await freePort()];
  const rpc = ["--rpcport", `${http}`, "--rpc", "--rpcaddr", "127.0.0.1", "--rpcapi", "eth,admin"];
  return [
    ...rpc,
    ...makerFlags,
    "--datadir",
    datadir,
    "--port",
    `${peers}`,
    "--nodiscover",
    "--verbosity",
    "1",
  ];
}

interface Status {
  readonly isMigration: boolean;
  readonly committed: number;
  readonly err: string | null;
}

async function measure(name: string, command: string, args: readonly string[]): Promise<void> {
  const http = `http://127.0.0.1:${args[args.indexOf("--rpcport") + 1]}`;
  await using node = await startNode({ command, args, targets: { http }, patienceMs: MAX_MS });
  const since = performance.now();
  const before = await blocksWhile(http, async () => performance.now() - since < BEFORE_MS);
  const memoryBefore = peakMemory(node.pid);
  await ask(http, "admin_startStateMigration", []);
  const started = performance.now();
  const meanwhile = await blocksWhile(http, async () => {
    const ms = performance.now() - started;
    return ms < MIN_MS || (ms < MAX_MS && (await status(http)).isMigration);
  });
  const seconds = (performance.now() - started) / 1000;
  const { committed, err } = await status(http);
  report({
    bench: "migration-nodes",
    name,
    accounts: Number(values.accounts),
    slots: Number(values.contracts) * SLOTS,
    nodes: committed,
    seconds: Math.round(seconds),
    nodesPerSecond: Math.round(committed / seconds),
    before,
    meanwhile,
    peakMiB: [memoryBefore, peakMemory(node.pid)],
    err,
  });
}

function status(http: string): Promise<Status> {
  return ask<Status>(http, "admin_stateMigrationStatus", []);
}

/** Measures the delays of blocks while `wanted` returns true. */
async function blocksWhile(http: string, wanted: () => Promise<boolean>): Promise<object> {
  const late: number[] = [];
  const times: number[] = [];
  let newest: string | undefined;
  for (; await wanted(); await setTimeout(LOOK_MS)) {
    const block = await ask<{ number: string; timestamp: string }>(http, "eth_getBlockByNumber", [
      "latest",
      false,
    ]);
    if (newest !== undefined && block.number !== newest) {
      times.push(Number(block.timestamp));
      late.push(Date.now() - Number(block.timestamp) * 1000);
    }
    newest = block.number;
  }
  const sorted = late.toSorted((a, b) => a - b);
  const at = (part: number): number | undefined => sorted[Math.ceil(part * sorted.length) - 1];
  const gaps = times.map((time, i) => time - (times[i - 1] ?? time));
  return { blocks: late.length, p50: at(0.5), p99: at(0.99), longestSeconds: Math.max(0, ...gaps) };
}
