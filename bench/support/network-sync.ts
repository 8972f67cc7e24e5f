/** A fresh node takes a chain from one peer: how fast, and with how much processor time. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { ask } from "../../scripts/network/rpc.ts";
import { freePort } from "../../test/support/go-node.ts";
import { makeTransferChain } from "../../test/support/transfer-chain.ts";
import { cpuSeconds, peakMemory, runBuilt, spawnBuilt } from "./built-knit.ts";
import { report, roundTo } from "./figures.ts";

const KCN = process.env["KNIT_PEER_KCN"];
const ASK_MS = 20;

/** Working directory and chain of the bench. */
export interface SyncOptions {
  readonly scratch: string;
  /** A directory with genesis.json and chain.rlp.gz; one of transfers is made when undefined. */
  readonly chain: string | undefined;
}

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
}

/** Measures our node, and the Go node where there is one. */
export async function benchSync({ scratch, chain = join(scratch, "chain") }: SyncOptions): Promise<void> {
  if (chain.startsWith(scratch))
    await makeTransferChain(chain, { accounts: 20_000, blocks: 111, transfers: 450 });
  const home = join(scratch, "source");
  await runBuilt("init", "--datadir", home, join(chain, "genesis.json"));
  await runBuilt("import", "--datadir", home, join(chain, "chain.rlp.gz"));
  const source = await startKnit("proxy", home);
  const late = join(scratch, "late");
  await runBuilt("init", "--datadir", late, join(chain, "genesis.json"));
  await measure("knit", source, await startKnit("endpoint", late));
  if (KCN !== undefined) {
    const go = join(scratch, "go");
    spawnSync(KCN, ["--datadir", go, "init", join(chain, "genesis.json")], { stdio: "ignore" });
    const networkId = String(await ask(source.url, "net_networkID", []));
    await measure("Go node", source, await startGo(KCN, go, networkId));
  }
  await end(source);
}

async function startKnit(type: string, home: string): Promise<Running> {
  const port = await freePort();
  const peers = ["--port", String(await freePort()), "--nodiscover", "--netrestrict", "127.0.0.0/8"];
  const rpc = ["--rpc", "--rpcport", String(port), "--rpcapi", "admin,eth,net"];
  const child = spawnBuilt(["run", "--type", type, "--datadir", home, ...peers, ...rpc]);
  child.stdout?.resume();
  return answering({ child, url: `http://127.0.0.1:${port}` });
}

async function startGo(binary: string, home: string, networkId: string): Promise<Running> {
  const port = await freePort();
  const peers = ["--port", String(await freePort()), "--nodiscover", "--nat", "none", "--ntp.disable"];
  const rpc = ["--rpc", "--rpcaddr", "127.0.0.1", "--rpcport", String(port), "--rpcapi", "admin,eth,net"];
  const child = spawn(binary, ["--datadir", home, "--networkid", networkId, ...peers, ...rpc], {
    stdio: "ignore",
  });
  return answering({ child, url: `http://127.0.0.1:${port}` });
}

async function answering(node: Running): Promise<Running> {
  while ((await heightOf(node)) === undefined) {
    if (node.child.exitCode !== null) throw new Error(`a node ended with ${node.child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
  }
  return node;
}

function heightOf({ url }: Running): Promise<number | undefined> {
  return ask(url, "eth_blockNumber", []).then(Number, () => undefined);
}

async function end({ child }: Running): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}

async function measure(program: string, source: Running, late: Running): Promise<void> {
  const most = (await heightOf(source)) ?? 0;
  const { kni } = (await ask(source.url, "admin_nodeInfo", [])) as { kni: string };
  const asked = performance.now();
  await ask(late.url, "admin_addPeer", [kni.replace("[::]", "127.0.0.1")]);
  let first: { readonly at: number; readonly number: number } | undefined;
  for (let number = 0; number < most; number = (await heightOf(late)) ?? number) {
    if (number > 0) first ??= { at: performance.now(), number };
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
  }
  const seconds = (performance.now() - (first?.at ?? asked)) / 1000;
  const blocks = most - (first?.number ?? 0);
  const transactions = await transactionsAfter(source, first?.number ?? 0, most);
  report({
    bench: "sync",
    program,
    blocks,
    transactions,
    seconds: roundTo(seconds),
    sinceAskedSeconds: roundTo((performance.now() - asked) / 1000),
    blocksPerSecond: roundTo(blocks / seconds),
    transactionsPerSecond: roundTo(transactions / seconds),
    cpuSeconds: roundTo(cpuSeconds(late.child.pid)),
    sourceCpuSeconds: roundTo(cpuSeconds(source.child.pid)),
    peakMiB: peakMemory(late.child.pid),
  });
  await end(late);
}

async function transactionsAfter({ url }: Running, first: number, last: number): Promise<number> {
  let count = 0;
  for (let number = first + 1; number <= last; number++)
    count += Number(await ask(url, "eth_getBlockTransactionCountByNumber", [`0x${number.toString(16)}`]));
  return count;
}
