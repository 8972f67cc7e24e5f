/** Contract calls: outputs, estimates, computation cost, and the errors of failing calls. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { getCreateAddress } from "ethers";
import { chainReading } from "../../../node/calls/chain-reading.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { callMethods } from "../../../node/rpc/calls.ts";
import { askRow } from "../../support/ask-row.ts";
import { aChain, type TestChain } from "../../support/chain.ts";
import { makerGenesis } from "../../support/transfer-chain.ts";

const at = (name: number): string => `0x${name.toString(16).padStart(40, "0")}`;
const rich = at(0xabc);
/** Contracts by their behaviour. */
const CODE = {
  /** Returns slot 0. */
  reader: [at(0x1001), "0x60005460005260206000f3"],
  /** Returns its balance. */
  purse: [at(0x1002), "0x303160005260206000f3"],
  /** Reverts without a word. */
  silent: [at(0x1003), "0x60006000fd"],
  /** Reverts with what it was called with. */
  echo: [at(0x1004), "0x366000600037366000fd"],
  endless: [at(0x1005), "0x5b600056"],
  invalid: [at(0x1006), "0xfe"],
  /** Needs 100,000 gas to be there, uses next to none. */
  greedy: [at(0x1007), "0x620186a05a10600a57005b60006000fd"],
} as const;
const notToday = `0x08c379a0${"20".padStart(64, "0")}${"09".padStart(64, "0")}${"6e6f7420746f646179".padEnd(64, "0")}`;
const panic = (code: string): string => `0x4e487b71${code.padStart(64, "0")}`;

let chain: TestChain;
let call: (method: string, ...params: unknown[]) => Promise<unknown>;

beforeAll(async () => {
  const storage = { [`0x${"0".repeat(64)}`]: "0x2a" };
  const alloc = Object.fromEntries(
    Object.values(CODE).map(([address, code]) => [
      address,
      { balance: "0x7", code, ...(address === CODE.reader[0] && { storage }) },
    ]),
  );
  const genesis = makerGenesis({ ...alloc, [rich]: { balance: "0x64" } }, { istanbulCompatibleBlock: 0 });
  chain = await aChain(parseGenesis(genesis));
  const rows = callMethods({
    open: () => chainReading(chain.chain),
    limits: { upperGas: 500_000_000n, maxEstimate: 500_000_000n, gasCap: 0n },
    timeoutMs: 5_000,
  });
  call = (name, ...params) => askRow(rows, name, ...params);
});
afterAll(async () => {
  await chain[Symbol.asyncDispose]();
});

const word = (value: number): string => `0x${value.toString(16).padStart(64, "0")}`;

test("a call returns the contract's output and changes no state", async () => {
  expect(await call("chain_call", { to: CODE.reader[0] }, "latest")).toBe(word(42));
  expect(await call("eth_call", { to: CODE.purse[0], from: rich, value: "0x5" }, "latest")).toBe(word(12));
  expect(await call("eth_call", { to: CODE.purse[0] }, "latest")).toBe(word(7));
  expect(await call("eth_call", { data: "0x602a60005260206000f3" }, "0x0")).toBe(word(42));
});

test("state overrides apply to one call only", async () => {
  const slot = `0x${"0".repeat(64)}`;
  const reader = { to: CODE.reader[0] };
  const [other, nothing] = [word(1), word(0)];
  const over = async (changes: object): Promise<unknown> =>
    call("eth_call", reader, "latest", { [CODE.reader[0]]: changes });
  expect(await over({ stateDiff: { [slot]: other } })).toBe(other);
  expect(await over({ stateDiff: { [other]: other } })).toBe(word(42));
  expect(await over({ state: { [other]: other } })).toBe(nothing);
  expect(await over({ code: CODE.purse[1], balance: "0x63" })).toBe(word(0x63));
  await expect(over({ state: {}, stateDiff: {} })).rejects.toMatchObject({
    message: `account ${CODE.reader[0]} has both 'state' and 'stateDiff'`,
  });
  expect(await call("eth_call", reader, "latest")).toBe(word(42));
});

test("code put on an absent or an empty account runs, and its slots count as changed by the call", async () => {
  const [absent, zero] = [`0x12${"00".repeat(18)}01`, `0x${"0".repeat(64)}`];
  const over = async (changes: object): Promise<unknown> =>
    call("eth_call", { to: absent }, "latest", { [absent]: changes });
  const output = "60005260206000f3";
  expect(await over({ code: `0x600054${output}`, stateDiff: { [zero]: word(5) } })).toBe(word(5));
  expect(await over({ code: `0x600054${output}`, state: { [zero]: word(6) } })).toBe(word(6));
  expect(await over({ code: `0x602a${output}`, nonce: "0x0", balance: "0x0" })).toBe(word(42));
  const storeGas = `0x5a60056000555a9003${output}`; // GAS, SSTORE of 5 at slot 0, GAS: the difference
  const fromZero = await over({ code: storeGas });
  expect(await over({ code: storeGas, state: { [zero]: word(1) } })).not.toBe(fromZero); // 1 is committed
  expect(await over({ code: storeGas, stateDiff: { [zero]: word(1) } })).toBe(word(0x328)); // dirty already: 800, and 8 for the rest
  const create = `0x600060006000f0${output}`;
  expect(await over({ code: create })).toBe(
    `0x${"0".repeat(24)}${getCreateAddress({ from: absent, nonce: 0 }).slice(2).toLowerCase()}`,
  );
});

test.each([
  ["a text", notToday, { code: 3, message: "execution reverted: not today", data: `"${notToday}"` }],
  ["a panic", panic("1"), { code: 3, message: "execution reverted: assert(false)" }],
  [
    "a panic of no known number",
    panic("77"),
    { code: 3, message: "execution reverted: unknown panic code: 0x77" },
  ],
  ["an error of its own", "0x01020304", { code: 3, message: "execution reverted", data: '"0x01020304"' }],
  ["a text that is longer than it says", notToday.slice(0, 140), { code: 3, message: "execution reverted" }],
])("a revert with %s returns its reason", async (_what, data, error) => {
  for (const name of ["chain_call", "chain_estimateGas"]) {
    await expect(call(name, { to: CODE.echo[0], data }, "latest")).rejects.toMatchObject(error);
  }
});

test.each([
  ["a revert without a word", { to: CODE.silent[0] }, "evm: execution reverted"],
  ["an invalid opcode", { to: CODE.invalid[0] }, "VM error occurs while running smart contract"],
  ["all gas used", { to: CODE.endless[0], gas: "0x30d40" }, "out of gas"],
  [
    "gas above the limit",
    { to: rich, gas: "0x1dcd6501" },
    "gas limit 500000001 exceeds the upper limit 500000000",
  ],
  [
    "gas that does not cover the input",
    { to: rich, gas: "0x5208", data: "0xff" },
    "intrinsic gas too low: msg.gas 21000, want 21100",
  ],
  [
    "a value that is not there",
    { to: rich, value: "0x1" },
    "err: insufficient balance for transfer (supplied gas 500000000)",
  ],
])("%s returns the Go node's error", async (_what, args, message) => {
  await expect(call("chain_call", args, "latest")).rejects.toMatchObject({ code: -32000, message });
});

test("an estimate is the lowest gas limit with which the call succeeds", async () => {
  expect(await call("chain_estimateGas", { to: rich })).toBe("0x5208");
  const needed = Number(await call("eth_estimateGas", { to: CODE.greedy[0] }));
  expect(needed).toBeGreaterThan(121_000);
  const exact = { to: CODE.greedy[0], gas: `0x${needed.toString(16)}` };
  expect(await call("eth_call", exact, "latest")).toBe("0x");
  const less = { ...exact, gas: `0x${(needed - 1).toString(16)}` };
  await expect(call("eth_call", less, "latest")).rejects.toMatchObject({
    message: "evm: execution reverted",
  });
});

test.each([
  ["endless work", { to: CODE.endless[0], gas: "0x30d40" }, "gas required exceeds allowance (200000)"],
  [
    "too little balance for gas at a price",
    { from: rich, to: at(1), gasPrice: "0x1" },
    "gas required exceeds allowance (100)",
  ],
  [
    "more gas than a transaction may have",
    { to: at(1), gas: "0x1dcd6501" },
    "gas limit 500000001 exceeds the upper limit 500000000",
  ],
  [
    "less than the value",
    { from: rich, to: at(0x2001), gasPrice: "0x1", value: "0x65" },
    "insufficient funds for transfer",
  ],
])("an estimate of %s is refused", async (_what, args, message) => {
  await expect(call("eth_estimateGas", args)).rejects.toMatchObject({ code: -32000, message });
});

test("the computation cost counts every opcode, also of a failing call", async () => {
  // PUSH1 120, SLOAD 835, PUSH1 120, MSTORE 288, twice PUSH1, RETURN 0
  expect(await call("chain_estimateComputationCost", { to: CODE.reader[0] }, "latest")).toBe(
    `0x${(835 + 288 + 4 * 120).toString(16)}`,
  );
  expect(await call("chain_estimateComputationCost", { to: CODE.silent[0] }, "latest")).toBe("0xf0");
});

test("a negative computation cost wraps at 64 bits, as in the Go node", async () => {
  const modexp = { to: `0x${"5".padStart(40, "0")}`, data: `0x${"f".repeat(192)}` };
  expect(await call("chain_estimateComputationCost", modexp, "latest")).toBe("0xffffffffffffffff");
});

test("errors for unknown blocks name the block", async () => {
  await expect(call("chain_call", { to: rich }, "0x9")).rejects.toMatchObject({
    message: "the header does not exist (block number: 9)",
  });
  await expect(call("chain_call", { to: rich }, `0x${"12".repeat(32)}`)).rejects.toMatchObject({
    message: "header for hash not found",
  });
});
