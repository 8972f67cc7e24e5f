/** Senders beside a block: read back as they were, found again where the row is missing or does not fit. */
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { BlockRows } from "../../../node/chain/block-rows.ts";
import { writeSenders } from "../../../node/chain/senders.ts";
import { type Block, createBlock, decodeBlock } from "../../../node/model/block.ts";
import { senderOf } from "../../../node/model/transaction.ts";
import { MAX_TRANSACTIONS } from "../../../node/protocol/limits.ts";
import { runAtOnce } from "../../../node/runtime/scheduler.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import { tables } from "../../../node/store/tables.ts";
import { aChain, recordedBlocks, recordedGenesis } from "../../support/chain.ts";
import { aGenesisBlock, aHeader } from "../../support/headers.ts";
import { aTransfer } from "../../support/protocol-node.ts";

test("a block is read with the senders that were known when it was written", async () => {
  await using open = await aChain(await recordedGenesis());
  const { chain, writer, store } = open;
  const raws = await recordedBlocks();
  const wanted = raws.findIndex((raw) =>
    decodeBlock(raw).transactions.some(({ fields }) => fields.from === undefined),
  );
  for (const raw of raws.slice(1, wanted + 1)) await writer.insert(decodeBlock(raw));
  await writer.settle();
  const { chainId } = chain.config;
  const shown = (block: Block | undefined) => block?.transactions.map((tx) => toHex(senderOf(tx, chainId)));
  const anew = () => shown(new BlockRows(store, chainId).block(wanted));
  const recovered = shown(decodeBlock(raws[wanted] ?? new Uint8Array(0)));
  expect(anew()).toEqual(recovered);

  const put = async (row: Uint8Array): Promise<void> => {
    const batch = store.createBatch();
    batch.put(tables.senders.key(wanted), row);
    await store.write(batch, { sync: false });
  };
  const row = store.get(tables.senders.key(wanted)) ?? new Uint8Array(0);
  await put(new Uint8Array(row.length).fill(7));
  expect(anew()).toContain(`0x${"07".repeat(20)}`);
  await put(row.subarray(1));
  expect(anew()).toEqual(recovered);
});

test("the senders of as many transactions as a message may have are written", async () => {
  const transfer = aTransfer(0);
  const block = createBlock(aHeader(aGenesisBlock([]), []), Array(MAX_TRANSACTIONS).fill(transfer));
  await using store = createMemoryStore();
  const batch = store.createBatch();
  runAtOnce(writeSenders(batch, block, 1337n));
  await store.write(batch, { sync: false });
  const row = store.get(tables.senders.key(block.header.number));
  expect(row).toHaveLength(20 * MAX_TRANSACTIONS);
  expect(row?.subarray(-20)).toEqual(senderOf(transfer, 1337n));
});
