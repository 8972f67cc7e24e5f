/** Installed filters: their changes, expiry and limits. */
import { expect, test } from "@jest/globals";
import { fromHex } from "../../../node/bytes/hex.ts";
import { type LogFilter, logFilter, logFilterJson } from "../../../node/calls/arguments/log-filter.ts";
import { type FilterLimits, type FilterOrigin, Filters } from "../../../node/calls/filters.ts";
import { PendingList } from "../../../node/calls/pending-list.ts";
import type { RewindListener } from "../../../node/chain/chain.ts";
import { failure } from "../../../node/jsonrpc/errors.ts";
import type { CallOrigin } from "../../../node/jsonrpc/method.ts";
import type { Block } from "../../../node/model/block.ts";
import type { Receipt } from "../../../node/model/receipt.ts";
import { filterMethods } from "../../../node/rpc/filters.ts";
import type { PendingListener } from "../../../node/txpool/pool.ts";

const anyLog = logFilter.decode({});
const origin: FilterOrigin = {
  signal: new AbortController().signal,
  caller: { owner: "10.0.0.1" },
  module: "chain",
};
const hashOf = (number: number): Uint8Array => new Uint8Array(32).fill(number);
const hashText = (number: number): string => `0x${Buffer.from(hashOf(number)).toString("hex")}`;
const blockOf = (number: number): Block => ({ header: { number }, hash: hashOf(number) }) as unknown as Block; // what is read

const listen =
  <T>(all: Set<T>) =>
  (listener: T) => {
    all.add(listener);
    return () => all.delete(listener);
  };

/** A fake chain and pool, and a search that returns its range. */
function aScene(limits: Partial<FilterLimits> = {}) {
  let head = 5;
  let time = 0;
  let most = Number.POSITIVE_INFINITY;
  const searches: [LogFilter, CallOrigin][] = [];
  const rewinds = new Set<RewindListener>();
  const pendings = new Set<PendingListener>();
  const chain = {
    head: () => blockOf(head),
    header: (number: number) => (number <= head ? blockOf(number) : undefined),
    onRewind: listen(rewinds),
  };
  const filters = new Filters({
    chain,
    pool: { onPending: listen(pendings) },
    now: () => time,
    limits,
    searchLogs: async (filter, asked) => {
      const { from, to } = filter;
      searches.push([filter, asked]);
      if (Number(to) - Number(from) >= most)
        throw failure("query returned more than 1 results", "too-many-results");
      return JSON.stringify([`${from}-${to}`]);
    },
  });
  return {
    filters,
    searches,
    listeners: () => [rewinds.size, pendings.size],
    grow: (to: number) => void (head = to),
    pass: (ms: number) => void (time += ms),
    allow: (blocks: number) => void (most = blocks),
    pend: (...numbers: number[]) => {
      for (const listener of pendings) listener(numbers.map((each) => ({ hash: hashOf(each) })) as never);
    },
    rewind: (to: number, receipts: readonly Receipt[]) => {
      const removed = Array.from({ length: head - to }, (_, at) => ({ block: blockOf(head - at), receipts }));
      head = to;
      for (const listener of rewinds) listener(removed, blockOf(to));
    },
    changes: async (id: string): Promise<unknown> => JSON.parse(await filters.changes(id, origin)),
  };
}

test("a search is charged to who polls the filter, and ends with it", async () => {
  const { filters, searches, grow, changes } = aScene();
  const id = filters.addLogs({ ...anyLog, blockHash: new Uint8Array(32), from: 0 }, origin);
  grow(6);
  await changes(id);
  await filters.logs(id, origin);
  expect(searches.map(([, asked]) => asked === origin)).toEqual([true, true]);
});

test("the block hash of a filter does not count when its logs are read", async () => {
  const { filters, searches } = aScene();
  await filters.logs(filters.addLogs({ ...anyLog, blockHash: new Uint8Array(32), from: 2 }, origin), origin);
  expect(searches).toMatchObject([[{ from: 2, blockHash: undefined }, origin]]);
});

test("a block filter reports each new block once", async () => {
  const { filters, grow, changes } = aScene({ hashes: 2 });
  const id = filters.addBlocks(origin);
  expect(await changes(id)).toEqual([]);
  grow(8);
  expect(await changes(id)).toEqual([hashText(6), hashText(7)]);
  expect(await changes(id)).toEqual([hashText(8)]);
  expect(await changes(id)).toEqual([]);
});

test("a pending transaction filter reports transactions since its creation", async () => {
  const { filters, pend, changes, listeners } = aScene();
  const [first, other] = [filters.addPending(origin), filters.addBlocks(origin)];
  pend(1, 2);
  const second = filters.addPending(origin);
  pend(3);
  expect(await changes(first)).toEqual([hashText(1), hashText(2), hashText(3)]);
  expect(await changes(second)).toEqual([hashText(3)]);
  for (const id of [first, second]) filters.remove(id, origin);
  expect(listeners()).toEqual([1, 0]);
  filters.remove(other, origin);
  expect(listeners()).toEqual([0, 0]);
});

test("a log filter searches the blocks since the last poll that lie in its range", async () => {
  const { filters, grow, changes } = aScene();
  const all = filters.addLogs(logFilter.decode({}), origin);
  const some = filters.addLogs(logFilter.decode({ fromBlock: "0x0", toBlock: "0x7" }), origin);
  expect(await changes(all)).toEqual([]);
  grow(9);
  expect(await changes(all)).toEqual(["6-9"]);
  expect(await changes(some)).toEqual(["6-7"]);
  grow(10);
  expect(await changes(all)).toEqual(["10-10"]);
  expect(await changes(some)).toEqual([]);
  expect(JSON.parse(await filters.logs(some, origin))).toEqual(["0-7"]);
});

test("too many logs are returned over several polls; a single block with too many logs is an error once", async () => {
  const { filters, grow, allow, changes } = aScene();
  const id = filters.addLogs(logFilter.decode({}), origin);
  grow(13);
  allow(3);
  expect(await changes(id)).toEqual(["6-7"]);
  expect(await changes(id)).toEqual(["8-10"]);
  allow(0);
  await expect(changes(id)).rejects.toMatchObject({ message: "query returned more than 1 results" });
  allow(9);
  expect(await changes(id)).toEqual(["12-13"]);
});

test("logs of reported blocks that leave the chain are returned as removed", async () => {
  const { filters, grow, rewind, changes } = aScene();
  const log = { address: fromHex(`0x${"ab".repeat(20)}`), topics: [], data: new Uint8Array(0) };
  const receipts = [{ transactionHash: hashOf(1), logs: [log] }] as unknown as Receipt[]; // what is read
  const [logs, blocks] = [filters.addLogs(logFilter.decode({}), origin), filters.addBlocks(origin)];
  grow(7);
  await changes(logs);
  rewind(6, receipts);
  grow(7);
  expect(await changes(logs)).toMatchObject([{ blockNumber: "0x7", removed: true }, "7-7"]);
  expect(await changes(blocks)).toEqual([hashText(6), hashText(7)]);
});

test("a filter expires five minutes after its last poll", async () => {
  const { filters, pass, changes } = aScene();
  const [polled, forgotten] = [filters.addBlocks(origin), filters.addBlocks(origin)];
  pass(200_000);
  await changes(polled);
  pass(200_000);
  expect(await changes(polled)).toEqual([]);
  await expect(changes(forgotten)).rejects.toMatchObject({ code: -32000, message: "filter not found" });
  expect(filters.remove(forgotten, origin)).toBe(false);
});

test("only log filters return logs", () => {
  const { filters } = aScene();
  expect(() => filters.logs(filters.addBlocks(origin), origin)).toThrow("filter not found");
  expect(() => filters.addLogs(logFilter.decode({ toBlock: "0x9" }), origin)).toThrow(
    "invalid from and to block combination: from > to",
  );
});

const by = (owner: string): FilterOrigin => ({ ...origin, caller: { owner } });

test("a filter of one module is not found in another", async () => {
  const methods = filterMethods(aScene().filters);
  const context = { ...origin, modules: [], document: () => "" };
  const ask = async (name: string, ...params: readonly unknown[]) =>
    methods.find((row) => row.name === name)?.invoke(params, context);
  const id: unknown = JSON.parse((await ask("chain_newFilter", {})) ?? "");
  await expect(ask("eth_getFilterChanges", id)).rejects.toThrow("filter not found");
  await expect(ask("eth_getFilterLogs", id)).rejects.toThrow("filter not found");
  expect(await ask("eth_uninstallFilter", id)).toBe("false");
  expect(await ask("chain_getFilterChanges", id)).toBe("[]");
});

test("the memory of filters and their criteria is bounded", () => {
  const { filters } = aScene({ bytes: 10_000 });
  const wide = logFilter.decode({ address: Array.from({ length: 100 }, () => `0x${"ab".repeat(20)}`) });
  expect(() => filters.addLogs(wide, origin)).toThrow("too many filters");
  for (let i = 0; i < 25; i++) filters.addBlocks(origin);
  expect(() => filters.addBlocks(origin)).toThrow("too many filters");
});

test("strangers who fill the memory of filters refuse nobody else: the dearest loses its own", async () => {
  const { filters, changes } = aScene({ bytes: 100_000 });
  const good = filters.addBlocks(by("good"));
  const many = Array.from({ length: 149 }, () => filters.addPending(by("stranger-1")));
  const fewer = Array.from({ length: 100 }, () => filters.addPending(by("stranger-2")));
  expect(() => filters.addPending(by("stranger-1"))).toThrow("too many filters");
  expect(filters.size).toBe(250);
  const late = filters.addBlocks(by("late"));
  expect(filters.size).toBe(102);
  for (const id of [good, late, ...fewer]) expect(await changes(id)).toEqual([]);
  expect(() => filters.changes(many[0] ?? "", origin)).toThrow("filter not found");
  filters.addPending(by("stranger-1"));
});

test("connections without an address are charged one by one", () => {
  const { filters } = aScene({ bytes: 10_000 });
  const [greedy, other] = [
    { ...origin, caller: {} },
    { ...origin, caller: {} },
  ];
  for (let i = 0; i < 25; i++) filters.addBlocks(greedy);
  filters.addBlocks(other);
  expect(filters.size).toBe(1);
});

test("a position in the list of pending transactions expires", () => {
  const listeners = new Set<PendingListener>();
  const list = new PendingList(
    { onPending: (each) => (listeners.add(each), () => listeners.delete(each)) },
    2,
  );
  list.listen(true);
  const start = list.end;
  for (const number of [1, 2, 3, 4, 5])
    for (const each of listeners) each([{ hash: hashOf(number) }] as never);
  expect(list.from(start, 10)).toBeUndefined();
  expect(list.from(list.end - 2, 10)).toEqual([hashOf(4), hashOf(5)]);
  list.listen(false);
  expect(list.from(start, 10)).toBeUndefined();
});

test("an encoded filter decodes to the same filter", () => {
  const filter = logFilter.decode({
    fromBlock: "earliest",
    toBlock: "0x9",
    address: `0x${"ab".repeat(20)}`,
    topics: [null, `0x${"cd".repeat(32)}`, [`0x${"ef".repeat(32)}`, `0x${"01".repeat(32)}`]],
  });
  expect(logFilter.decode(logFilterJson(filter))).toEqual(filter);
});
