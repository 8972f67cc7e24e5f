/** Tests of the selection of peers for a block; blobs travel only with the blocks that validators send each other. */
import { expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { encodeRlpList } from "../../../node/bytes/rlp.ts";
import type { Chain } from "../../../node/chain/chain.ts";
import { bareTransaction } from "../../../node/model/bare-transaction.ts";
import { createBlock } from "../../../node/model/block.ts";
import { decodeTransaction, type Transaction } from "../../../node/model/transaction.ts";
import type { NodeType } from "../../../node/p2p/node-type.ts";
import { BlockBroadcaster } from "../../../node/protocol/block-broadcaster.ts";
import { assembleBlock } from "../../../node/protocol/blocks-in.ts";
import type { ChainPeer } from "../../../node/protocol/chain-peer.ts";
import { messages } from "../../../node/protocol/messages.ts";
import { FakeChain } from "../../support/pool-chain.ts";
import { transactionSamples } from "../model/samples.ts";

const sample = transactionSamples().find(({ name }) => name === "sidecar/blob/one");
const full = decodeTransaction(fromHex(sample?.raw ?? "0x"));
const bare = bareTransaction(full);
const header = { ...new FakeChain().head(), gasUsed: 100_000n };

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

const block = createBlock(header, [bare]);

/** A peer that notes what it is sent: `block <bytes of its body>` or `hash`. */
function aPeer(type: NodeType, sent: string[]): ChainPeer {
  const known = new Set<Uint8Array>();
  return {
    type,
    knownBlocks: known,
    votedBlocks: { has: () => false, add: () => undefined },
    link: {
      send: (code: number, payload: Uint8Array) => {
        if (code === messages.newBlock.code) {
          sent.push(`${type} block ${messages.newBlock.decode(payload).body.length}`);
        } else if (code === messages.newBlockHashes.code) sent.push(`${type} hash`);
        return true;
      },
    },
  } as unknown as ChainPeer; // the members that gossip uses
}

/** A broadcaster with peers of these types, the function that makes `block` the head, and what peers were sent. */
function aBroadcaster(types: readonly NodeType[]) {
  const sent: string[] = [];
  const peers = types.map((type) => aPeer(type, sent));
  const listeners: Parameters<Chain["onHead"]>[0][] = [];
  const broadcaster = new BlockBroadcaster({
    chain: {
      head: () => block,
      onHead: (listener) => {
        listeners.push(listener);
        return () => undefined;
      },
      totalBlockScore: () => 1n,
    },
    nodeType: "cn",
    peers: () => peers,
    randomFraction: () => 0,
    pool: { wire: (tx) => (tx === bare ? full.raw : tx.raw) },
  });
  const becomesHead = (): void => {
    for (const listener of listeners) listener(block, []);
  };
  return { broadcaster, sent, becomesHead };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const lengths = { bare: encodeRlpList([bare.raw]).length, full: encodeRlpList([full.raw]).length };

test("validators get the blobs with the block, others the block alone", async () => {
  const { sent, becomesHead } = aBroadcaster(["cn", "pn", "cn"]);
  becomesHead();
  expect(sent).toEqual([]);
  await turn();
  expect(sent).toEqual([`pn block ${lengths.bare}`, `cn block ${lengths.full}`, `cn block ${lengths.full}`]);
});

test("the head of an import is announced by its hash, after the import", async () => {
  const { broadcaster, sent, becomesHead } = aBroadcaster(["cn"]);
  const endImport = broadcaster.beginImport(block.hash);
  becomesHead();
  await turn();
  expect(sent).toEqual([]);
  endImport(true);
  await turn();
  expect(sent).toEqual(["cn hash"]);
});

test("a forwarded block is not announced again to those that got it", async () => {
  const { broadcaster, sent } = aBroadcaster(["cn"]);
  broadcaster.forward(block, encodeRlpList([full.raw]));
  expect(sent).toEqual([`cn block ${lengths.full}`]);
  broadcaster.beginImport(block.hash)(true);
  await turn();
  expect(sent).toHaveLength(1);
});

test("a failed import announces nothing, and hides no other head", async () => {
  const { broadcaster, sent, becomesHead } = aBroadcaster(["cn"]);
  broadcaster.beginImport(block.hash)(false);
  await turn();
  expect(sent).toEqual([]);
  broadcaster.beginImport(new Uint8Array(32));
  becomesHead();
  await turn();
  expect(sent).toEqual([`cn block ${lengths.full}`]);
});

test.each([
  [0, []],
  [4, [`cn block ${lengths.full}`]],
  [5, ["cn hash"]],
])("a catch-up of %d blocks announces at most its last head", async (blocks, expected) => {
  const { broadcaster, sent, becomesHead } = aBroadcaster(["cn"]);
  const endCatchUp = broadcaster.beginCatchUp();
  becomesHead();
  await turn();
  expect(sent).toEqual([]);
  endCatchUp(blocks);
  await turn();
  expect(sent).toEqual(expected);
});
