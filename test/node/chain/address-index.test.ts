/** Tests of the index of addresses, against the call trees of a recorded chain. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { storeReading } from "../../../node/calls/chain-reading.ts";
import {
  creationOf,
  openAddressIndex,
  transactionsOf,
  transactionWithNonce,
} from "../../../node/chain/address-index.ts";
import { openBlockPruner } from "../../../node/chain/block-pruner.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { decodeBlock } from "../../../node/model/block.ts";
import { senderOf } from "../../../node/model/transaction.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { flatTraceMethods } from "../../../node/rpc/flat-traces.ts";
import { createPause } from "../../../node/runtime/scheduler.ts";
import { tables } from "../../../node/store/tables.ts";
import { askRow } from "../../support/ask-row.ts";
import { aChain, type TestChain } from "../../support/chain.ts";
import { readRecordedChain } from "../../support/recorded-chain.ts";

const FOLDER = "test/vectors/chains/prague";
const blocks = readRecordedChain(FOLDER).blocks.slice(1).map(decodeBlock);
const HEAD = blocks.length;

interface Flat {
  readonly type: string;
  readonly action: Readonly<Record<string, string>>;
  readonly result?: Readonly<Record<string, string>> | null;
  readonly transactionPosition: number;
}

async function aWholeChain(): Promise<TestChain> {
  const chain = await aChain(parseGenesis(readFileSync(`${FOLDER}/genesis.json`, "utf8")));
  await insert(chain, 0);
  return chain;
}

async function insert(chain: TestChain, after: number): Promise<void> {
  for (const block of blocks.slice(after)) await chain.writer.insert(block);
  await chain.writer.settle();
}

const partsOf = ({ store, chain }: TestChain) => ({ store, chain, log: silentLog, pause: createPause() });

function addressesIn({ action, result }: Flat): string[] {
  const { from, to, address, refundAddress } = action;
  return [from, to, address, refundAddress, result?.["address"]].filter((each) => each !== undefined);
}

/** Places by address, as the flat traces of all blocks name them. */
async function placesByTraces({ store, chain }: TestChain): Promise<Map<string, Set<string>>> {
  const rows = flatTraceMethods({ open: storeReading(store), maxBytes: 25_000_000 });
  const places = new Map<string, Set<string>>();
  const add = (address: string, number: number, index: number): void => {
    places.set(address, (places.get(address) ?? new Set()).add(`${number}.${index}`));
  };
  for (const { header, transactions } of blocks) {
    const { number } = header;
    for (const [index, tx] of transactions.entries()) {
      const { contractAddress, status } = chain.receipts(number)?.[index] ?? {};
      const created = tx.to === undefined && status === 1 ? contractAddress : undefined;
      const named = [senderOf(tx, chain.config.chainId), tx.fields.feePayer, tx.to, created];
      for (const address of named.filter((each) => each !== undefined)) add(toHex(address), number, index);
    }
    const traces = await askRow(rows, "trace_block", `0x${number.toString(16)}`);
    for (const trace of traces as readonly Flat[])
      for (const address of addressesIn(trace)) add(address, number, trace.transactionPosition);
  }
  return places;
}

async function placesInIndex({ store }: TestChain, address: string): Promise<string[]> {
  const found: string[] = [];
  const range = { from: 0, to: HEAD + 1, reverse: false };
  for await (const { number, index } of transactionsOf(store, fromHex(address), range))
    found.push(`${number}.${index}`);
  return found;
}

async function rowsOf({ store }: TestChain): Promise<number> {
  let count = 0;
  for (const table of [tables.addressTransaction, tables.senderNonce, tables.addressBlock])
    for await (const _ of store.entries(table.range())) count++;
  return count;
}

test("every address has the transactions whose traces name it, also after blocks went and came again", async () => {
  await using chain = await aWholeChain();
  await using follower = openAddressIndex(partsOf(chain));
  await follower.caughtUp();
  const expected = await placesByTraces(chain);
  const check = async (): Promise<void> => {
    for (const [address, places] of expected)
      expect(new Set(await placesInIndex(chain, address))).toEqual(places);
  };
  expect(expected.size).toBeGreaterThan(10);
  await check();
  const rows = await rowsOf(chain);
  await chain.writer.exclusively(() => chain.writer.setHead(HEAD - 5));
  expect(await rowsOf(chain)).toBeLessThan(rows);
  await insert(chain, HEAD - 5);
  await follower.caughtUp();
  expect(await rowsOf(chain)).toBe(rows);
  await check();
});

test("a sender's transaction is found by its nonce, and a contract's creation by its address", async () => {
  await using chain = await aWholeChain();
  await using follower = openAddressIndex(partsOf(chain));
  await follower.caughtUp();
  const { chainId } = chain.chain.config;
  let created = 0;
  for (const { header, transactions } of blocks) {
    for (const [index, tx] of transactions.entries()) {
      const sender = senderOf(tx, chainId);
      const place = { number: header.number, index };
      expect(transactionWithNonce(chain.store, sender, tx.nonce)).toEqual(place);
      const { contractAddress, status } = chain.chain.receipts(header.number)?.[index] ?? {};
      if (contractAddress === undefined || tx.to !== undefined || status !== 1) continue;
      expect(await creationOf(chain.store, contractAddress)).toEqual({ ...place, creator: sender });
      created++;
    }
  }
  expect(created).toBeGreaterThan(0);
  expect(transactionWithNonce(chain.store, new Uint8Array(20), 0n)).toBeUndefined();
  expect(await creationOf(chain.store, new Uint8Array(20))).toBeUndefined();
});

test("a start goes on where the last one ended, and pruned blocks leave the index", async () => {
  await using chain = await aWholeChain();
  const first = openAddressIndex(partsOf(chain));
  await first.caughtUp();
  await first[Symbol.asyncDispose]();
  const all = await rowsOf(chain);
  await using second = openAddressIndex(partsOf(chain));
  expect(second.next).toBe(HEAD + 1);
  await using pruner = openBlockPruner({ ...partsOf(chain), blocks: 3, oldestNeeded: () => HEAD });
  await pruner.caughtUp();
  const kept = await rowsOf(chain);
  expect(kept).toBeLessThan(all);
  for await (const [key] of chain.store.entries(tables.addressBlock.range()))
    expect(Buffer.from(key).readUIntBE(1, 6)).toBeGreaterThan(HEAD - 3);
});
