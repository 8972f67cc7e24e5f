/**
 * A development chain as the tools for contracts use it: the methods of Anvil and Hardhat Network against `knit dev`,
 * started as a process. Each test begins at a snapshot of the empty chain.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { JsonRpcProvider, Wallet } from "ethers";
import { type DevNode, fundedKey, startDevNode } from "../support/dev-node.ts";
import { runKnit } from "../support/knit-process.ts";
import { call, until } from "../support/rpc-client.ts";

const NOBODY = "0x00000000000000000000000000000000aaaaaaaa";
const CONTRACT = "0x1111111111111111111111111111111111111111";
/** Returns the word in slot 0. */
const READS_SLOT = "0x60005460005260206000f3";

let node: DevNode;
let provider: JsonRpcProvider;
let wallet: Wallet;
let snapshot: unknown;

const ask = (method: string, ...params: unknown[]): Promise<unknown> => call(node.http, method, ...params);
const newest = (): Promise<unknown> => ask("eth_getBlockByNumber", "latest", false);
const number = async (): Promise<number> => Number(await ask("eth_blockNumber"));
const time = async (): Promise<number> => (await provider.getBlock("latest"))?.timestamp ?? 0;

async function receipt(hash: unknown): Promise<{ readonly status: string; readonly from: string } | null> {
  const found = await ask("eth_getTransactionReceipt", hash);
  return found as { readonly status: string; readonly from: string } | null; // an object of the method
}

beforeAll(async () => {
  node = await startDevNode();
  provider = new JsonRpcProvider(node.http, undefined, { cacheTimeout: -1 });
  wallet = new Wallet(fundedKey(node, 0).key, provider);
}, 120_000);

afterAll(async () => {
  provider.destroy();
  await node.knit.stop();
});

beforeEach(async () => {
  snapshot = await ask("evm_snapshot");
});

afterEach(async () => {
  await ask("evm_setAutomine", true);
  expect(await ask("evm_revert", snapshot)).toBe(true);
});

describe("blocks", () => {
  test("a transaction is in a block when its hash is answered", async () => {
    expect(node.knit.output()).toContain("a development chain, a block for each transaction");
    const { hash } = await wallet.sendTransaction({ to: NOBODY, value: 1n });
    expect((await receipt(hash))?.status).toBe("0x1");
    expect(await number()).toBe(1);
  });

  test("the call that makes blocks names how many, and the seconds between them", async () => {
    expect(await ask("anvil_mine", 3, 60)).toBeNull();
    const [first, second, third] = await Promise.all([1, 2, 3].map((at) => provider.getBlock(at)));
    expect((second?.timestamp ?? 0) - (first?.timestamp ?? 0)).toBe(60);
    expect((third?.timestamp ?? 0) - (second?.timestamp ?? 0)).toBe(60);
    expect(await ask("hardhat_mine", "0x2")).toBe(true);
    expect(await ask("evm_mine", { blocks: 2 })).toBe("0x0");
    expect(await number()).toBe(7);
  });

  test("without automine a transaction waits for the next block", async () => {
    await ask("evm_setAutomine", false);
    expect(await ask("hardhat_getAutomine")).toBe(false);
    const { hash } = await wallet.sendTransaction({ to: NOBODY, value: 1n });
    expect(await receipt(hash)).toBeNull();
    await ask("evm_mine");
    expect((await receipt(hash))?.status).toBe("0x1");
  });

  test("a synchronous submission is answered with the receipt, at once or by the next block", async () => {
    const sign = async () =>
      wallet.signTransaction(await wallet.populateTransaction({ to: NOBODY, value: 1n, gasLimit: 21_000n }));
    expect(await ask("eth_sendRawTransactionSync", await sign())).toMatchObject({ blockNumber: "0x1" });
    await ask("evm_setIntervalMining", 1);
    expect(await ask("eth_sendRawTransactionSync", await sign(), 30_000)).toMatchObject({
      status: "0x1",
      from: wallet.address.toLowerCase(),
    });
    await ask("evm_setIntervalMining", 0);
  });

  test("blocks come by time until the interval is taken back", async () => {
    await ask("evm_setIntervalMining", 1);
    expect([await ask("anvil_getIntervalMining"), await ask("anvil_getAutomine")]).toEqual([1, false]);
    await until(async () => ((await number()) >= 2 ? true : undefined));
    await ask("evm_setIntervalMining", 0);
    expect(await ask("anvil_getIntervalMining")).toBeNull();
    await expect(ask("evm_setIntervalMining", 3_000_000)).rejects.toMatchObject({ code: -32602 });
  });

  test("dropped transactions are in no block", async () => {
    await ask("evm_setAutomine", false);
    const sent = [];
    for (let nonce = 0; nonce < 4; nonce++)
      sent.push((await wallet.sendTransaction({ to: NOBODY, value: 1n, nonce, gasLimit: 21_000n })).hash);
    const last = sent.at(-1);
    expect(await ask("anvil_dropTransaction", last)).toBe(last);
    expect(await ask("anvil_dropTransaction", last)).toBeNull();
    expect(await ask("hardhat_dropTransaction", sent[2])).toBe(true);
    expect(await ask("hardhat_dropTransaction", sent[2])).toBe(false);
    await ask("anvil_removePoolTransactions", NOBODY);
    await ask("evm_mine");
    expect(await Promise.all(sent.map(async (hash) => (await receipt(hash)) !== null))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    await expect(ask("hardhat_dropTransaction", sent[0])).rejects.toMatchObject({
      code: -32602,
      message: `Transaction ${sent[0]} cannot be dropped because it's already mined`,
    });
    await wallet.sendTransaction({ to: NOBODY, value: 1n, gasLimit: 21_000n });
    await expect(ask("hardhat_setNonce", NOBODY, "0x5")).rejects.toMatchObject({
      code: -32603,
      message: "Cannot set account nonce when the transaction pool is not empty",
    });
    await ask("anvil_dropAllTransactions");
    expect(await ask("txpool_status")).toEqual({ pending: "0x0", queued: "0x0" });
  });
});

describe("time", () => {
  test("the next block has the time that was set, and later ones go on from there", async () => {
    const next = (await time()) + 86_400;
    await ask("evm_setNextBlockTimestamp", next);
    await ask("evm_mine");
    expect(await time()).toBe(next);
    await ask("evm_mine");
    expect(await time()).toBeGreaterThan(next);
    await expect(ask("evm_setNextBlockTimestamp", next)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(
        /^Timestamp \d+ is lower than or equal to previous block's timestamp \d+$/,
      ),
    });
  });

  test("the clock moves by seconds, and to a second", async () => {
    const before = await time();
    expect(await ask("evm_increaseTime", "0xe10")).toBeGreaterThanOrEqual(3_600);
    await ask("evm_mine");
    expect(await time()).toBeGreaterThanOrEqual(before + 3_600);
    await ask("evm_setTime", before + 10_000);
    await ask("evm_mine");
    expect(await time()).toBeGreaterThanOrEqual(before + 10_000);
    await expect(ask("evm_increaseTime", Number.MAX_SAFE_INTEGER)).rejects.toMatchObject({ code: -32602 });
    await expect(ask("evm_increaseTime", "soon")).rejects.toMatchObject({ code: -32602 });
  });

  test("an interval between times lasts until it is removed", async () => {
    const before = await time();
    await ask("anvil_setBlockTimestampInterval", 100);
    await ask("anvil_mine", 2);
    expect(await time()).toBe(before + 200);
    expect(await ask("anvil_removeBlockTimestampInterval")).toBe(true);
    expect(await ask("anvil_removeBlockTimestampInterval")).toBe(false);
  });
});

describe("state", () => {
  test("balance, nonce, code and storage are as set at once, and as before after the revert", async () => {
    const inner = await ask("evm_snapshot");
    await ask("hardhat_setBalance", NOBODY, "0xde0b6b3a7640000");
    await ask("hardhat_setNonce", NOBODY, "0x5");
    await ask("anvil_setCode", CONTRACT, READS_SLOT);
    await ask("anvil_setStorageAt", CONTRACT, "0x0", `0x${"2a".padStart(64, "0")}`);
    const read = () =>
      Promise.all([
        ask("eth_getBalance", NOBODY, "latest"),
        ask("eth_getTransactionCount", NOBODY, "latest"),
        ask("eth_getCode", CONTRACT, "latest"),
        ask("eth_getStorageAt", CONTRACT, "0x0", "latest"),
        ask("eth_call", { to: CONTRACT }, "latest"),
      ]);
    const word = `0x${"2a".padStart(64, "0")}`;
    await expect(ask("hardhat_setNonce", NOBODY, "0x4")).rejects.toMatchObject({
      code: -32000,
      message: "New nonce (4) must not be smaller than the existing nonce (5)",
    });
    expect(await read()).toEqual(["0xde0b6b3a7640000", "0x5", READS_SLOT, word, word]);
    await ask("anvil_mine", 3);
    expect(await read()).toEqual(["0xde0b6b3a7640000", "0x5", READS_SLOT, word, word]);
    expect(await ask("evm_revert", inner)).toBe(true);
    expect(await read()).toEqual(["0x0", "0x0", "0x", `0x${"0".repeat(64)}`, "0x"]);
    expect(await ask("evm_revert", inner)).toBe(false);
  });

  test("an edit changes the state after the newest block alone", async () => {
    await ask("anvil_setBalance", NOBODY, "0x1");
    await ask("evm_mine");
    await ask("anvil_setBalance", NOBODY, "0x2");
    const balances = ["0x0", "0x1"].map((block) => ask("eth_getBalance", NOBODY, block));
    expect(await Promise.all(balances)).toEqual(["0x1", "0x2"]);
  });

  test("an impersonated account sends without a key, a contract too", async () => {
    const transfer = (from: string) => ask("eth_sendTransaction", { from, to: wallet.address, value: "0x1" });
    await expect(transfer(NOBODY)).rejects.toMatchObject({ code: -32000 });
    for (const sender of [NOBODY, CONTRACT]) {
      await ask("anvil_setBalance", sender, "0xde0b6b3a7640000");
      if (sender === CONTRACT) await ask("anvil_setCode", sender, READS_SLOT);
      await ask("hardhat_impersonateAccount", sender);
      const sent = await receipt(await transfer(sender));
      expect([sent?.status, sent?.from]).toEqual(["0x1", sender]);
      expect(await ask("hardhat_stopImpersonatingAccount", sender)).toBe(true);
      await expect(transfer(sender)).rejects.toMatchObject({ code: -32000 });
    }
    await ask("anvil_autoImpersonateAccount", true);
    expect((await receipt(await transfer(NOBODY)))?.status).toBe("0x1");
    await ask("anvil_autoImpersonateAccount", false);
  });

  test("an account with all that a balance can be takes more without a failure, and keeps that", async () => {
    const all = `0x${"f".repeat(64)}`;
    await ask("anvil_setBalance", NOBODY, all);
    await ask("hardhat_setCoinbase", NOBODY);
    const { hash } = await wallet.sendTransaction({ to: NOBODY, value: 1n });
    expect((await receipt(hash))?.status).toBe("0x1");
    expect(await ask("eth_getBalance", NOBODY, "latest")).toBe(all);
    await ask("hardhat_setCoinbase", CONTRACT);
    await ask("hardhat_impersonateAccount", NOBODY);
    const sent = await ask("eth_sendTransaction", { from: NOBODY, to: wallet.address, value: "0x1" });
    expect((await receipt(sent))?.status).toBe("0x1");
  });

  test.each([
    [100, "0x64"],
    ["100", "0x64"],
    ["0x0064", "0x64"],
    [10_000_000_000_000_000_000, "0x8ac7230489e80000"],
  ])("a balance of %j is read as the tools read it", async (given, read) => {
    await ask("anvil_setBalance", NOBODY, given);
    expect(await ask("eth_getBalance", NOBODY, "latest")).toBe(read);
  });

  test.each([-1, 1.5, null, "1 ether", true, 2 ** 60 + 2 ** 8, `0x1${"0".repeat(64)}`])(
    "a balance of %j is refused and changes nothing",
    async (given) => {
      await expect(ask("anvil_setBalance", NOBODY, given)).rejects.toMatchObject({ code: -32602 });
      expect(await ask("eth_getBalance", NOBODY, "latest")).toBe("0x0");
    },
  );

  test("rewards go to the account that was set", async () => {
    await ask("hardhat_setCoinbase", NOBODY);
    await ask("evm_mine");
    expect(BigInt((await ask("eth_getBalance", NOBODY, "latest")) as string)).toBeGreaterThan(0n); // a quantity
  });
});

test("unlocked accounts sign messages and typed data as wallets of Ethereum do", async () => {
  const signer = await provider.getSigner(wallet.address);
  expect(await signer.signMessage("hello")).toBe(await wallet.signMessage("hello"));
  const types = { Permit: [{ name: "spender", type: "address" }] };
  const typed = [{ chainId: 1337 }, types, { spender: wallet.address }] as const;
  expect(await signer.signTypedData(...typed)).toBe(await wallet.signTypedData(...typed));
});

describe("the next block", () => {
  /** Returns the random value of the block. */
  const RETURNS_RANDOM = "0x4460005260206000f3";
  const random = `0x${"7".repeat(64)}`;

  test("has the base fee that was set, which prices its transactions, and later ones follow the rules", async () => {
    await ask("hardhat_setNextBlockBaseFeePerGas", "0x3b9aca00");
    expect(await ask("anvil_nodeInfo")).toMatchObject({ environment: { baseFee: "0x3b9aca00" } });
    const { hash } = await wallet.sendTransaction({
      to: NOBODY,
      value: 1n,
      type: 0,
      gasPrice: 1_000_000_000n,
    });
    expect((await receipt(hash))?.status).toBe("0x1");
    expect(await newest()).toMatchObject({ baseFeePerGas: "0x3b9aca00" });
    await ask("evm_mine");
    expect(await newest()).toMatchObject({ baseFeePerGas: "0x5d21dba00" });
    expect(await ask("anvil_setNextBlockBaseFeePerGas", "0x5d21dba00")).toBeNull();
  });

  test("has the random value that was set, in its header and for contracts", async () => {
    await ask("anvil_setCode", CONTRACT, RETURNS_RANDOM);
    expect(await ask("hardhat_setPrevRandao", random)).toBe(true);
    const inner = await ask("evm_snapshot");
    await ask("evm_mine");
    expect(await newest()).toMatchObject({ mixHash: random });
    expect(await ask("eth_call", { to: CONTRACT }, "latest")).toBe(random);
    await ask("evm_mine");
    expect(await newest()).not.toMatchObject({ mixHash: random });
    await ask("evm_revert", inner);
    await ask("evm_mine");
    expect(await newest()).not.toMatchObject({ mixHash: random }); // a revert takes it back
    await expect(ask("hardhat_setPrevRandao", "0x01")).rejects.toMatchObject({ code: -32602 });
  });

  test("has no other chain id or minimum price than the rules say", async () => {
    expect(await ask("anvil_setChainId", 1337)).toBeNull();
    const refused = [
      ["anvil_setChainId", "0x1", "block 0 fixes the chain id 1337: start the chain with --chain-id 1"],
      ["hardhat_setMinGasPrice", "0x1", "hardhat_setMinGasPrice is not supported when EIP-1559 is active"],
      ["anvil_setRpcUrl", "http://127.0.0.1:1", "this chain is no fork"],
    ] as const;
    for (const [name, value, message] of refused)
      await expect(ask(name, value)).rejects.toMatchObject({ message });
  });

  test("follows an earlier one after a rollback, and edits before it stay", async () => {
    await ask("anvil_mine", 2);
    for (let i = 0; i < 2; i++) await ask("anvil_addBalance", CONTRACT, "0x7");
    await ask("anvil_mine", 3);
    await ask("anvil_rollback", 2);
    expect([await number(), await ask("eth_getBalance", CONTRACT, "latest")]).toEqual([3, "0xe"]);
    await ask("anvil_rollback");
    expect(await number()).toBe(2);
    await expect(ask("anvil_rollback", 3)).rejects.toMatchObject({
      message: "Rollback depth must not exceed current chain height: current height 2, depth 3",
    });
  });

  test("takes a transaction of any sender without a signature", async () => {
    await ask("anvil_setBalance", NOBODY, "0xde0b6b3a7640000");
    const sent = await ask("eth_sendUnsignedTransaction", { from: NOBODY, to: wallet.address, value: "0x1" });
    expect(await receipt(sent)).toMatchObject({ status: "0x1", from: NOBODY });
  });
});

test("the node says what it is, and a reset takes everything back to block 0", async () => {
  await ask("anvil_setBalance", NOBODY, "0x1");
  await ask("anvil_mine", 2, 1000);
  expect(await ask("anvil_nodeInfo")).toMatchObject({ currentBlockNumber: "0x2", hardFork: "prague" });
  expect(await ask("web3_clientVersion")).toMatch(/^anvil\/Knit\//); // helpers of Hardhat ask for it
  expect(await ask("hardhat_metadata")).toMatchObject({ chainId: 1337, latestBlockNumber: 2 });
  expect(await ask("hardhat_reset")).toBe(true);
  expect([await number(), await ask("eth_getBalance", NOBODY, "latest")]).toEqual([0, "0x0"]);
  snapshot = await ask("evm_snapshot"); // the reset used up the one before
});

test("an edited chain that is killed goes on, verifies, and refuses peers", async () => {
  const directory = mkdtempSync(join(tmpdir(), "knit-dev-tools-"));
  try {
    const kept = await startDevNode("--datadir", directory, "--block-time", "auto");
    await call(kept.http, "anvil_mine", 2);
    await call(kept.http, "anvil_setBalance", NOBODY, "0x7");
    await kept.knit.stop("SIGKILL");
    const { code, output } = await runKnit("db", "verify", "--datadir", directory);
    expect([code, output]).toEqual([0, expect.stringContaining("agree at block 2")]);
    const again = await startDevNode("--datadir", directory);
    expect(again.knit.output()).toContain("a block each second");
    expect(await call(again.http, "eth_getBalance", NOBODY, "0x2")).toBe("0x7");
    await again.knit.stop();
    const refused = await runKnit(
      "dev",
      "--datadir",
      directory,
      "--port",
      "0",
      "--rpcport",
      "0",
      "--wsport",
      "0",
    );
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining("edited")]);
  } finally {
    rmSync(directory, { recursive: true });
  }
}, 120_000);

test("a node that peers may reach edits nothing, and other chains have none of the methods", async () => {
  const open = await startDevNode("--port", "0");
  try {
    await expect(call(open.http, "anvil_setBalance", NOBODY, "0x7")).rejects.toMatchObject({
      message: "other nodes would not accept an edited chain: start it without --port",
    });
  } finally {
    await open.knit.stop();
  }
}, 120_000);

describe("accounts and options", () => {
  test("funded accounts come before a locked one", async () => {
    await ask("personal_newAccount", "secret");
    const accounts = (await ask("eth_accounts")) as string[];
    expect(accounts.slice(0, 10)).toEqual(node.funded.map(({ address }) => address));
    expect(accounts).toHaveLength(11);
  });

  test.each([["soon"], [[]], [{ blocks: 1 }], [5]])(
    "a reset with %j is refused and changes nothing",
    async (options) => {
      await ask("evm_mine");
      await expect(ask("hardhat_reset", options)).rejects.toMatchObject({ code: -32602 });
      expect(await number()).toBe(1);
      await expect(ask("anvil_reset", { forking: 1 })).rejects.toMatchObject({ code: -32602 });
      expect(await number()).toBe(1);
    },
  );

  test("a chain ends its forks with the one that is named", async () => {
    const old = await startDevNode("--hardfork", "london");
    expect(await call(old.http, "eth_getBlockByNumber", "0x0", false)).not.toHaveProperty("baseFeePerGas");
    expect(await call(old.http, "dev_nodeInfo")).toMatchObject({ hardFork: "london" });
    await old.knit.stop();
    const { output } = await runKnit("dev", "--hardfork", "osaka-next");
    expect(output).toContain("one of istanbul, london,");
  });
});
