/** The node as its users meet it: ethers and viem against `knit dev`, started as a process. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { JsonRpcProvider, parseEther, Wallet, WebSocketProvider } from "ethers";
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  parseEther as klay,
  webSocket,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type KnitProcess, startKnit } from "../support/knit-process.ts";
import { call } from "../support/rpc-client.ts";

let knit: KnitProcess;
let httpUrl: string;
let wsUrl: string;
let keys: `0x${string}`[];

beforeAll(async () => {
  knit = startKnit("dev", "--rpcport", "0", "--wsport", "0", "--prometheusport", "0");
  const banner = await knit.waitFor(/HTTP +(http:\S+)[\s\S]*WebSocket +(ws:\S+)[\s\S]*Metrics +(http:\S+)\n/);
  httpUrl = banner[1] ?? "";
  wsUrl = banner[2] ?? "";
  keys = [...knit.output().matchAll(/0x[0-9a-f]{40} {2}(0x[0-9a-f]{64})/g)].map((m) => m[1] as `0x${string}`); // the pattern's group
});
afterAll(async () => {
  expect(await knit.stop()).toBe(0);
});

test("ethers sends, waits for the receipt and sees the balances change", async () => {
  const provider = new JsonRpcProvider(httpUrl, undefined, { pollingInterval: 100 });
  try {
    const wallet = new Wallet(keys[0] ?? "", provider);
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
  const provider = new JsonRpcProvider(httpUrl, undefined, { pollingInterval: 100 });
  try {
    const wallet = new Wallet(keys[1] ?? "", provider);
    const to = Wallet.createRandom().address;
    const terms = { type: 0, gasLimit: 21_000, gasPrice: 50_000_000_000n, nonce: 0, chainId: 1337 };
    const receipt = await (await wallet.sendTransaction({ to, value: 1n, ...terms })).wait();
    expect(receipt).toMatchObject({ status: 1, type: 0 });
    expect(await call(httpUrl, "klay_getTransactionByHash", receipt?.hash)).toMatchObject({
      type: "TxTypeLegacyTransaction",
      typeInt: 0,
      nonce: "0x0",
    });
  } finally {
    provider.destroy();
  }
});

test("ethers hears of new heads over WebSocket, one after the other", async () => {
  const provider = new WebSocketProvider(wsUrl);
  try {
    const numbers: number[] = [];
    await new Promise<void>((resolve, reject) => {
      provider
        .on("block", (number: number) => {
          numbers.push(number);
          if (numbers.length === 2) resolve();
        })
        .catch(reject);
    });
    expect(numbers[1]).toBe((numbers[0] ?? 0) + 1);
  } finally {
    await provider.destroy();
  }
});

test("viem sends, waits and watches", async () => {
  const chain = defineChain({
    id: 1337,
    name: "knit",
    nativeCurrency: { name: "KLAY", symbol: "KLAY", decimals: 18 },
    rpcUrls: { default: { http: [httpUrl], webSocket: [wsUrl] } },
  });
  const account = privateKeyToAccount(keys[2] ?? "0x");
  const wallet = createWalletClient({ account, chain, transport: http() });
  const reader = createPublicClient({ chain, transport: webSocket(wsUrl), pollingInterval: 100 });
  const to = privateKeyToAccount(`0x${"5a".repeat(32)}`).address;
  const heads: bigint[] = [];
  const unwatch = reader.watchBlockNumber({ onBlockNumber: (number) => heads.push(number) });
  const hash = await wallet.sendTransaction({ to, value: klay("2") });
  const receipt = await reader.waitForTransactionReceipt({ hash });
  expect(receipt).toMatchObject({ status: "success", gasUsed: 21_000n });
  expect(await reader.getBalance({ address: to })).toBe(klay("2"));
  expect(await reader.getBlock({ blockNumber: receipt.blockNumber })).toMatchObject({ transactions: [hash] });
  unwatch();
  const socket = await reader.transport.getRpcClient();
  socket.close();
  expect(heads.length).toBeGreaterThan(0);
});

test("ethers creates a contract and calls it", async () => {
  const provider = new JsonRpcProvider(httpUrl, undefined, { pollingInterval: 100 });
  try {
    const wallet = new Wallet(keys[3] ?? "", provider);
    // What it leaves behind is code that returns 42.
    const data = "0x69602a60005260206000f3600052600a6016f3";
    const sent = await wallet.sendTransaction({ data, gasLimit: 200_000 });
    const receipt = await sent.wait();
    expect(receipt?.status).toBe(1);
    const to = receipt?.contractAddress ?? null;
    expect(await provider.getCode(to ?? "")).toBe("0x602a60005260206000f3");
    expect(BigInt(await provider.call({ to }))).toBe(42n);
  } finally {
    provider.destroy();
  }
});

test("health and metrics tell the height", async () => {
  const metrics = knit.output().match(/Metrics +(\S+)/)?.[1] ?? "";
  const text = await (await fetch(metrics)).text();
  const height = Number(/^klaytn_blockchain_head_blocknumber (\d+)$/m.exec(text)?.[1]);
  expect(height).toBeGreaterThan(0);
  expect(text).toMatch(/^klaytn_tx_pool_pending_gauge \d+$/m);
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  for (const path of ["/healthz", "/readyz"]) {
    expect((await fetch(new URL(path, metrics))).status).toBe(200);
  }
});
