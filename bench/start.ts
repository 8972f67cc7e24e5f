/**
 * Start-up and idle memory of a node: milliseconds from starting the process to its first answer, on an empty
 * development chain and on a chain of 50,000 transfers whose node was killed with 15 blocks not yet in its trie;
 * resident memory after half a minute without a request.
 *
 *   npm run build && node bench/start.ts [--runs N]
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "../test/support/go-node.ts";
import { makeTransferChain } from "../test/support/transfer-chain.ts";
import { residentMemory, runBuilt, spawnBuilt } from "./support/built-knit.ts";
import { median, report, roundTo } from "./support/figures.ts";

const IDLE_S = 30;
const { values } = parseArgs({ options: { runs: { type: "string", default: "5" } } });
const runs = Number(values.runs);
const scratch = await mkdtemp(join(tmpdir(), "knit-bench-start-"));
try {
  await measure("empty development chain", (port) => [
    "dev",
    "--rpcport",
    port,
    "--wsport",
    "0",
    "--prometheusport",
    "0",
  ]);
  const datadir = join(scratch, "data");
  await loadedChain(datadir);
  await measure("50,000 transfers between 20,000 accounts", (port) => [
    "run",
    "--type",
    "endpoint",
    "--datadir",
    datadir,
    "--rpc",
    "--rpcport",
    port,
    "--rpcapi",
    "eth",
  ]);
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/** A chain whose flat state is ahead of its trie, as after a kill. */
async function loadedChain(datadir: string): Promise<void> {
  const chain = join(scratch, "chain");
  await makeTransferChain(chain, { accounts: 20_000, blocks: 111, transfers: 450 });
  await runBuilt("init", "--datadir", datadir, join(chain, "genesis.json"));
  await runBuilt("import", "--datadir", datadir, join(chain, "chain.rlp.gz"));
}

async function measure(chain: string, args: (port: string) => string[]): Promise<void> {
  const times: number[] = [];
  let idleMiB: number | undefined;
  for (let run = 0; run < runs; run++) {
    const port = await freePort();
    const started = performance.now();
    const node = spawnBuilt(args(String(port)));
    node.stdout?.resume();
    while (!(await answers(port))) await new Promise((resolve) => setTimeout(resolve, 2));
    times.push(performance.now() - started);
    if (run === runs - 1) {
      await new Promise((resolve) => setTimeout(resolve, IDLE_S * 1000));
      idleMiB = residentMemory(node.pid);
    }
    node.kill("SIGKILL");
    await once(node, "exit");
  }
  report({ bench: "start", chain, runs, firstAnswerMs: roundTo(median(times)), idleMiB });
}

async function answers(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
    });
    return (await response.json()) !== undefined;
  } catch {
    return false;
  }
}
