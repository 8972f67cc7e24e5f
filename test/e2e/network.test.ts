/** Nodes as processes: endpoint to proxy to core on loopback, one killed, one removed, one late. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { Wallet } from "ethers";
import { bareHex, fromBareHex } from "../../node/bytes/hex.ts";
import { nodeKeyOf } from "../../node/p2p/node-key.ts";
import { freePort } from "../support/go-node.ts";
import { type KnitProcess, runKnit, startKnit } from "../support/knit-process.ts";
import { openRelays } from "../support/relay.ts";
import { call, until } from "../support/rpc-client.ts";
import { makeTransferChain, senderKey, VALIDATOR_KEY } from "../support/transfer-chain.ts";

/** Blocks that a late node has to catch up with. */
const LATE_BLOCKS = Number(process.env["KNIT_LATE_BLOCKS"] ?? 220);
/** Enough for a peer to be met, and not for its headers. */
const SILENT_AFTER_BYTES = 6_000;
const UNIT_PRICE = 25_000_000_000n;

interface TestNode {
  readonly knit: KnitProcess;
  readonly url: string;
  /** With this machine's address in place of all interfaces. */
  readonly kni: string;
}

type NodeType = "core" | "proxy" | "endpoint";

let directory: string;
const running = new Set<KnitProcess>();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-network-"));
});
afterEach(async () => {
  await Promise.all([...running].map((knit) => knit.stop()));
  running.clear();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function init(name: string, chain: string): Promise<string> {
  const datadir = join(directory, name);
  expect(await runKnit("init", "--datadir", datadir, join(chain, "genesis.json"))).toMatchObject({ code: 0 });
  return datadir;
}

async function start(type: NodeType, datadir: string, ...flags: string[]): Promise<TestNode> {
  const key = type === "core" ? ["--nodekeyhex", bareHex(VALIDATOR_KEY)] : [];
  const rpc = ["--rpc", "--rpcport", "0", "--rpcapi", "admin,eth,klay,net"];
  const port = flags.includes("--port") ? [] : ["--port", "0"];
  const knit = startKnit("run", "--type", type, "--datadir", datadir, ...port, ...rpc, ...key, ...flags);
  running.add(knit);
  const url = (await knit.waitFor(/(http:\/\/127\.0\.0\.1:\d+)/))[1] ?? "";
  const { kni } = (await call(url, "admin_nodeInfo")) as { kni: string };
  return { knit, url, kni: kni.replace("[::]", "127.0.0.1") };
}

async function end({ knit }: TestNode, signal: NodeJS.Signals): Promise<void> {
  running.delete(knit);
  await knit.stop(signal);
}

const height = async ({ url }: TestNode): Promise<number> => Number(await call(url, "eth_blockNumber"));

const newest = ({ url }: TestNode): Promise<unknown> => call(url, "eth_getBlockByNumber", "latest", false);

function peersOf({ url }: TestNode, count: number): Promise<true> {
  return until(async () => (Number(await call(url, "net_peerCount")) === count ? true : undefined));
}

function reachHeight(node: TestNode, number: number): Promise<true> {
  return until(async () => ((await height(node)) >= number ? true : undefined));
}

/** A signed legacy transfer from one of the chain's funded accounts. */
function aTransfer(nonce: number): Promise<string> {
  const wallet = new Wallet(`0x${bareHex(senderKey(0))}`);
  const terms = { type: 0, chainId: 9001, gasLimit: 21_000, gasPrice: UNIT_PRICE };
  return wallet.signTransaction({ ...terms, to: `0x${"ee".repeat(20)}`, value: 1, nonce });
}

test("endpoint, proxy and core: a transfer goes up, blocks come down, and nodes come and go", async () => {
  const chain = join(directory, "small");
  await makeTransferChain(chain, { accounts: 3, blocks: 1, transfers: 0 });
  const coreData = join(directory, "core");
  const opened = await Promise.all(
    (["core", "proxy", "endpoint"] as const).map(async (type) => start(type, await init(type, chain))),
  );
  const [first, proxy, endpoint] = opened as [TestNode, TestNode, TestNode];
  let core = first;
  const corePort = new URL(core.kni.replace("kni:", "http:")).port;
  expect(await call(proxy.url, "admin_addPeer", core.kni)).toBe(true);
  expect(await call(endpoint.url, "admin_addPeer", proxy.kni)).toBe(true);
  await Promise.all([peersOf(core, 1), peersOf(proxy, 2), peersOf(endpoint, 1)]);
  expect(await call(proxy.url, "net_peerCountByType")).toEqual({ total: 2, cn: 1, en: 1 });

  await reachHeight(endpoint, 1);
  const before = await height(endpoint);
  const hash = await call(endpoint.url, "eth_sendRawTransaction", await aTransfer(0));
  const receipt = await until(async () => {
    return ((await call(endpoint.url, "eth_getTransactionReceipt", hash)) ?? undefined) as
      | { blockNumber: string; status: string }
      | undefined;
  });
  expect(receipt.status).toBe("0x1");
  expect(Number(receipt.blockNumber)).toBeLessThanOrEqual(before + 3);

  await end(core, "SIGKILL");
  await peersOf(proxy, 1);
  const killedAt = await height(endpoint);
  core = await start("core", coreData, "--port", corePort);
  await peersOf(proxy, 2);
  await reachHeight(endpoint, killedAt + 2);

  expect(await call(endpoint.url, "admin_removePeer", proxy.kni)).toBe(true);
  expect(await call(endpoint.url, "admin_removePeer", proxy.kni)).toBe(false);
  await peersOf(endpoint, 0);
  expect(await call(endpoint.url, "admin_addPeer", proxy.kni)).toBe(true);
  await reachHeight(endpoint, (await height(core)) + 1);
  expect(await call(endpoint.url, "admin_addPeer", "kni://nonsense")).toBe(false);
}, 120_000);

test("a core node with configured peers makes no block before it has heard a head", async () => {
  const chain = join(directory, "waiting");
  await makeTransferChain(chain, { accounts: 3, blocks: 1, transfers: 0 });
  const names = ["waiting-core", "waiting-proxy"];
  const [coreData = "", peerData = ""] = await Promise.all(names.map((name) => init(name, chain)));
  const port = String(await freePort());
  const peerKey = "5a".repeat(32);
  const id = bareHex(nodeKeyOf(fromBareHex(peerKey)).id);
  await writeFile(
    join(coreData, "knit", "static-nodes.json"),
    JSON.stringify([`kni://${id}@127.0.0.1:${port}?discport=0`]),
  );
  const core = await start("core", coreData);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(await height(core)).toBe(0);
  await start("proxy", peerData, "--port", port, "--nodekeyhex", peerKey);
  await reachHeight(core, 1);
}, 120_000);

/** The exit code of a node that is asked to end; null when it has not ended in so many turns of 100 ms. */
async function endedIn(node: TestNode, turns: number): Promise<number | null> {
  const ended = node.knit.stop();
  running.delete(node.knit);
  for (let turn = 0; turn < turns; turn++) {
    const tick = new Promise<"late">((resolve) => setTimeout(resolve, 100, "late"));
    const code = await Promise.race([ended, tick]);
    if (code !== "late") return code;
  }
  node.knit.child.kill("SIGKILL");
  return ended;
}

test("a node with a peer that has gone silent in the middle of a catch-up, and a full pool, ends in ten seconds", async () => {
  const chain = join(directory, "stuck");
  await makeTransferChain(chain, { accounts: 3, blocks: 100, transfers: 1 });
  const [sourceData = "", lateData = ""] = await Promise.all(
    ["stuck-source", "stuck-late"].map((name) => init(name, chain)),
  );
  const imported = await runKnit("import", "--datadir", sourceData, join(chain, "chain.rlp.gz"));
  expect(imported).toMatchObject({ code: 0 });
  const slots = ["exec-slots.account", "exec-slots.all", "nonexec-slots.account", "nonexec-slots.all"];
  const small = slots.flatMap((name) => [`--txpool.${name}`, "20"]);
  const [source, late] = await Promise.all([
    start("proxy", sourceData),
    start("endpoint", lateData, ...small),
  ]);
  const transfers = await Promise.all(Array.from({ length: 60 }, (_, nonce) => aTransfer(nonce)));
  const sent = await Promise.allSettled(
    transfers.map((raw) => call(late.url, "eth_sendRawTransaction", raw)),
  );
  expect(sent.filter(({ status }) => status === "rejected").length).toBeGreaterThan(0); // the pool is full

  await using relays = await openRelays([await freePort()], SILENT_AFTER_BYTES);
  const { port } = new URL(source.kni.replace("kni:", "http:"));
  expect(await call(late.url, "admin_addPeer", source.kni.replace(port, `${relays.to(Number(port))}`))).toBe(
    true,
  );
  await peersOf(late, 1);
  await peersOf(source, 1);
  expect(await height(late)).toBeLessThan(100);
  expect(await endedIn(late, 100)).toBe(0);
}, 120_000);

test(`a late endpoint catches up ${LATE_BLOCKS} blocks`, async () => {
  const chain = join(directory, "long");
  await makeTransferChain(chain, { accounts: 3, blocks: LATE_BLOCKS, transfers: 1 });
  const sourceData = await init("source", chain);
  const imported = await runKnit("import", "--datadir", sourceData, join(chain, "chain.rlp.gz"));
  expect(imported).toMatchObject({ code: 0 });
  const lateData = await init("late", chain);
  const [source, late] = await Promise.all([start("proxy", sourceData), start("endpoint", lateData)]);
  await call(late.url, "admin_addPeer", source.kni);
  await reachHeight(late, LATE_BLOCKS);
  expect(await newest(late)).toEqual(await newest(source));
}, 300_000);
