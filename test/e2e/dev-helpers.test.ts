/**
 * A development chain as helpers of Hardhat rely on it: reads without a block, storage before code, limits of gas, the
 * coinbase, and resets after which nothing of earlier tests is left. Each was found by their own suite.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type DevNode, fundedKey, startDevNode } from "../support/dev-node.ts";
import { call } from "../support/rpc-client.ts";

const NOBODY = "0x00000000000000000000000000000000aaaaaaaa";
const CONTRACT = "0x1111111111111111111111111111111111111111";
/** Returns the word in slot 0. */
const READS_SLOT = "0x60005460005260206000f3";
/** Counts down from 2^20, which is too long for the main thread. */
const COUNTS = "0x621000005b60019003806004575f5260205ff3";

let node: DevNode;
const ask = (method: string, ...params: unknown[]): Promise<unknown> => call(node.http, method, ...params);
const newest = (): Promise<unknown> => ask("eth_getBlockByNumber", "latest", false);
const word = (value: number): string => `0x${value.toString(16).padStart(64, "0")}`;

function send(index: number, more: object = {}): Promise<unknown> {
  const { address: from } = fundedKey(node, index);
  return ask("eth_sendTransaction", { from, to: NOBODY, value: "0x1", gas: "0x5208", ...more });
}

async function transactionsOf(block: string): Promise<readonly unknown[]> {
  const found = (await ask("eth_getBlockByNumber", block, false)) as { transactions: unknown[] };
  return found.transactions;
}

beforeAll(async () => {
  node = await startDevNode("--gas-limit", "1000000");
}, 120_000);

afterAll(() => node.knit.stop());

beforeEach(async () => {
  await ask("hardhat_reset");
});

test("reads without a block are those of the newest one, in reader threads too", async () => {
  await ask("anvil_setBalance", CONTRACT, "0x7");
  await ask("anvil_setNonce", CONTRACT, "0x2");
  await ask("anvil_setStorageAt", CONTRACT, "0x0", "0x5");
  await ask("anvil_setCode", CONTRACT, READS_SLOT);
  expect(await ask("eth_getBalance", CONTRACT)).toBe("0x7");
  expect(await ask("eth_getTransactionCount", CONTRACT)).toBe("0x2");
  expect(await ask("eth_getCode", CONTRACT)).toBe(READS_SLOT);
  expect(await ask("eth_getStorageAt", CONTRACT, "0x0")).toBe(word(5));
  expect(await ask("eth_call", { to: CONTRACT })).toBe(word(5));
  await ask("anvil_setCode", CONTRACT, COUNTS);
  expect(await ask("eth_call", { to: CONTRACT })).toBe(word(0));
});

test("storage is set before there is code, and taken back with the nonce that holds it", async () => {
  const snapshot = await ask("evm_snapshot");
  await ask("hardhat_setStorageAt", CONTRACT, "0x1", word(7));
  expect(await ask("eth_getStorageAt", CONTRACT, "0x1")).toBe(word(7));
  expect(await ask("eth_getTransactionCount", CONTRACT)).toBe("0x1");
  await ask("evm_mine");
  expect(await ask("eth_getStorageAt", CONTRACT, "0x1")).toBe(word(7));
  await ask("evm_revert", snapshot);
  expect(await ask("eth_getStorageAt", CONTRACT, "0x1")).toBe(word(0));
  expect(await ask("eth_getTransactionCount", CONTRACT)).toBe("0x0");
});

test("the pending transactions are those of every sender", async () => {
  await ask("evm_setAutomine", false);
  await ask("hardhat_setBalance", NOBODY, "0xde0b6b3a7640000");
  await ask("hardhat_impersonateAccount", NOBODY);
  const hash = await ask("eth_sendTransaction", { from: NOBODY, to: CONTRACT, value: "0x1" });
  expect(await ask("eth_pendingTransactions")).toMatchObject([{ hash, from: NOBODY }]);
});

test("blocks and transactions keep to the limit of gas, which a revert takes back and a reset sets anew", async () => {
  expect(await ask("anvil_nodeInfo")).toMatchObject({ environment: { gasLimit: "0xf4240" } });
  const snapshot = await ask("evm_snapshot");
  await ask("evm_setAutomine", false);
  for (let index = 0; index < 3; index++) await send(index);
  expect(await ask("evm_setBlockGasLimit", "0xc350")).toBe(true); // 50,000: two transfers
  await ask("evm_mine");
  expect(await newest()).toMatchObject({ gasLimit: "0xc350" });
  expect(await transactionsOf("0x1")).toHaveLength(2);
  await ask("evm_mine");
  expect(await transactionsOf("0x2")).toHaveLength(1);
  await expect(send(4, { gas: "0xc351" })).rejects.toMatchObject({
    message: "tx gas limit exceeds the upper limit: gas 50001, limit 50000",
  });
  expect(await ask("eth_getBlockByNumber", "0x0", false)).toMatchObject({ gasLimit: "0xf4240" });
  await ask("evm_revert", snapshot);
  await ask("evm_mine");
  expect(await newest()).toMatchObject({ gasLimit: "0xf4240" });
  await ask("evm_setBlockGasLimit", 50_000);
  const later = await ask("evm_snapshot");
  await ask("evm_setBlockGasLimit", 60_000);
  await ask("evm_revert", later);
  await ask("evm_mine");
  expect(await newest()).toMatchObject({ gasLimit: "0xc350" });
});

test("a block that is made again after a reset shows its new limit of gas", async () => {
  for (const limit of ["0xc350", "0xc351"]) {
    await ask("hardhat_reset");
    await ask("evm_setBlockGasLimit", limit);
    await ask("evm_setNextBlockTimestamp", 4_000_000_000);
    await ask("evm_mine"); // the same block each time
    expect(await newest()).toMatchObject({ gasLimit: limit });
  }
});

test.each([0, "0x10000000000000000", "many", null])("a limit of gas of %j is refused", async (limit) => {
  await expect(ask("evm_setBlockGasLimit", limit)).rejects.toMatchObject({ code: -32602 });
});

test("the coinbase is the miner of later blocks", async () => {
  const own = await ask("eth_coinbase");
  await ask("evm_mine");
  await ask("hardhat_setCoinbase", NOBODY);
  await ask("evm_mine");
  expect(await ask("eth_coinbase")).toBe(NOBODY);
  expect(await newest()).toMatchObject({ miner: NOBODY });
  expect(await ask("eth_getBlockByNumber", "0x1", false)).toMatchObject({ miner: own });
});

test("a reset brings back the mode and the coinbase of the start, and counts snapshots anew", async () => {
  const own = await ask("eth_coinbase");
  const id = await ask("evm_snapshot");
  await ask("evm_setAutomine", false);
  await ask("hardhat_setCoinbase", NOBODY);
  await ask("hardhat_reset");
  expect([await ask("hardhat_getAutomine"), await ask("eth_coinbase")]).toEqual([true, own]);
  expect(await ask("evm_revert", id)).toBe(false);
  expect(await ask("evm_snapshot")).toBe(id);
});

test("a reset takes the clock back to block 0, from which it goes on without an offset", async () => {
  const genesis = (await ask("dev_getGenesisTime")) as number;
  await ask("evm_increaseTime", 1_000_000);
  await ask("evm_mine");
  await ask("hardhat_reset");
  expect(await ask("evm_increaseTime", 0)).toBe(0);
  await ask("hardhat_mine", "0xa", "0x258"); // ten blocks, 600 seconds from one to the next
  const { timestamp } = (await newest()) as { timestamp: string };
  expect(Number(timestamp) - genesis - 9 * 600).toBeLessThan(600);
});

test("a snapshot of a block that the chain has left is gone", async () => {
  await ask("anvil_mine", 3);
  const id = await ask("evm_snapshot");
  await ask("anvil_rollback", 2);
  await ask("anvil_mine", 5);
  expect(await ask("evm_revert", id)).toBe(false);
  expect(await ask("eth_blockNumber")).toBe("0x6");
});
