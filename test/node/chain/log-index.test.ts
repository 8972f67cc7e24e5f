/** The bloom index finds what the blooms themselves say, and keeps in step with the chain. */
import { afterEach, expect, test } from "@jest/globals";
import { logFilter } from "../../../node/calls/arguments/log-filter.ts";
import { searchLogs } from "../../../node/calls/log-search.ts";
import { type LogSource, storeLogSource } from "../../../node/calls/log-source.ts";
import type { BlockFollower } from "../../../node/chain/block-follower.ts";
import { openLogFollower } from "../../../node/chain/log-follower.ts";
import { indexedSections, SECTION_BLOCKS, searchSections } from "../../../node/chain/log-index.ts";
import type { Block } from "../../../node/model/block.ts";
import { bloomMayHold, bloomOf, EMPTY_BLOOM } from "../../../node/model/bloom.ts";
import { encodeHeader } from "../../../node/model/header.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { encodeHead, HEAD_KEY, NOTHING } from "../../../node/state/rows.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import { tables } from "../../../node/store/tables.ts";
import { bareHeader } from "../../support/bare-header.ts";

const addressOf = (name: number): Uint8Array => new Uint8Array(20).fill(name);
const open: BlockFollower[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each[Symbol.asyncDispose]();
});

/** Every seventh block has a log of address 7, every 500th one of address 50, every 14th a topic. */
function bloomAt(number: number, salt = 0): Uint8Array {
  const logs = [
    ...((number + salt) % 7 === 0
      ? [{ address: addressOf(7), topics: number % 14 === 0 ? [new Uint8Array(32).fill(9)] : [] }]
      : []),
    ...(number % 500 === 0 ? [{ address: addressOf(50), topics: [] }] : []),
  ];
  return bloomOf(logs);
}

/** A block with what is read of it. */
const blockAt = (number: number, salt = 0): Block =>
  ({ header: { number, bloom: bloomAt(number, salt) } }) as unknown as Block;
const may = (number: number, value: Uint8Array): boolean => bloomMayHold(bloomAt(number), value);

/** A chain of headers alone. */
async function aChainOf(blocks: number) {
  const store = createMemoryStore();
  const heads = new Set<() => void>();
  const rewinds = new Set<(removed: never[], head: Block) => void>();
  let head = -1;
  let headSalt = 0;
  const grow = async (to: number, salt = 0): Promise<void> => {
    const batch = store.createBatch();
    for (let number = head + 1; number <= to; number++) {
      batch.put(
        tables.header.key(number),
        encodeHeader(bareHeader({ number, bloom: bloomAt(number, salt) })),
      );
    }
    batch.put(HEAD_KEY, encodeHead({ ...NOTHING, number: to }));
    await store.write(batch, { sync: false });
    head = to;
    headSalt = salt;
    for (const listener of heads) listener();
  };
  const rewind = async (to: number): Promise<void> => {
    const batch = store.createBatch();
    for (let number = to + 1; number <= head; number++) batch.delete(tables.header.key(number));
    batch.put(HEAD_KEY, encodeHead({ ...NOTHING, number: to }));
    head = to;
    await store.write(batch, { sync: false });
    for (const listener of rewinds) listener([], blockAt(to));
  };
  const follow = (): BlockFollower => {
    const chain = {
      head: () => blockAt(head, headSalt),
      onHead: (listener: () => void) => (heads.add(listener), () => heads.delete(listener)),
      onRewind: (listener: never) => (rewinds.add(listener), () => rewinds.delete(listener)),
    };
    const follower = openLogFollower({ store, chain: chain as never, log: silentLog });
    open.push(follower);
    return follower;
  };
  await grow(blocks - 1);
  return { store, grow, rewind, follow };
}

function numbersFound(
  store: Parameters<typeof searchSections>[0],
  groups: readonly Uint8Array[][],
): number[] {
  const search = searchSections(store, groups);
  return Array.from({ length: indexedSections(store) }, (_, section) => {
    const found = search(section);
    return Array.from({ length: SECTION_BLOCKS }, (_each, at) => at)
      .filter((at) => ((found[at >> 3] ?? 0) & (0x80 >> (at & 7))) !== 0)
      .map((at) => section * SECTION_BLOCKS + at);
  }).flat();
}

const upTo = (end: number, holds: (number: number) => boolean): number[] =>
  Array.from({ length: end }, (_, number) => number).filter(holds);

test("sections hold exactly the blocks whose blooms may hold what is searched for", async () => {
  const { store, follow } = await aChainOf(2 * SECTION_BLOCKS + 100);
  await follow().caughtUp();
  expect(indexedSections(store)).toBe(2);
  const end = 2 * SECTION_BLOCKS;
  const [seven, fifty, topic] = [addressOf(7), addressOf(50), new Uint8Array(32).fill(9)];
  expect(numbersFound(store, [[seven]])).toEqual(upTo(end, (number) => may(number, seven)));
  expect(numbersFound(store, [[fifty, seven], [topic]])).toEqual(
    upTo(end, (number) => (may(number, fifty) || may(number, seven)) && may(number, topic)),
  );
  expect(numbersFound(store, [[addressOf(1)]])).toEqual(upTo(end, (number) => may(number, addressOf(1))));
  expect(numbersFound(store, [])).toEqual(upTo(end, (number) => bloomAt(number) !== EMPTY_BLOOM));
});

test("a follower goes on where it was, and begins anew where the cursor is gone", async () => {
  const { store, grow, follow } = await aChainOf(SECTION_BLOCKS + 10);
  const first = follow();
  await first.caughtUp();
  expect(indexedSections(store)).toBe(1);
  await first[Symbol.asyncDispose]();
  await grow(2 * SECTION_BLOCKS - 1);
  await follow().caughtUp();
  expect(indexedSections(store)).toBe(2);
  const all = numbersFound(store, [[addressOf(7)]]);
  for (const each of open.splice(0)) await each[Symbol.asyncDispose]();
  const batch = store.createBatch();
  batch.delete(tables.meta.key("logIndex"));
  batch.delete(tables.logIndex.key(0, 2048));
  await store.write(batch, { sync: false });
  await follow().caughtUp();
  expect(indexedSections(store)).toBe(2);
  expect(numbersFound(store, [[addressOf(7)]])).toEqual(all);
});

test("blocks that are taken back leave nothing in the index", async () => {
  const { store, grow, rewind, follow } = await aChainOf(2 * SECTION_BLOCKS + 10);
  const follower = follow();
  await follower.caughtUp();
  expect(indexedSections(store)).toBe(2);
  await rewind(SECTION_BLOCKS + 5);
  expect(indexedSections(store)).toBe(1);
  await grow(2 * SECTION_BLOCKS + 10, 3);
  await follower.caughtUp();
  expect(indexedSections(store)).toBe(2);
  expect(numbersFound(store, [[addressOf(7)]])).toEqual(
    upTo(2 * SECTION_BLOCKS, (number) =>
      bloomMayHold(bloomAt(number, number > SECTION_BLOCKS + 5 ? 3 : 0), addressOf(7)),
    ),
  );
});

const SEARCHED = Number(process.env["KNIT_SEARCHED_BLOCKS"] ?? 20_000);

test(`a search over ${SEARCHED} blocks looks at the headers of those that may fit, and at few others`, async () => {
  const { store, follow } = await aChainOf(SEARCHED);
  await follow().caughtUp();
  using source = storeLogSource(store);
  const looked: number[] = [];
  const counted: LogSource = {
    ...source,
    block: (number) => (looked.push(number), source.block(number)),
    loggedReceipts: () => [],
  };
  const filter = { fromBlock: "0x0", toBlock: "latest", address: `0x${"32".repeat(20)}` };
  expect(searchLogs(counted, logFilter.decode(filter), { maxLogs: 100, maxRange: 0 })).toEqual([]);
  expect(looked.length).toBeLessThan(SECTION_BLOCKS + 300);
  expect(looked.filter((number) => number % 500 === 0).length).toBe(SEARCHED / 500);
}, 60_000);
