/** The node as users of Ethereum's client libraries meet it: against `knit dev`, started as a process. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { JsonRpcProvider, parseEther, Wallet } from "ethers";
import { Web3 } from "web3";
import { METRICS_DOCS } from "../../scripts/metrics-docs.ts";
import { caverClient } from "../support/clients/caver-client.ts";
import { caverKeyFilesOf3 } from "../support/clients/caver-key-files.ts";
import { type ContractClient, type ContractLife, liveWith } from "../support/clients/contract-client.ts";
import { ethersClient, ethersKeyFiles } from "../support/clients/ethers-client.ts";
import { clientReadsFile, nodeReadsFile } from "../support/clients/key-files.ts";
import { setCodeWithViem, viemClient } from "../support/clients/viem-client.ts";
import { web3Client, web3KeyFiles } from "../support/clients/web3-client.ts";
import { type DevNode, fundedKey, startDevNode } from "../support/dev-node.ts";
import { call } from "../support/rpc-client.ts";

const HEARD = { values: [9n], pending: true, heads: true };

interface Row {
  readonly name: string;
  readonly at: "http" | "ws";
  readonly open: (url: string, key: `0x${string}`) => ContractClient;
  /** False where the library cannot listen. */
  readonly hears: boolean;
}

const CLIENTS: readonly Row[] = [
  { name: "ethers with filters", at: "http", open: ethersClient, hears: true },
  { name: "ethers with subscriptions", at: "ws", open: ethersClient, hears: true },
  { name: "viem with filters", at: "http", open: viemClient, hears: true },
  { name: "viem with subscriptions", at: "ws", open: viemClient, hears: true },
  { name: "web3.js over HTTP", at: "http", open: web3Client, hears: false },
  { name: "web3.js with subscriptions", at: "ws", open: web3Client, hears: true },
  { name: "caver-js with subscriptions", at: "ws", open: caverClient, hears: true },
];

let node: DevNode;
let lives: ReadonlyMap<string, PromiseSettledResult<ContractLife>>;

beforeAll(async () => {
  node = await startDevNode("--v3", "--block-time", "1"); // ethers keeps answers for 250 ms
  const outcomes = await Promise.allSettled(
    CLIENTS.map(({ at, open }, i) => liveWith(open(node[at], fundedKey(node, i).key))),
  );
  lives = new Map(CLIENTS.flatMap(({ name }, i) => (outcomes[i] ? [[name, outcomes[i]]] : [])));
}, 120_000);
afterAll(async () => {
  expect(await node.knit.stop()).toBe(0);
});

test.each(CLIENTS)("$name deploys a contract, calls it and hears of its events", ({ name, hears }) => {
  const value = { values: [7n, 9n], past: [9n], ...(hears && { heard: HEARD }) };
  expect(lives.get(name)).toEqual({ status: "fulfilled", value });
});

test("ethers sends, waits for the receipt and sees the balances change", async () => {
  const provider = new JsonRpcProvider(node.http, undefined, { pollingInterval: 100 });
  try {
    const wallet = new Wallet(fundedKey(node, 8).key, provider);
    const to = Wallet.createRandom().address;
    const before = await provider.getBalance(wallet.address);
    const sent = await wallet.sendTransaction({ to, value: parseEther("1.5") });
    const receipt = await sent.wait();
    expect(receipt).toMatchObject({ status: 1, gasUsed: 21_000n, from: wallet.address, to });
    expect(await provider.getBalance(to)).toBe(parseEther("1.5"));
    const fee = receipt?.fee ?? 0n;
    expect(fee).toBeGreaterThan(0n);
    expect(await provider.getBalance(wallet.address)).toBe(before - parseEther("1.5") - fee);
    expect(await provider.getTransactionCount(wallet.address)).toBe(1);
    expect((await provider.getTransaction(sent.hash))?.blockNumber).toBe(receipt?.blockNumber);
  } finally {
    provider.destroy();
  }
});

test("ethers sends a legacy transaction with everything said", async () => {
  const provider = new JsonRpcProvider(node.http, undefined, { pollingInterval: 100 });
  try {
    const wallet = new Wallet(fundedKey(node, 9).key, provider);
    const to = Wallet.createRandom().address;
    const terms = { type: 0, gasLimit: 21_000, gasPrice: 50_000_000_000n, nonce: 0, chainId: 1337 };
    const receipt = await (await wallet.sendTransaction({ to, value: 1n, ...terms })).wait();
    expect(receipt).toMatchObject({ status: 1, type: 0 });
    expect(await call(node.http, "klay_getTransactionByHash", receipt?.hash)).toMatchObject({
      type: "TxTypeLegacyTransaction",
      typeInt: 0,
      nonce: "0x0",
    });
  } finally {
    provider.destroy();
  }
});

test("viem sets an account's code, with a key of its own and with one that the node keeps (EIP-7702)", async () => {
  const contract = `0x${"c0".repeat(20)}` as const;
  const [own, kept] = [fundedKey(node, 5), fundedKey(node, 6)];
  await call(node.http, "personal_importRawKey", kept.key.slice(2), "geheim");
  await call(node.http, "personal_unlockAccount", kept.address, "geheim", 60);
  for (const [sender, giver] of [
    [own.key, "33"],
    [kept.address, "44"],
  ] as const) {
    const terms = { sender, giver: `0x${giver.repeat(32)}` as const, contract };
    expect(await setCodeWithViem(node.http, terms)).toEqual({
      type: "eip7702",
      status: "success",
      code: `0xef0100${contract.slice(2)}`,
    });
  }
});

test("web3.js sends and signs with a key that the node keeps", async () => {
  const { eth } = new Web3(node.http);
  eth.transactionPollingInterval = 100;
  const { address, key } = fundedKey(node, 7);
  expect(await eth.personal.importRawKey(key.slice(2), "geheim")).toBe(address);
  expect(await eth.personal.unlockAccount(address, "geheim", 60)).toBe(true);
  expect(await eth.sendTransaction({ from: address, to: address, value: 1 })).toMatchObject({ status: 1n });
  const signature = await eth.personal.sign("hallo", address, "geheim");
  expect(await eth.personal.ecRecover("hallo", signature)).toBe(address);
});

test.each([
  { name: "ethers", files: ethersKeyFiles },
  { name: "web3.js", files: web3KeyFiles },
  { name: "caver-js", files: caverKeyFilesOf3 },
])("key files of version 3 go from $name to the node and back", async ({ files }) => {
  expect(await nodeReadsFile(node, files)).toBe(true);
  expect(await clientReadsFile(node, files)).toEqual({ version: 3, fits: true });
});

test("every metric of a running node is on the page about metrics", async () => {
  const page = readFileSync(METRICS_DOCS, "utf8");
  const text = await (await fetch(node.metrics)).text();
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(80);
  expect(names.filter((name) => !new RegExp(`^\\| \`${name}[ \`]`, "m").test(page))).toEqual([]);
});

test("health and metrics tell the height", async () => {
  const text = await (await fetch(node.metrics)).text();
  const height = Number(/^klaytn_blockchain_head_blocknumber (\d+)$/m.exec(text)?.[1]);
  expect(height).toBeGreaterThan(0);
  expect(text).toMatch(/^klaytn_tx_pool_pending_gauge \d+$/m);
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  expect(text).toMatch(/^knit_rpc_calls_total\{method="chain_blockNumber",outcome="ok"\} \d+$/m);
  for (const path of ["/healthz", "/readyz"]) {
    expect((await fetch(new URL(path, node.metrics))).status).toBe(200);
  }
});
