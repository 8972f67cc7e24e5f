/** Transactions by the hash that their sender knows: followed on a chain where others pay some of the fees. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { hashBySender, openSenderHashFollower } from "../../../node/chain/sender-hashes.ts";
import { rpcProfiles } from "../../../node/compat/profiles.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { decodeBlock } from "../../../node/model/block.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { chainByIndexMethods } from "../../../node/rpc/chain-by-index.ts";
import { tables } from "../../../node/store/tables.ts";
import { askRow } from "../../support/ask-row.ts";
import { aChain } from "../../support/chain.ts";
import { readRecordedChain } from "../../support/recorded-chain.ts";

const FOLDER = "test/vectors/chains/prague";

async function aPaidChain() {
  const chain = await aChain(parseGenesis(readFileSync(`${FOLDER}/genesis.json`, "utf8")));
  const blocks = readRecordedChain(FOLDER).blocks.slice(1).map(decodeBlock);
  const paid = blocks.flatMap(({ transactions, header }) =>
    transactions
      .filter(({ hash, senderTxHash }) => toHex(hash) !== toHex(senderTxHash))
      .map((tx) => ({ number: header.number, tx })),
  );
  const parts = { store: chain.store, chain: chain.chain, log: silentLog };
  const found = (): number =>
    paid.filter(({ tx }) => {
      const hash = hashBySender(chain.store, tx.senderTxHash);
      return hash !== undefined && toHex(hash) === toHex(tx.hash);
    }).length;
  return { chain, blocks, paid, parts, found };
}

test("a follower keeps them as blocks come, forgets them as blocks go, and goes on after a restart", async () => {
  const { chain, blocks, paid, parts, found } = await aPaidChain();
  await using _ = chain;
  const half = paid[Math.floor(paid.length / 2)]?.number ?? 0;
  const first = openSenderHashFollower(parts);
  for (const block of blocks.slice(0, half)) await chain.writer.insert(block);
  await chain.writer.settle();
  await first.caughtUp();
  const before = paid.filter(({ number }) => number <= half).length;
  expect(before).toBeGreaterThan(1);
  expect(found()).toBe(before);
  await chain.writer.exclusively(() => chain.writer.setHead(half - 1));
  expect(found()).toBe(paid.filter(({ number }) => number < half).length);
  await first[Symbol.asyncDispose]();
  for (const block of blocks.slice(half - 1)) await chain.writer.insert(block);
  await chain.writer.settle();
  await using second = openSenderHashFollower(parts);
  await second.caughtUp();
  expect(found()).toBe(paid.length);
});

test("a cursor of another chain begins anew", async () => {
  const { chain, blocks, paid, parts, found } = await aPaidChain();
  await using _ = chain;
  for (const block of blocks) await chain.writer.insert(block);
  await chain.writer.settle();
  const batch = chain.store.createBatch();
  batch.put(tables.meta.key("senderHashes"), Uint8Array.of(0, 0, 0, 0, 0, 20, ...new Uint8Array(32)));
  await chain.store.write(batch, { sync: false });
  await using follower = openSenderHashFollower(parts);
  await follower.caughtUp();
  expect(found()).toBe(paid.length);
});

test("methods find a transaction by either hash, where there is an index", async () => {
  const { chain, blocks, paid, parts } = await aPaidChain();
  await using _ = chain;
  for (const block of blocks) await chain.writer.insert(block);
  await chain.writer.settle();
  await using follower = openSenderHashFollower(parts);
  await follower.caughtUp();
  const { senderTxHash, hash } = paid[0]?.tx ?? {
    senderTxHash: new Uint8Array(32),
    hash: new Uint8Array(32),
  };
  const ask = async (name: string, given: Uint8Array, isIndexed: boolean): Promise<unknown> => {
    const rows = chainByIndexMethods({
      chain: chain.chain,
      pool: { get: () => undefined },
      ...rpcProfiles.kaia.options,
      ...(isIndexed ? { hashBySender: (each: Uint8Array) => hashBySender(chain.store, each) } : {}),
    });
    return askRow(rows, name, toHex(given));
  };
  for (const name of ["chain_getTransactionBySenderTxHash", "chain_getTransactionReceiptBySenderTxHash"]) {
    const byOwn = await ask(name, hash, true);
    expect(byOwn).toMatchObject({ senderTxHash: toHex(senderTxHash) });
    expect(await ask(name, senderTxHash, true)).toEqual(byOwn);
    expect(await ask(name, senderTxHash, false)).toBeNull();
  }
});
