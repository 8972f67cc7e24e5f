/** Methods that Anvil alone has, against `knit dev`. Each test begins at a snapshot of the empty chain. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { Wallet } from "ethers";
import { type DevNode, fundedKey, startDevNode } from "../support/dev-node.ts";
import { call } from "../support/rpc-client.ts";

const NOBODY = "0x00000000000000000000000000000000aaaaaaaa";
const TOKEN = "0x1111111111111111111111111111111111111111";
/** `balanceOf` over a mapping in slot 0 and `allowance` over one in slot 1; both read slot 7 first, for nothing. */
const TOKEN_CODE =
  "0x60075450600435600052366024146032576001602052604060002060205260243560005260406000205460005260206000f35b60406000205460005260206000f3";

let node: DevNode;
let snapshot: unknown;

const ask = (method: string, ...params: unknown[]): Promise<unknown> => call(node.http, method, ...params);
const word = (value: number | string): string =>
  (typeof value === "number" ? value.toString(16) : value.slice(2)).padStart(64, "0");
const number = async (): Promise<number> => Number(await ask("eth_blockNumber"));
const first = (): string => fundedKey(node, 0).address;

beforeAll(async () => {
  node = await startDevNode();
}, 120_000);

afterAll(async () => {
  await node.knit.stop();
});

beforeEach(async () => {
  snapshot = await ask("evm_snapshot");
});

afterEach(async () => {
  await ask("evm_setAutomine", true);
  expect(await ask("evm_revert", snapshot)).toBe(true);
});

test("balances and allowances of a token are set in the slots that decide them", async () => {
  await ask("anvil_setCode", TOKEN, TOKEN_CODE);
  const balance = (): Promise<unknown> =>
    ask("eth_call", { to: TOKEN, data: `0x70a08231${word(NOBODY)}` }, "latest");
  const allowance = (): Promise<unknown> =>
    ask("eth_call", { to: TOKEN, data: `0xdd62ed3e${word(NOBODY)}${word(first())}` }, "latest");
  expect(await ask("anvil_dealERC20", NOBODY, TOKEN, "0x2a")).toBeNull();
  expect(await ask("anvil_setERC20Allowance", NOBODY, first(), TOKEN, "0x7")).toBeNull();
  expect([await balance(), await allowance()]).toEqual([`0x${word(42)}`, `0x${word(7)}`]);
  await ask("hardhat_dealERC20", NOBODY, TOKEN, "0x0");
  expect([await balance(), await allowance()]).toEqual([`0x${word(0)}`, `0x${word(7)}`]);
  expect(await ask("eth_getStorageAt", TOKEN, "0x7", "latest")).toBe(`0x${word(0)}`);
});

test.each([
  ["an account without code", "0x"],
  ["a contract that reads no storage", "0x602a60005260206000f3"],
  ["a contract that reverts", "0x60006000fd"],
])("%s is no token", async (_, code) => {
  await ask("anvil_setCode", TOKEN, code);
  await expect(ask("anvil_dealERC20", NOBODY, TOKEN, "0x1")).rejects.toMatchObject({
    code: -32603,
    message: "Unable to set ERC20 balance, no slot found",
  });
  await expect(ask("anvil_setERC20Allowance", NOBODY, first(), TOKEN, "0x1")).rejects.toMatchObject({
    message: "Unable to set ERC20 allowance, no slot found",
  });
});

test("detailed blocks have the output of each transaction, and the reason of a revert", async () => {
  const reason = `08c379a0${word(32)}${word(2)}6e6f${"0".repeat(60)}`;
  await ask("anvil_setCode", TOKEN, `0x6064600c60003960646000fd${reason}`);
  await ask("anvil_setCode", NOBODY, "0x602a60005260206000f3");
  await ask("evm_setAutomine", false);
  for (const [nonce, to] of [first(), TOKEN, NOBODY].entries())
    await ask("eth_sendTransaction", { from: first(), to, nonce: `0x${nonce}`, gas: "0x186a0" });
  const blocks = (await ask("evm_mine_detailed")) as { readonly transactions: readonly object[] }[];
  expect(blocks).toMatchObject([{ number: "0x1" }]);
  expect(blocks[0]?.transactions).toMatchObject([
    { output: "0x", to: first() },
    { output: `0x${reason}`, revertReason: "no" },
    { output: `0x${word(42)}` },
  ]);
  expect(blocks[0]?.transactions[2]).not.toHaveProperty("revertReason");
  expect(await ask("anvil_mine_detailed", { blocks: 2 })).toMatchObject([
    { number: "0x2" },
    { number: "0x3" },
  ]);
  await expect(ask("evm_mine_detailed", { blocks: 101 })).rejects.toMatchObject({ code: -32602 });
});

test("a signature stands for the address that was set, for calls and in blocks", async () => {
  const signature = `${"11".repeat(64)}1b`;
  const recovery = `0x${"22".repeat(32)}${word(0x1b)}${"11".repeat(64)}`;
  await ask("anvil_setCode", TOKEN, "0x60806000600037602060006080600060015afa5060005160005500");
  const recovered = (): Promise<unknown> =>
    ask("eth_call", { to: `0x${word(1).slice(24)}`, data: recovery }, "latest");
  const before = await recovered();
  expect(await ask("anvil_impersonateSignature", [`0x${signature}`, NOBODY])).toBeNull();
  expect(before).not.toBe(`0x${word(NOBODY)}`);
  expect(await recovered()).toBe(`0x${word(NOBODY)}`);
  await ask("eth_sendTransaction", { from: first(), to: TOKEN, data: recovery, gas: "0x186a0" });
  expect(await ask("eth_getStorageAt", TOKEN, "0x0", "latest")).toBe(`0x${word(NOBODY)}`);
  for (const pair of [signature, [`0x${signature}`], ["0x1", NOBODY], [`0x${signature}`, "0x1"]])
    await expect(ask("anvil_impersonateSignature", pair)).rejects.toMatchObject({ code: -32602 });
});

test("a reorganization makes other blocks of the same heights with the transactions that are named", async () => {
  const wallet = new Wallet(fundedKey(node, 1).key);
  const hashes = async (): Promise<unknown[]> => {
    const blocks = await Promise.all(
      ["0x1", "0x2", "0x3"].map((at) => ask("eth_getBlockByNumber", at, false)),
    );
    return blocks.map((block) => (block as { readonly hash: string }).hash);
  };
  await ask("evm_mine");
  const gone = await ask("eth_sendTransaction", { from: first(), to: NOBODY, value: "0x1" });
  await ask("evm_mine");
  const before = await hashes();
  const filter = await ask("eth_newBlockFilter");
  const raw = await wallet.signTransaction({
    to: NOBODY,
    value: 2n,
    nonce: 0,
    gasLimit: 21_000n,
    gasPrice: 100_000_000_000n,
    chainId: 1337,
  });
  const request = { from: first(), to: NOBODY, value: "0x4" };
  expect(
    await ask("anvil_reorg", 2, [
      [request, 0],
      [raw, 1],
    ]),
  ).toBeNull();
  const after = await hashes();
  expect(after[0]).toBe(before[0]);
  expect(after.slice(1).filter((hash) => before.includes(hash))).toEqual([]);
  expect(await ask("eth_getFilterChanges", filter)).toEqual(after.slice(1));
  expect(await ask("eth_getTransactionReceipt", gone)).toBeNull();
  expect(await ask("eth_getBalance", NOBODY, "latest")).toBe("0x6");
  expect(await ask("anvil_getAutomine")).toBe(true);
});

test("a reorganization that cannot be made is refused, and one whose transaction is refused says so", async () => {
  await ask("anvil_mine", 2);
  const refused = [
    [[3, []], "Reorg depth must not exceed current chain height: current height 2, depth 3"],
    [
      [1, [[{ to: NOBODY }, 1]]],
      "Block number for reorg tx will exceed the reorged chain height. Block number 1 must not exceed (depth-1) 0",
    ],
    [[1, [["0x00", 0]]], /^a transaction is in no block: block 0: /],
    [[1, "soon"], /pairs/],
    [[1, [[5, 0]]], /pairs/],
  ] as const;
  for (const [params, message] of refused)
    await expect(ask("anvil_reorg", ...params)).rejects.toMatchObject({
      code: -32602,
      message: typeof message === "string" ? message : expect.stringMatching(message),
    });
  expect([await number(), await ask("anvil_getAutomine")]).toEqual([2, true]);
});

test("accounts, slots, fees and receipts are answered under Anvil's further names", async () => {
  expect(await ask("eth_requestAccounts")).toEqual(await ask("eth_accounts"));
  expect(await ask("eth_networkId")).toBe(await ask("net_version"));
  expect(await ask("eth_baseFee")).toBe("0x5d21dba00");
  await ask("anvil_setCode", TOKEN, "0x00");
  await ask("anvil_setStorageAt", TOKEN, "0x1", `0x${word(5)}`);
  expect(await ask("eth_getAccountInfo", TOKEN)).toEqual({ balance: "0x0", nonce: "0x0", code: "0x00" });
  expect(await ask("eth_getAccount", first(), "latest")).toEqual({
    nonce: "0x0",
    balance: await ask("eth_getBalance", first(), "latest"),
    storageRoot: "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
    codeHash: "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
  });
  const slots = [`0x${word(0)}`, `0x${word(1)}`];
  expect(await ask("eth_getStorageValues", { [TOKEN]: slots }, "latest")).toEqual({
    [TOKEN]: [`0x${word(0)}`, `0x${word(5)}`],
  });
  for (const bad of [[], { [TOKEN]: "0x0" }, { [TOKEN]: ["0x0"] }, { "0x1": [] }, 5])
    await expect(ask("eth_getStorageValues", bad)).rejects.toMatchObject({ code: -32602 });
  expect(await ask("eth_sendTransactionSync", { from: first(), to: NOBODY, value: "0x1" })).toMatchObject({
    status: "0x1",
    to: NOBODY,
  });
  expect(await ask("anvil_getBlobByHash", `0x${word(1)}`)).toBeNull();
  expect(await ask("anvil_getBlobsByTransactionHash", `0x${word(1)}`)).toBeNull();
  expect(Number(await ask("anvil_getLastBlockWallTime"))).toBeGreaterThan(1_600_000_000_000);
});

test("Anvil's names answer null where Hardhat's answer true", async () => {
  expect(await ask("anvil_setBalance", NOBODY, "0x1")).toBeNull();
  expect(await ask("hardhat_setBalance", NOBODY, "0x1")).toBe(true);
  expect([await ask("anvil_mine"), await ask("hardhat_mine")]).toEqual([null, true]);
  expect(await ask("anvil_setNextBlockPrevRandao", `0x${word(1)}`)).toBeNull();
  expect(await ask("tenderly_addBalance", NOBODY, "0x1")).toBeNull();
  expect(await ask("eth_getBalance", NOBODY, "latest")).toBe("0x2");
});
