/** Tests of the log methods: filters, ranges, limits. */
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { logFilter } from "../../../node/calls/arguments/log-filter.ts";
import { searchLogs } from "../../../node/calls/log-search.ts";
import { storeLogSource } from "../../../node/calls/log-source.ts";
import { writeBlockRows } from "../../../node/chain/block-rows.ts";
import { type ProfileName, rpcProfiles } from "../../../node/compat/profiles.ts";
import { type Block, createBlock } from "../../../node/model/block.ts";
import { bloomOf, mergeBlooms } from "../../../node/model/bloom.ts";
import type { EventLog, Receipt } from "../../../node/model/receipt.ts";
import { logMethods } from "../../../node/rpc/logs.ts";
import { encodeHead, HEAD_KEY, NOTHING } from "../../../node/state/rows.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import { adaptRows } from "../../support/adapt-rows.ts";
import { askRow } from "../../support/ask-row.ts";
import { bareHeader } from "../../support/bare-header.ts";
import { aCall, anEndpoint, aSession } from "./fixture.ts";

const fill = (byte: number, length = 32) => new Uint8Array(length).fill(byte);

/** One receipt per list of logs. */
function receiptsOf(number: number, logs: readonly (readonly EventLog[])[]): Receipt[] {
  return logs.map((own, index) => ({
    status: 1,
    gasUsed: 21_000n,
    bloom: bloomOf(own),
    logs: own,
    transactionHash: fill(number * 16 + index),
    contractAddress: undefined,
  }));
}

function blockOf(number: number, receipts: readonly Receipt[]): Block {
  const bloom = mergeBlooms(receipts.map((receipt) => receipt.bloom));
  return createBlock(bareHeader({ number, parentHash: fill(number), bloom }), []);
}

const A = fill(0xa, 20);
const B = fill(0xb, 20);
const aLog = (address: Uint8Array, ...topics: readonly number[]): EventLog => ({
  address,
  topics: topics.map((byte) => fill(byte)),
  data: fill(1, 2),
});

/** Blocks 0 to 3; logs in 1 and 3. */
const layout: readonly (readonly (readonly EventLog[])[])[] = [
  [],
  [[aLog(A, 1)], [aLog(B, 1, 2), aLog(A, 2)]],
  [],
  [[], [aLog(B, 3, 2)]],
];

async function aStore() {
  const store = createMemoryStore();
  const batch = store.createBatch();
  for (const [number, logs] of layout.entries()) {
    const receipts = receiptsOf(number, logs);
    writeBlockRows(batch, blockOf(number, receipts), receipts);
  }
  batch.put(HEAD_KEY, encodeHead({ ...NOTHING, number: layout.length - 1 }));
  await store.write(batch, { sync: true });
  return store;
}

test("only the older line searches pending blocks, from block 0 on", async () => {
  await using store = await aStore();
  using source = storeLogSource(store);
  const filter = logFilter.decode({ fromBlock: "pending" });
  expect(() => searchLogs(source, filter, { maxLogs: 0, maxRange: 0 })).toThrow(
    "pending logs are not supported",
  );
  const rows = logMethods({ open: () => storeLogSource(store), limits: { maxLogs: 0, maxRange: 0 } });
  const ask = (profile: ProfileName, query: object) =>
    askRow(adaptRows(profile, rows), "chain_getLogs", query);
  await expect(ask("kaia", { toBlock: "pending" })).rejects.toThrow("pending logs are not supported");
  expect(await ask("klaytn", { fromBlock: "pending" })).toHaveLength(4);
  expect(await ask("klaytn", { fromBlock: "0x0", toBlock: "pending" })).toHaveLength(4);
  const blockHash = `0x${"01".repeat(32)}`;
  await expect(ask("kaia", { blockHash })).rejects.toThrow(`(hash: ${blockHash})`);
  await expect(ask("klaytn", { blockHash })).rejects.toThrow(`(hash: [${"1 ".repeat(32).trim()}])`);
});

async function search(json: object, maxLogs = 0, maxRange = 0) {
  await using store = await aStore();
  using source = storeLogSource(store);
  return searchLogs(source, logFilter.decode(json), { maxLogs, maxRange }) as Record<string, unknown>[];
}

/** Block number and log index of each log. */
async function places(json: object): Promise<string[]> {
  const found = await search(json);
  return found.map(({ blockNumber, logIndex }) => `${String(blockNumber)}/${String(logIndex)}`);
}

test("the logs of a range are returned oldest first, with their index in the block", async () => {
  expect(await places({ fromBlock: "0x0" })).toEqual(["0x1/0x0", "0x1/0x1", "0x1/0x2", "0x3/0x0"]);
  expect(await places({ fromBlock: "0x2", toBlock: "0x3" })).toEqual(["0x3/0x0"]);
  expect(await places({})).toEqual(["0x3/0x0"]);
  expect(await places({ fromBlock: "earliest", toBlock: "0x1" })).toHaveLength(3);
});

test("a log has its position and the Go node's order of keys", async () => {
  const [log] = await search({ fromBlock: "0x3" });
  expect(JSON.stringify(log)).toBe(
    JSON.stringify({
      address: toHex(B),
      topics: [toHex(fill(3)), toHex(fill(2))],
      data: "0x0101",
      blockNumber: "0x3",
      transactionHash: toHex(fill(0x31)),
      transactionIndex: "0x1",
      blockHash: toHex(blockOf(3, receiptsOf(3, layout[3] ?? [])).hash),
      logIndex: "0x0",
      removed: false,
    }),
  );
});

test.each([
  ["one address", { address: toHex(B) }, ["0x1/0x1", "0x3/0x0"]],
  ["several addresses", { address: [toHex(A), toHex(B)] }, ["0x1/0x0", "0x1/0x1", "0x1/0x2", "0x3/0x0"]],
  ["a first topic", { topics: [toHex(fill(1))] }, ["0x1/0x0", "0x1/0x1"]],
  [
    "one of two first topics",
    { topics: [[toHex(fill(1)), toHex(fill(3))]] },
    ["0x1/0x0", "0x1/0x1", "0x3/0x0"],
  ],
  ["a second topic", { topics: [null, toHex(fill(2))] }, ["0x1/0x1", "0x3/0x0"]],
  [
    "null in a list, which is any",
    { topics: [[null, toHex(fill(9))], [toHex(fill(2))]] },
    ["0x1/0x1", "0x3/0x0"],
  ],
  ["an empty list, which is any", { topics: [[]] }, ["0x1/0x0", "0x1/0x1", "0x1/0x2", "0x3/0x0"]],
  ["more topics than a log has", { topics: [null, null, null] }, []],
  ["more topics than a log can have", { topics: [null, null, null, null, null] }, []],
  ["a topic of another log's address", { address: toHex(A), topics: [null, toHex(fill(2))] }, []],
])("%s", async (_name, filter, expected) => {
  expect(await places({ fromBlock: "0x0", ...filter })).toEqual(expected);
});

test("a search by block hash returns the logs of one block", async () => {
  const blockHash = toHex(blockOf(1, receiptsOf(1, layout[1] ?? [])).hash);
  expect(await places({ blockHash })).toEqual(["0x1/0x0", "0x1/0x1", "0x1/0x2"]);
});

test("a result above the maximum number of logs is refused, one at the maximum is not", async () => {
  await expect(search({ fromBlock: "0x0" }, 3)).rejects.toThrow("query returned more than 3 results");
  expect(await search({ fromBlock: "0x0" }, 4)).toHaveLength(4);
});

test("the refusal of too many logs names the block to go on from", async () => {
  await expect(search({ fromBlock: "0x0" }, 3)).rejects.toThrow(
    "query returned more than 3 results: search up to block 2, then go on from block 3",
  );
  expect(await search({ fromBlock: "0x0", toBlock: "0x2" }, 3)).toHaveLength(3);
  expect(await search({ fromBlock: "0x3" }, 3)).toHaveLength(1);
  await expect(search({ fromBlock: "0x1" }, 2)).rejects.toThrow(
    "query returned more than 2 results: block 1 alone has more: narrow the filter",
  );
});

test("the Go profiles do not name it", async () => {
  await using store = await aStore();
  using source = storeLogSource(store);
  const filter = logFilter.decode({ fromBlock: "0x0" });
  const limits = { maxLogs: 3, maxRange: 0, goErrors: true };
  expect(() => searchLogs(source, filter, limits)).toThrow(/^query returned more than 3 results$/);
  expect(Object.entries(rpcProfiles).map(([name, { goLogErrors }]) => [name, goLogErrors])).toEqual([
    ["service", false],
    ["klaytn", true],
    ["kaia", true],
  ]);
});

test("a range above the maximum is refused with the one that would do", async () => {
  await expect(search({ fromBlock: "0x0", toBlock: "0x3" }, 0, 2)).rejects.toThrow(
    "range of 4 blocks is above the limit of 2: search blocks 0 to 1, then go on from block 2",
  );
  expect(await search({ fromBlock: "0x0", toBlock: "0x1" }, 0, 2)).toHaveLength(3);
  expect(await search({ fromBlock: "0x0" }, 0, 4)).toHaveLength(4);
});

test.each([
  [
    { blockHash: toHex(fill(1)), toBlock: "0x1" },
    "cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other",
  ],
  [{ address: "0x12" }, "invalid address: hex has invalid length 1 after decoding"],
  [{ address: "zz" }, "invalid address: hex string without 0x prefix"],
  [{ address: "0xinvalid" }, "invalid address: invalid hex string"],
  [{ address: 5 }, "invalid addresses in query"],
  [{ address: [5] }, "non-string address at index 0"],
  [{ address: [toHex(A), "0x123"] }, "invalid address at index 1: hex string of odd length"],
  [{ topics: [5] }, "invalid topic(s)"],
  [{ topics: "x" }, "json: cannot unmarshal string into Go struct field input.topics of type []interface {}"],
  [{ topics: ["0x12"] }, "hex has invalid length 1 after decoding"],
  [{ topics: [["0xzz"]] }, "invalid hex string"],
])("%j is refused with the Go node's error", async (filter, message) => {
  const methods = logMethods({
    open: () => {
      throw new Error("not reached");
    },
    limits: { maxLogs: 0, maxRange: 0 },
  });
  const answer = await anEndpoint({ methods }).answer(aCall("eth_getLogs", [filter]), aSession);
  expect(JSON.parse(answer ?? "")).toMatchObject({
    error: { code: -32602, message: `invalid argument 0: ${message}` },
  });
});
