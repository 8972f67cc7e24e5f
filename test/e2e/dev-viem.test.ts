/** viem's test client against `knit dev`: every action, in the modes of Anvil and of Hardhat Network. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createTestClient, defineChain, http, publicActions, walletActions } from "viem";
import { type DevNode, startDevNode } from "../support/dev-node.ts";

const NOBODY = "0x00000000000000000000000000000000aaaaaaaa";
const CONTRACT = "0x1111111111111111111111111111111111111111";
const WORD = `0x${"2a".padStart(64, "0")}` as const;

let node: DevNode;

beforeAll(async () => {
  node = await startDevNode();
}, 120_000);

afterAll(() => node.knit.stop());

function firstAccount(): `0x${string}` {
  return node.funded[0]?.address ?? NOBODY;
}

function clientOf(mode: "anvil" | "hardhat") {
  const chain = defineChain({
    id: 1337,
    name: "development",
    nativeCurrency: { name: "KAIA", symbol: "KAIA", decimals: 18 },
    rpcUrls: { default: { http: [node.http] } },
  });
  const options = { mode, chain, transport: http(node.http), pollingInterval: 50, cacheTime: 0 } as const;
  return createTestClient(options).extend(publicActions).extend(walletActions);
}

describe.each(["anvil", "hardhat"] as const)("viem's test client as for %s", (mode) => {
  let client: ReturnType<typeof clientOf>;
  const send = (sender = firstAccount()) =>
    client.sendTransaction({ account: sender, to: NOBODY, value: 1n, gas: 30_000n });

  beforeAll(() => {
    client = clientOf(mode);
  });

  test("makes blocks and sets their times and fees", async () => {
    const before = await client.getBlockNumber();
    await client.mine({ blocks: 3, interval: 60 });
    expect(await client.getBlockNumber()).toBe(before + 3n);
    const { timestamp } = await client.getBlock();
    await client.setNextBlockTimestamp({ timestamp: timestamp + 1_000n });
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 26_000_000_000n });
    await client.mine({ blocks: 1 });
    expect(await client.getBlock()).toMatchObject({
      timestamp: timestamp + 1_000n,
      baseFeePerGas: 26_000_000_000n,
    });
    await client.increaseTime({ seconds: 500 });
    await client.mine({ blocks: 1 });
    expect((await client.getBlock()).timestamp).toBeGreaterThanOrEqual(timestamp + 1_500n);
  });

  test("sets accounts and goes back to snapshots", async () => {
    const id = await client.snapshot();
    await client.setBalance({ address: NOBODY, value: 10n ** 20n });
    await client.setNonce({ address: NOBODY, nonce: 5 });
    await client.setCode({ address: CONTRACT, bytecode: "0x60005460005260206000f3" });
    await client.setStorageAt({ address: CONTRACT, index: 0, value: WORD });
    await client.setCoinbase({ address: CONTRACT });
    expect(await client.getBalance({ address: NOBODY })).toBe(10n ** 20n);
    expect(await client.getTransactionCount({ address: NOBODY })).toBe(5);
    expect((await client.call({ to: CONTRACT })).data).toBe(WORD);
    await client.impersonateAccount({ address: NOBODY });
    const receipt = await client.waitForTransactionReceipt({ hash: await send(NOBODY) });
    expect(receipt).toMatchObject({ status: "success", from: NOBODY });
    await client.stopImpersonatingAccount({ address: NOBODY });
    await expect(send(NOBODY)).rejects.toThrow("unknown account");
    const request = { from: NOBODY, to: CONTRACT, gas: 50_000n, gasPrice: 50_000_000_000n } as const;
    expect(await client.sendUnsignedTransaction(request)).toMatch(/^0x[0-9a-f]{64}$/);
    await client.revert({ id });
    expect(await client.getTransactionCount({ address: NOBODY })).toBe(0);
  });

  test("sets the limit of gas", async () => {
    await client.setBlockGasLimit({ gasLimit: 1_000_000n });
    await client.mine({ blocks: 1 });
    expect((await client.getBlock()).gasLimit).toBe(1_000_000n);
  });

  test("holds transactions back and drops them", async () => {
    await client.setAutomine(false);
    const hash = await send();
    expect(await client.getTxpoolStatus()).toEqual({ pending: 1, queued: 0 });
    expect(Object.keys((await client.getTxpoolContent()).pending)).toHaveLength(1);
    expect(Object.keys((await client.inspectTxpool()).pending)).toHaveLength(1);
    await client.dropTransaction({ hash });
    expect(await client.getTxpoolStatus()).toEqual({ pending: 0, queued: 0 });
    await client.setIntervalMining({ interval: 0 });
    await client.setAutomine(true);
    expect(await client.getAutomine()).toBe(true);
    await client.setLoggingEnabled(false);
  });

  test("dumps and loads the state, and begins anew", async () => {
    await client.setBalance({ address: NOBODY, value: 7n });
    const state = await client.dumpState();
    await client.reset();
    expect([await client.getBlockNumber(), await client.getBalance({ address: NOBODY })]).toEqual([0n, 0n]);
    await client.loadState({ state });
    expect(await client.getBalance({ address: NOBODY })).toBe(7n);
  });

  test("is told what the chain fixes", async () => {
    await expect(client.setMinGasPrice({ gasPrice: 1n })).rejects.toThrow("EIP-1559 is active");
    await expect(client.setRpcUrl("http://127.0.0.1:1")).rejects.toThrow("this chain is no fork");
  });
});

test("an interval between block times holds for blocks that are made without one", async () => {
  const client = clientOf("anvil");
  await client.setBlockTimestampInterval({ interval: 100 });
  await client.mine({ blocks: 2 });
  const { number, timestamp } = await client.getBlock();
  expect(timestamp - (await client.getBlock({ blockNumber: number - 1n })).timestamp).toBe(100n);
  await client.removeBlockTimestampInterval();
});
