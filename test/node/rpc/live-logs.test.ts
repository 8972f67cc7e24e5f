/** Logs of one block for many filters: the same as those of a search, at a cost that does not grow with both. */
import { expect, test } from "@jest/globals";
import { type LogFilter, logFilter } from "../../../node/calls/arguments/log-filter.ts";
import { BlockLogs } from "../../../node/calls/live-logs.ts";
import { matchingLogs } from "../../../node/calls/log-search.ts";
import { goJson } from "../../../node/jsonrpc/json-text.ts";
import type { Block } from "../../../node/model/block.ts";
import { type EventLog, loggedReceipts, type Receipt } from "../../../node/model/receipt.ts";
import { seededRandom } from "../../support/random.ts";

const hash = new Uint8Array(32).fill(9);
const block = { hash, header: { number: 5 } } as unknown as Block; // as far as it is read
const anything: LogFilter = {
  from: undefined,
  to: undefined,
  blockHash: undefined,
  addresses: [],
  topics: [],
};
const value = (length: number, of: number): Uint8Array => new Uint8Array(length).fill(of);

function receiptsOf(logs: readonly (readonly EventLog[])[]): Receipt[] {
  return logs.map((each, at) => ({ transactionHash: value(32, at), logs: each })) as unknown as Receipt[]; // as far as they are read
}

test("a filter selects the same logs of a block as a search, with the same text", () => {
  const random = seededRandom(20);
  const below = (bound: number): number => Math.floor(random() * bound);
  const some = <T>(bound: number, make: () => T): T[] => Array.from({ length: below(bound) }, make);
  const receipts = receiptsOf(
    Array.from({ length: 30 }, () =>
      some(6, () => ({
        address: value(20, below(3)),
        topics: some(5, () => value(32, below(3))),
        data: new Uint8Array(2),
      })),
    ),
  );
  const logs = new BlockLogs({ block, receipts }, false);
  let found = 0;
  for (let round = 0; round < 500; round++) {
    const filter = {
      ...anything,
      addresses: some(3, () => value(20, below(4))),
      topics: some(6, () => some(3, () => value(32, below(4)))),
    };
    const expected = [
      ...matchingLogs(filter, { number: 5, hash: () => hash, receipts: loggedReceipts(receipts) }),
    ].map(goJson);
    found += expected.length;
    expect(logs.select(filter).map((position) => logs.json(position))).toEqual(expected);
  }
  expect(found).toBeGreaterThan(100);
  expect(logs.select({ ...anything, from: 6, to: 9 })).toEqual([]);
});

test("thousands of values in each position of a filter are looked up, not compared with every log", () => {
  let reads = 0;
  const address = value(20, 1);
  const log = {
    get address() {
      reads++;
      return address;
    },
    topics: [value(32, 2)],
    data: new Uint8Array(0),
  };
  const logs = new BlockLogs(
    { block, receipts: receiptsOf([Array.from({ length: 1_000 }, () => log)]) },
    false,
  );
  const topics = [Array.from({ length: 2_000 }, (_, at) => value(32, at)), []];
  const addresses = Array.from({ length: 2_000 }, (_, at) => value(20, at));
  for (let filters = 0; filters < 50; filters++) {
    expect(logs.select({ ...anything, addresses, topics: topics.slice(0, 1) })).toHaveLength(1_000);
    expect(logs.select({ ...anything, addresses, topics })).toEqual([]);
  }
  expect(reads).toBe(1_000);
});

test("the text of a log is written once for all subscribers", () => {
  const log = { address: value(20, 1), topics: [], data: new Uint8Array(0) };
  const logs = new BlockLogs({ block, receipts: receiptsOf([[log]]) }, false);
  expect(logs.payload(0)).toBe(logs.payload(0));
});

test("a filter that cannot match stores none of its values", () => {
  const position = [`0x${"ab".repeat(32)}`];
  const { topics } = logFilter.decode({ topics: Array.from({ length: 5_000 }, () => position) });
  expect(topics).toEqual([[], [], [], [], []]);
});

test("values of a filter retain no slice of a shared buffer", () => {
  const { addresses, topics } = logFilter.decode({
    address: `0x${"ab".repeat(20)}`,
    topics: [`0x${"cd".repeat(32)}`],
  });
  expect([addresses[0]?.buffer.byteLength, topics[0]?.[0]?.buffer.byteLength]).toEqual([20, 32]);
});
