/** Blobs travel with the blocks that validators send each other, and with no other block. */
import { expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { encodeRlpList } from "../../../node/bytes/rlp.ts";
import { bareTransaction } from "../../../node/model/bare-transaction.ts";
import { createBlock } from "../../../node/model/block.ts";
import { decodeTransaction, type Transaction } from "../../../node/model/transaction.ts";
import type { NodeType } from "../../../node/p2p/node-type.ts";
import { assembleBlock } from "../../../node/protocol/blocks-in.ts";
import { announceHead } from "../../../node/protocol/blocks-out.ts";
import type { ChainPeer } from "../../../node/protocol/chain-peer.ts";
import { messages } from "../../../node/protocol/messages.ts";
import { FakeChain } from "../../support/pool-chain.ts";
import { transactionSamples } from "../model/samples.ts";

const sample = transactionSamples().find(({ name }) => name === "sidecar/blob/one");
const full = decodeTransaction(fromHex(sample?.raw ?? "0x"));
const bare = bareTransaction(full);
const header = new FakeChain().head();

const intake = (pooled?: Transaction) => ({ pause: () => undefined, pool: { get: () => pooled } });

test("an identical transaction of the pool is reused, with its signers", async () => {
  const body = encodeRlpList([full.raw]);
  const twin = decodeTransaction(bare.raw);
  expect((await assembleBlock(header, body, intake(twin))).transactions[0]).toBe(twin);
  const { transactions } = await assembleBlock(header, body, intake(full));
  expect(transactions.map(({ raw }) => toHex(raw))).toEqual([toHex(bare.raw)]);
});

test("a block received with blobs is assembled without them", async () => {
  const block = await assembleBlock(header, encodeRlpList([full.raw]), intake());
  expect(block.transactions.map(({ raw }) => toHex(raw))).toEqual([toHex(bare.raw)]);
  expect(block.transactions[0]?.fields.sidecar).toBeUndefined();
  expect(bare.raw.buffer.byteLength).toBeLessThan(250);
});

test("validators get the blobs with the block, others the block alone", () => {
  const sent: [NodeType, number][] = [];
  const aPeer = (type: NodeType) =>
    ({
      type,
      knownBlocks: { has: () => false, add: () => undefined },
      votedBlocks: { has: () => false, add: () => undefined },
      link: {
        send: (code: number, payload: Uint8Array) => {
          if (code === messages.newBlock.code)
            sent.push([type, messages.newBlock.decode(payload).body.length]);
          return true;
        },
      },
    }) as unknown as ChainPeer; // what telling looks at
  const block = createBlock(header, [bare]);
  announceHead(
    {
      chain: { head: () => block, totalBlockScore: () => 1n },
      nodeType: "cn",
      peers: () => [aPeer("cn"), aPeer("pn"), aPeer("cn")],
      randomFraction: () => 0,
      pool: { wire: (tx) => (tx === bare ? full.raw : tx.raw) },
    },
    true,
  );
  const lengths = { bare: encodeRlpList([bare.raw]).length, full: encodeRlpList([full.raw]).length };
  expect(sent).toEqual([
    ["pn", lengths.bare],
    ["cn", lengths.full],
    ["cn", lengths.full],
  ]);
});
