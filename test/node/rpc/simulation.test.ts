/** Tests of `eth_simulateV1`: blocks, overrides, transfers as logs, and the codes of calls that cannot be run. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { DEVELOPMENT_KEYS } from "../../../node/accounts/development-keys.ts";
import { toHex } from "../../../node/bytes/hex.ts";
import { chainReading } from "../../../node/calls/chain-reading.ts";
import { developmentGenesis } from "../../../node/chain/development.ts";
import { rpcProfiles } from "../../../node/compat/profiles.ts";
import { addressOfKey } from "../../../node/crypto/secp256k1.ts";
import { simulationMethods } from "../../../node/rpc/simulation.ts";
import { askRow } from "../../support/ask-row.ts";
import { aChain, type TestChain } from "../../support/chain.ts";

const [KEY = new Uint8Array(32)] = DEVELOPMENT_KEYS;
const RICH = toHex(addressOfKey(KEY));
const TIME = 1_700_000_000;
const at = (name: number): string => `0x${name.toString(16).padStart(40, "0")}`;
const word = (value: number | string): string => `0x${value.toString(16).padStart(64, "0")}`;

/** Returns slot 0. */
const COUNTER = { [at(0x9001)]: { code: "0x60005460005260206000f3" } };
/** Stores the block's number in slot 0. */
const STORES = { [at(0x9002)]: { code: "0x43600055" } };
/** Sends its value on to 0x9009. */
const FORWARDS = { [at(0x9003)]: { code: "0x600060006000600034619009 5af100".replace(" ", "") } };
/** Reverts with the word 5. */
const REVERTS = { [at(0x9004)]: { code: "0x600560005260206000fd" } };
/** Returns number, time, coinbase, base fee and the hash of the block before. */
const DESCRIBES = {
  [at(0x9005)]: { code: "0x43600052426020524160405248606052600143034060805260a06000f3" },
};

interface SimulatedBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly gasLimit: string;
  readonly gasUsed: string;
  readonly transactions: readonly (string | { readonly from: string; readonly hash: string })[];
  readonly calls: readonly {
    readonly returnData: string;
    readonly status: string;
    readonly gasUsed: string;
    readonly maxUsedGas: string;
    readonly logs: readonly { readonly address: string; readonly topics: string[]; readonly data: string }[];
    readonly error?: { readonly code: number; readonly message: string; readonly data?: string };
  }[];
}

let chain: TestChain;

beforeAll(async () => {
  const validator = addressOfKey(new Uint8Array(32).fill(9));
  const terms = { keys: [KEY], chainId: 1337, balance: 10n ** 24n, validator, time: TIME };
  chain = await aChain(developmentGenesis(terms));
});
afterAll(async () => {
  await chain[Symbol.asyncDispose]();
});

async function simulate(blockStateCalls: readonly object[], options: object = {}): Promise<SimulatedBlock[]> {
  const rows = simulationMethods({
    open: () => chainReading(chain.chain),
    limits: { upperGas: 500_000_000n, gasCap: 50_000_000n },
    timeoutMs: 5_000,
    ...rpcProfiles.service.options,
  });
  const blocks = await askRow(rows, "eth_simulateV1", { blockStateCalls, ...options }, "latest");
  return blocks as SimulatedBlock[]; // a list by the method's schema
}

describe("blocks", () => {
  test("follow one another, with empty ones between numbers that are not consecutive", async () => {
    const blocks = await simulate([{}, { blockOverrides: { number: "0x4" } }]);
    expect(blocks.map(({ number }) => Number(number))).toEqual([1, 2, 3, 4]);
    expect(blocks.map(({ timestamp }) => Number(timestamp) - TIME)).toEqual([1, 2, 3, 4]);
    expect(blocks.slice(1).map(({ parentHash }) => parentHash)).toEqual(
      blocks.slice(0, -1).map(({ hash }) => hash),
    );
    expect(blocks[0]?.parentHash).toBe(toHex(chain.chain.head().hash));
  });

  test("have the numbers, times and recipients of their overrides, and know the hashes of those before", async () => {
    const overrides = {
      time: word(TIME + 500),
      feeRecipient: at(0x77),
      baseFeePerGas: "0x7",
      gasLimit: "0x1000000",
    };
    const time = `0x${(TIME + 500).toString(16)}`;
    const [first, second] = await simulate([
      {},
      {
        blockOverrides: { ...overrides, time },
        stateOverrides: DESCRIBES,
        calls: [{ to: at(0x9005) }],
      },
    ]);
    expect(second?.gasLimit).toBe("0x1000000");
    expect(second?.calls[0]?.returnData.slice(2).match(/.{64}/g)).toEqual(
      [2, TIME + 500, 0x77, 7, (first?.hash ?? "").slice(2)].map((value) => word(value).slice(2)),
    );
  });

  test.each([
    [
      [{ blockOverrides: { number: "0x9" } }, { blockOverrides: { number: "0x8" } }],
      -38020,
      "block numbers must be in order: 8 <= 9",
    ],
    [[{ blockOverrides: { time: "0x5" } }], -38021, `block timestamps must be in order: 5 <= ${TIME}`],
    [[{ blockOverrides: { number: "0x200" } }], -38026, "too many blocks"],
    [[], -32000, "empty input"],
    [
      [{ stateOverrides: { [at(1)]: { movePrecompileToAddress: at(9) } } }],
      -32602,
      "invalid argument 0: movePrecompileToAddress is not supported",
    ],
  ])("%j are refused", async (blocks, code, message) => {
    await expect(simulate(blocks as object[])).rejects.toMatchObject({ code, message });
  });
});

describe("calls", () => {
  test("see the state that those before them left, in later blocks, too", async () => {
    const { [at(0x9002)]: stores } = STORES;
    const { [at(0x9001)]: reads } = COUNTER;
    const [, second] = await simulate([
      { stateOverrides: { [at(0x9002)]: stores ?? {} }, calls: [{ to: at(0x9002) }] },
      { stateOverrides: { [at(0x9002)]: { code: reads?.code } }, calls: [{ to: at(0x9002) }] },
    ]);
    expect(second?.calls).toMatchObject([{ status: "0x1", returnData: word(1) }]);
    expect(chain.chain.head().header.number).toBe(0);
  });

  test("need no fee without validation, but their value", async () => {
    const [block] = await simulate([{ calls: [{ from: at(0x5), to: at(0x9999) }] }]);
    expect(block).toMatchObject({
      gasUsed: "0x5208",
      calls: [{ status: "0x1", gasUsed: "0x5208", logs: [] }],
    });
    await expect(
      simulate([{ calls: [{ from: at(0x5), to: at(0x9999), value: "0x1" }] }]),
    ).rejects.toMatchObject({
      code: -38014,
    });
  });

  test("fail alone, with the reason and the data of a revert", async () => {
    const [block] = await simulate([
      { stateOverrides: REVERTS, calls: [{ to: at(0x9004) }, { from: RICH, to: at(0x9004), gas: "0x520a" }] },
    ]);
    expect(block?.calls).toMatchObject([
      { status: "0x0", returnData: "0x", error: { code: 3, data: word(5) } },
      { status: "0x0", error: { code: -32015, message: "out of gas" } },
    ]);
  });

  test("name the gas that they need, which a refund comes off", async () => {
    const clears = { code: "0x6000600055", state: { [word(0)]: word(1) } };
    const [block] = await simulate([
      { stateOverrides: { [at(0x9006)]: clears }, calls: [{ to: at(0x9006) }, { to: at(0x7777) }] },
    ]);
    const refunds = block?.calls.map(({ gasUsed, maxUsedGas }) => Number(maxUsedGas) - Number(gasUsed));
    expect(refunds).toEqual([4800, 0]);
  });

  test("transfers of coins are logs on request, those of undone calls are none", async () => {
    const calls = [
      { from: RICH, to: at(0x9003), value: "0x3" },
      { from: RICH, to: at(0x9004), value: "0x4" },
    ];
    const blocks = [{ stateOverrides: { ...FORWARDS, ...REVERTS }, calls }];
    const [traced] = await simulate(blocks, { traceTransfers: true });
    expect(traced?.calls.map(({ logs }) => logs.map(({ address, data }) => [address, data]))).toEqual([
      [
        [`0x${"ee".repeat(20)}`, word(3)],
        [`0x${"ee".repeat(20)}`, word(3)],
      ],
      [],
    ]);
    expect(traced?.calls[0]?.logs[1]?.topics.slice(1)).toEqual([word("9003"), word("9009")]);
    const [plain] = await simulate(blocks);
    expect(plain?.calls[0]?.logs).toEqual([]);
  });

  test("share the gas of their block", async () => {
    const limit = { blockOverrides: { gasLimit: "0xa410" } }; // two transfers
    const transfer = { from: RICH, to: at(0x9999), gas: "0x5208" };
    const [block] = await simulate([{ ...limit, calls: [transfer, transfer] }]);
    expect(block?.gasUsed).toBe("0xa410");
    await expect(simulate([limit, { calls: [transfer, transfer, transfer] }])).rejects.toMatchObject({
      code: -38015,
    });
  });

  test("are transactions of their block, whole on request", async () => {
    const calls = [{ from: RICH, to: at(0x9999), value: "0x1" }];
    const [hashes] = await simulate([{ calls }]);
    const [whole] = await simulate([{ calls }], { returnFullTransactions: true });
    expect(whole?.transactions).toMatchObject([{ from: RICH, value: "0x1", hash: hashes?.transactions[0] }]);
  });

  test.each([
    [{ maxFeePerGas: "0x1" }, -38012],
    [{ nonce: "0x5", maxFeePerGas: "0xba43b7400" }, -38011],
    [{ gas: "0x10", maxFeePerGas: "0xba43b7400" }, -38013],
    [{ from: at(0x5), maxFeePerGas: "0xba43b7400" }, -38014],
  ])("with validation %j is refused with %i", async (members, code) => {
    const calls = [{ from: RICH, to: at(0x9999), ...members }];
    await expect(simulate([{ calls }], { validation: true })).rejects.toMatchObject({ code });
  });
});
