/** `eth_createAccessList` (EIP-2930): the list covers all that a call accesses, with the gas that it then uses. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { keccak256, serializeTransaction, type TransactionSerializable } from "viem";
import { chainReading } from "../../../node/calls/chain-reading.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { callMethods } from "../../../node/rpc/calls.ts";
import { askRow } from "../../support/ask-row.ts";
import { aChain, type TestChain } from "../../support/chain.ts";
import { assemble } from "../../support/evm.ts";
import { makerGenesis } from "../../support/transfer-chain.ts";

const at = (name: number): string => `0x${name.toString(16).padStart(40, "0")}`;
const slot = (name: number): string => `0x${name.toString(16).padStart(64, "0")}`;
const rich = at(0xabc);
const CODE = {
  /** Reads slots 1 and 0. */
  reader: [at(0x1001), "1 SLOAD POP 0 SLOAD POP"],
  /** Calls the reader, looks at an account, reads the hash of another, asks a precompiled contract. */
  caller: [
    at(0x1002),
    "0 0 0 0 0 0x1001 GAS CALL POP 0x2222 BALANCE POP 0x3333 EXTCODEHASH POP 4 EXTCODESIZE POP",
  ],
  /** Reads another slot once its first one is cheap: the list itself makes it touch more. */
  fickle: [at(0x1003), "GAS 0 SLOAD POP GAS SWAP1 SUB 1000 GT @cheap JUMPI STOP cheap: 5 SLOAD POP"],
  /** Reads a slot and reverts. */
  failing: [at(0x1004), "7 SLOAD POP 0 0 REVERT"],
} as const;

let chain: TestChain;
let list: (args: object, ...more: unknown[]) => Promise<unknown>;
let listForFree: typeof list;

beforeAll(async () => {
  const alloc = Object.fromEntries(
    Object.values(CODE).map(([address, source]) => [
      address,
      { balance: "0x0", code: `0x${Buffer.from(assemble(source)).toString("hex")}` },
    ]),
  );
  const forks = "istanbul london ethTxType magma kore shanghai cancun kaia".split(" ");
  const config = Object.fromEntries(forks.map((name) => [`${name}CompatibleBlock`, 0]));
  const genesis = makerGenesis({ ...alloc, [rich]: { balance: `0x${(10n ** 20n).toString(16)}` } }, config);
  chain = await aChain(parseGenesis(genesis));
  const limits = { upperGas: 500_000_000n, gasCap: 0n };
  const rowsWith = (more: { readonly takesLowPrices?: boolean }) =>
    callMethods({ open: () => chainReading(chain.chain), limits: { ...limits, ...more }, timeoutMs: 5_000 });
  const rows = rowsWith({});
  const freeRows = rowsWith({ takesLowPrices: true });
  list = (args, ...more) => askRow(rows, "chain_createAccessList", args, ...more);
  listForFree = (args, ...more) => askRow(freeRows, "chain_createAccessList", args, ...more);
});
afterAll(async () => {
  await chain[Symbol.asyncDispose]();
});

const BASE_GAS = 21_000;
const quantity = (gas: number): string => `0x${gas.toString(16)}`;

test("a list contains the contract's own slots, and the gas is that of warm slots", async () => {
  expect(await list({ from: rich, to: CODE.reader[0] }, "latest")).toEqual({
    accessList: [{ address: CODE.reader[0], storageKeys: [slot(1), slot(0)] }],
    gasUsed: quantity(BASE_GAS + 2 * (3 + 100 + 2)),
  });
});

test("a list contains accessed accounts except sender, recipient and precompiled contracts", async () => {
  const found = (await list({ from: rich, to: CODE.caller[0] }, "latest")) as { accessList: unknown[] };
  expect(found.accessList).toHaveLength(3);
  expect(found.accessList).toEqual(
    expect.arrayContaining([
      { address: CODE.reader[0], storageKeys: [slot(1), slot(0)] },
      { address: at(0x2222), storageKeys: [] },
      { address: at(0x3333), storageKeys: [] },
    ]),
  );
});

test("a list contains slots that the call accesses only because of the list", async () => {
  expect(await list({ from: rich, to: CODE.fickle[0] }, "latest")).toMatchObject({
    accessList: [{ address: CODE.fickle[0], storageKeys: [slot(0), slot(5)] }],
  });
});

test("the list in the arguments costs nothing and its entries are kept", async () => {
  const own = [{ address: at(0x4444), storageKeys: [slot(9)] }];
  expect(await list({ from: rich, to: CODE.reader[0], accessList: own }, "latest")).toMatchObject({
    accessList: expect.arrayContaining([
      ...own,
      { address: CODE.reader[0], storageKeys: [slot(1), slot(0)] },
    ]),
    gasUsed: quantity(BASE_GAS + 2 * (3 + 100 + 2)),
  });
});

test("a failing call returns its list and the error", async () => {
  expect(await list({ from: rich, to: CODE.failing[0] }, "latest")).toMatchObject({
    accessList: [{ address: CODE.failing[0], storageKeys: [slot(7)] }],
    error: "evm: execution reverted",
  });
});

test("the error of a call that fails in the machine is that of its receipt, as in the Go node", async () => {
  for (const data of ["0xfe", "0x600056"])
    expect(await list({ from: rich, data }, "latest")).toMatchObject({
      error: "VM error occurs while running smart contract",
    });
});

test("on a development chain a list without prices costs a sender without funds nothing", async () => {
  const args = { from: at(0x999), to: CODE.reader[0] };
  expect(await listForFree(args)).toMatchObject({ gasUsed: quantity(BASE_GAS + 2 * (3 + 100 + 2)) });
  await expect(listForFree({ ...args, gasPrice: "0x174876e800" })).rejects.toThrow("insufficient balance");
});

test.each([
  [{ gas: "0x1dcd6501" }, "gas limit 500000001 exceeds the upper limit 500000000"],
  [
    { maxPriorityFeePerGas: "0xae9f7bcc00" },
    "maxFeePerGas (0x66720b300) < maxPriorityFeePerGas (0xae9f7bcc00)",
  ],
  [{ maxFeePerGas: "0x1" }, "maxFeePerGas (0x1) < BaseFee (27500000000)"],
  [
    { maxFeePerGas: "0x66720b300", maxPriorityFeePerGas: "0x66720b301" },
    "MaxPriorityFeePerGas is greater than MaxFeePerGas",
  ],
])("prices and gas %j are refused as for a transaction", async (given, message) => {
  await expect(list({ from: rich, to: CODE.reader[0], ...given }, "latest")).rejects.toThrow(message);
});

const UNSIGNED = { r: "0x00", s: "0x00", yParity: 0 } as const;

/** Hashes by viem's encoding of the transaction that the call stands for. */
test.each<[string, object, Partial<TransactionSerializable>]>([
  ["a gas price", { gasPrice: "0x1" }, { type: "eip2930", gasPrice: 1n }],
  ["no price", {}, { type: "eip1559", maxFeePerGas: 27_500_000_000n, maxPriorityFeePerGas: 0n }],
  [
    "a nonce and a chain id",
    { gasPrice: "0x5d21dba00", nonce: "0x7", chainId: "0x3460" },
    { type: "eip2930", gasPrice: 25_000_000_000n, nonce: 7, chainId: 0x3460 },
  ],
])("the error of a call with %s has the hash of its transaction", async (_what, given, expected) => {
  const to = CODE.reader[0] as `0x${string}`;
  const sent = { chainId: 9001, nonce: 0, gas: 500_000_000n, to, value: 2n ** 255n, accessList: [] };
  const hash = keccak256(serializeTransaction({ ...sent, ...expected } as TransactionSerializable, UNSIGNED));
  await expect(
    list({ from: at(0xdef), to, value: `0x${sent.value.toString(16)}`, ...given }, "latest"),
  ).rejects.toThrow(`failed to apply transaction: ${hash} err: `);
});

test("a sender without funds gets an error with the hash of the unsigned transaction", async () => {
  await expect(list({ from: at(0xdef), to: CODE.reader[0], value: "0x1" }, "latest")).rejects.toMatchObject({
    code: -32000,
    message: expect.stringMatching(/^failed to apply transaction: 0x[0-9a-f]{64} err: insufficient balance/),
  });
});
