/** Nodes as processes that know a boot node alone. */
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type KnitProcess, runKnit, startKnit } from "../support/knit-process.ts";
import { call, until } from "../support/rpc-client.ts";
import { makeTransferChain } from "../support/transfer-chain.ts";

let directory: string;
const running: KnitProcess[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-discovery-"));
  await makeTransferChain(directory, { accounts: 1, blocks: 1, transfers: 0 });
  await runKnit("init", "--datadir", join(directory, "empty"), join(directory, "genesis.json"));
});
afterAll(async () => {
  await Promise.all(running.map((knit) => knit.stop()));
  await rm(directory, { recursive: true, force: true });
});

function begin(...args: string[]): KnitProcess {
  const knit = startKnit(...args);
  running.push(knit);
  return knit;
}

/** Starts a node and returns the address of its RPC. */
async function aNode(name: string, type: string, bootNode: string): Promise<string> {
  const datadir = join(directory, name);
  await cp(join(directory, "empty"), datadir, { recursive: true });
  const rpc = ["--rpc", "--rpcport", "0", "--rpcapi", "admin,net"];
  const network = ["--port", "0", "--netrestrict", "127.0.0.0/8", "--bootnodes", bootNode];
  const knit = begin("run", "--type", type, "--datadir", datadir, ...network, ...rpc);
  return (await knit.waitFor(/(http:\/\/127\.0\.0\.1:\d+)/))[1] ?? "";
}

function peersOf(url: string, counts: object): Promise<true> {
  return until(async () => {
    const found = await call(url, "net_peerCountByType");
    return JSON.stringify(found, Object.keys(counts)) === JSON.stringify(counts) ? true : undefined;
  });
}

test("a proxy and two endpoints find each other", async () => {
  const key = "5b".repeat(32);
  const boot = begin("bootnode", "--nodekeyhex", key, "--bnaddr", "127.0.0.1:0", "--networkid", "9001");
  const [bootNode = ""] = await boot.waitFor(/kni:\/\/[0-9a-f]{128}@127\.0\.0\.1:\d+\?ntype=bn/);
  const [proxy, first, second] = await Promise.all([
    aNode("proxy", "proxy", bootNode),
    aNode("first", "endpoint", bootNode),
    aNode("second", "endpoint", bootNode),
  ]);
  await Promise.all([
    peersOf(proxy, { total: 2, en: 2 }),
    peersOf(first, { total: 2, en: 1, pn: 1 }),
    peersOf(second, { total: 2, en: 1, pn: 1 }),
  ]);
  const { kni, ports } = (await call(proxy, "admin_nodeInfo")) as {
    kni: string;
    ports: { discovery: number; listener: number };
  };
  expect(kni).toContain(`discport=${ports.discovery}&ntype=pn`);
  expect(await boot.stop()).toBe(0);
}, 120_000);
