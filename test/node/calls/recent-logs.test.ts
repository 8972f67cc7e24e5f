/** Searches on the main thread against the search of the stored rows. */
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { type LogFilter, logFilter } from "../../../node/calls/arguments/log-filter.ts";
import { InlineCalls } from "../../../node/calls/inline-calls.ts";
import { type SearchLimits, searchLogs } from "../../../node/calls/log-search.ts";
import { chainLogSource } from "../../../node/calls/log-source.ts";
import { RecentLogs, type RecentLogsOptions } from "../../../node/calls/recent-logs.ts";
import type { Chain, RewindListener } from "../../../node/chain/chain.ts";
import { ByteCache } from "../../../node/jsonrpc/byte-cache.ts";
import { createBlock } from "../../../node/model/block.ts";
import { bloomOf, mergeBlooms } from "../../../node/model/bloom.ts";
import {
  type EventLog,
  type LoggedReceipt,
  loggedReceipts,
  type Receipt,
} from "../../../node/model/receipt.ts";
import { bareHeader } from "../../support/bare-header.ts";

const fill = (byte: number, length = 32) => new Uint8Array(length).fill(byte);
const ADDRESSES = [fill(0xa, 20), fill(0xb, 20), fill(0xc, 20)];
const HEAD = 40;

function aLog(place: number): EventLog {
  const topics = Array.from({ length: place % 5 }, (_, at) => fill((place >> at) & 3));
  return { address: ADDRESSES[place % 3] ?? fill(0, 20), topics, data: fill(place & 0xff, place % 70) };
}

function receiptsOf(number: number, salt: number): Receipt[] {
  const count = number % 3 === 0 ? 0 : (number * 7 + salt) % 4;
  return Array.from({ length: count }, (_, index) => {
    const logs = Array.from({ length: (number + index) % 3 }, (__, at) =>
      aLog(number * 13 + index * 5 + at + salt),
    );
    return {
      status: 1,
      gasUsed: 21_000n,
      bloom: bloomOf(logs),
      logs,
      transactionHash: fill(number * 4 + index),
      contractAddress: undefined,
    };
  });
}

/** A chain of `HEAD` blocks, or as many as `facts` say, that counts what is read of it. */
function aChain(facts: { readonly gasUsed?: bigint; readonly oldest?: number; readonly head?: number } = {}) {
  const { gasUsed = 0n, head = HEAD } = facts;
  let { oldest = 1 } = facts;
  let salt = 0;
  const reads = { receipts: 0 };
  const rewinds = new Set<RewindListener>();
  const blockAt = (number: number) => {
    const bloom = mergeBlooms(receiptsOf(number, salt).map((receipt) => receipt.bloom));
    return createBlock(bareHeader({ number, parentHash: fill(salt), bloom, gasUsed }), []);
  };
  const chain = {
    head: () => blockAt(head),
    oldestBody: () => oldest,
    header: (number: number) => (number <= head ? blockAt(number) : undefined),
    number: (hash: Uint8Array) =>
      Array.from({ length: head }, (_, at) => at + 1).find(
        (each) => toHex(blockAt(each).hash) === toHex(hash),
      ),
    receipts: (number: number) => {
      reads.receipts++;
      return receiptsOf(number, salt);
    },
    onRewind: (listener: RewindListener) => {
      rewinds.add(listener);
      return () => rewinds.delete(listener);
    },
  } as unknown as Chain; // what a search reads
  const rewind = (): void => {
    salt++;
    for (const listener of rewinds) listener([], blockAt(head));
  };
  const prune = (number: number): void => {
    oldest = number;
  };
  return { chain, reads, rewind, prune, hashOf: (number: number) => toHex(blockAt(number).hash) };
}

const NO_LIMITS: SearchLimits = { maxLogs: 0, maxRange: 0 };
/** Enough time for every search of these tests, however slow the machine is. */
const MUCH_TIME_MS = 60_000;

function recentLogs(chain: Chain, options: Partial<RecentLogsOptions> = {}): RecentLogs {
  return new RecentLogs({
    chain,
    loggedReceipts: (number) => loggedReceipts(chain.receipts(number) ?? []),
    maxBytes: 1 << 20,
    keptBytes: new ByteCache(),
    inlineCalls: new InlineCalls(MUCH_TIME_MS),
    limits: NO_LIMITS,
    ...options,
  });
}

function searchesOf(chain: Chain, limits = NO_LIMITS, maxBytes = 1 << 20) {
  const recent = recentLogs(chain, { limits, maxBytes });
  /** Searches until the blocks are kept, for one search loads blocks for a limited time. */
  return (json: object): string | undefined => {
    const filter = logFilter.decode(json);
    for (let attempt = 0; attempt < HEAD; attempt++) {
      const found = recent.search(filter);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

function expectedLogs(chain: Chain, filter: LogFilter): unknown {
  return searchLogs(chainLogSource(chain), filter, NO_LIMITS);
}

test("every filter finds what the search of the rows finds, at its first and its second request", () => {
  const { chain, hashOf } = aChain();
  const search = searchesOf(chain);
  const found = someFilters(hashOf(13)).map((json) => {
    const right = searchLogs(chainLogSource(chain), logFilter.decode(json), NO_LIMITS);
    for (const text of [search(json), search(json)]) expect(JSON.parse(text ?? "")).toEqual(right);
    return right.length;
  });
  expect(found.reduce((sum, count) => sum + count)).toBeGreaterThan(1000);
});

/** Ranges, addresses and topics in all combinations. */
function someFilters(blockHash: string): object[] {
  const ranges = [
    { fromBlock: "0x1" },
    { fromBlock: "earliest" },
    { fromBlock: "0x7", toBlock: "0x19" },
    { blockHash },
    {},
  ];
  const addresses = [undefined, toHex(fill(0xa, 20)), ADDRESSES.slice(1).map(toHex), toHex(fill(9, 20))];
  const values = [undefined, null, toHex(fill(1)), [toHex(fill(2)), toHex(fill(3))], []];
  const pairs = values.flatMap((first) => values.map((second) => [first, second]));
  const topics = pairs.map((pair) => pair.filter((topic) => topic !== undefined));
  const withAddress = ranges.flatMap((range) =>
    addresses.map((address) => (address === undefined ? range : { ...range, address })),
  );
  return withAddress.flatMap((filter) => topics.map((each) => ({ ...filter, topics: each })));
}

test("receipts are read once, whatever is asked for", () => {
  const { chain, reads } = aChain();
  const search = searchesOf(chain);
  search({ fromBlock: "0x1" });
  const once = reads.receipts;
  search({ fromBlock: "0x2" });
  search({ fromBlock: "0x1", address: toHex(fill(0xa, 20)) });
  expect(once).toBeGreaterThan(10);
  expect(reads.receipts).toBe(once);
});

test("nothing of a block that left the chain is found", () => {
  const { chain, rewind } = aChain();
  const search = searchesOf(chain);
  const before = search({ fromBlock: "0x1" });
  rewind();
  const after = search({ fromBlock: "0x1" });
  expect(after).not.toEqual(before);
  expect(JSON.parse(after ?? "")).toEqual(expectedLogs(chain, logFilter.decode({ fromBlock: "0x1" })));
});

test("logs and answers stay within their memory, and are found nevertheless", () => {
  const { chain, reads } = aChain();
  const search = searchesOf(chain, NO_LIMITS, 8_000);
  const range = { fromBlock: "0x10", toBlock: "0x12" };
  const right = expectedLogs(chain, logFilter.decode(range));
  search({ fromBlock: "0x1", toBlock: "0xf" });
  expect(JSON.parse(search(range) ?? "")).toEqual(right);
  const before = reads.receipts;
  search({ fromBlock: "0x1", toBlock: "0xf" });
  expect(reads.receipts).toBeGreaterThan(before); // they had been dropped
});

test.each<[string, object, Parameters<typeof aChain>[0], Partial<SearchLimits>]>([
  ["a range that begins before the newest 1,024 blocks", { fromBlock: "0x1" }, { head: 1025 }, {}],
  ["block 0", { fromBlock: "0x0", toBlock: "0x0" }, {}, {}],
  ["blocks after the newest", { fromBlock: "0x1", toBlock: "0x29" }, {}, {}],
  ["a range from its end to its beginning", { fromBlock: "0x9", toBlock: "0x8" }, {}, {}],
  ["pending blocks", { fromBlock: "pending" }, {}, {}],
  ["an unknown block", { blockHash: toHex(fill(1)) }, {}, {}],
  ["pruned blocks", { fromBlock: "0x1" }, { oldest: 5 }, {}],
  ["more logs than an answer may have", { fromBlock: "0x1" }, {}, { maxLogs: 5 }],
  ["more blocks than a search may have", { fromBlock: "0x1" }, {}, { maxRange: 39 }],
  ["more topics than a log can have", { topics: [null, null, null, null, null] }, {}, {}],
  ["a filter of many values", { topics: [Array.from({ length: 33 }, () => toHex(fill(1)))] }, {}, {}],
  ["blocks of much gas", { fromBlock: "0x1" }, { gasUsed: 30_000_001n }, {}],
])("%s: the search is left to a reader thread", (_name, json, facts, limits) => {
  const { chain } = aChain(facts);
  expect(searchesOf(chain, { ...NO_LIMITS, ...limits })(json)).toBeUndefined();
});

test("a search is left to a reader thread when the time of the turn is used", () => {
  const { chain } = aChain();
  const recent = recentLogs(chain, { inlineCalls: new InlineCalls(0) });
  expect(recent.search(logFilter.decode({}))).toBeUndefined();
});

test("an answer that is kept is not given once its blocks are pruned", () => {
  const { chain, prune } = aChain();
  const search = searchesOf(chain);
  const filter = { fromBlock: "0x5", toBlock: "0x20" };
  expect(search(filter)).toBeDefined();
  prune(6);
  expect(search(filter)).toBeUndefined();
});

test.each<[string, Partial<EventLog>, number]>([
  ["many logs", { data: fill(0, 0) }, 2001],
  ["long logs", { data: fill(0, 4096) }, 65],
])("a block of %s is read once, and left to a reader thread", (_name, fields, count) => {
  const { chain } = aChain();
  let reads = 0;
  const read = (): LoggedReceipt[] => {
    reads++;
    const logs = Array.from({ length: count }, (_, at) => ({ ...aLog(at), ...fields }));
    return [{ logs, transactionHash: fill(1), transactionIndex: 0, logsBefore: 0 }];
  };
  const recent = recentLogs(chain, { loggedReceipts: read });
  const found = Array.from({ length: 3 }, () =>
    recent.search(logFilter.decode({ fromBlock: "0x26", toBlock: "0x26" })),
  );
  expect([found, reads]).toEqual([[undefined, undefined, undefined], 1]);
});
