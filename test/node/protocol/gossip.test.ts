/** Blocks and transactions between nodes that are at the same head. */
import { expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { encodeRlp, encodeRlpList } from "../../../node/bytes/rlp.ts";
import type { Block } from "../../../node/model/block.ts";
import type { ProtocolMessage } from "../../../node/p2p/protocol.ts";
import { messages } from "../../../node/protocol/messages.ts";
import { aNode, aTransfer, headOf, makeBlock, makeBlocks } from "../../support/protocol-node.ts";
import { aLink, connect } from "../../support/protocol-peer.ts";
import { aPuppet, type Puppet } from "../../support/puppet.ts";
import { until } from "../../support/until.ts";

function pushMessage(block: Block): Uint8Array {
  const body = encodeRlpList(block.transactions.map(({ raw }) => raw));
  return messages.newBlock.encode({ header: block.header, body, td: BigInt(block.header.number + 1) });
}

function codes({ received }: Puppet): number[] {
  return received.map(({ code }) => code);
}

function transactionHashes({ received }: Puppet): string[] {
  return received
    .filter(({ code }) => code === messages.transactions.code)
    .flatMap(({ payload }) => messages.transactions.decode(payload))
    .map((raw) => Buffer.from(raw).toString("hex"));
}

test("a block goes from the validator through a proxy to an endpoint, each importing it", async () => {
  await using core = await aNode({ number: 1, type: "cn" });
  await using proxy = await aNode({ number: 2, type: "pn" });
  await using endpoint = await aNode({ number: 3, type: "en" });
  const up = connect(core.end, proxy.end);
  const down = connect(proxy.end, endpoint.end);
  await Promise.all([proxy.protocol.synced, endpoint.protocol.synced]);
  for (let i = 1; i <= 3; i++) {
    await makeBlock(core);
    await until(() => headOf(endpoint) === i);
  }
  expect(endpoint.open.chain.head().hash).toEqual(core.open.chain.head().hash);
  await up.close();
  await down.close();
});

test("a proxy forwards a block before it has executed it", async () => {
  await using core = await aNode({ number: 1, type: "cn" });
  await using proxy = await aNode({ number: 2, type: "pn" });
  await using endpoint = await aNode({ number: 3, type: "en" });
  const sessions = [connect(core.end, proxy.end), connect(proxy.end, endpoint.end)];
  await Promise.all([proxy.protocol.synced, endpoint.protocol.synced]);
  const held = Promise.withResolvers<void>();
  const released = proxy.open.writer.exclusively(() => held.promise);
  await makeBlock(core);
  await until(() => headOf(endpoint) === 1);
  expect(headOf(proxy)).toBe(0);
  held.resolve();
  await released;
  await until(() => headOf(proxy) === 1);
  for (const session of sessions) await session.close();
});

test("a transfer sent to the endpoint reaches the validator's pool and returns in a block", async () => {
  await using core = await aNode({ number: 1, type: "cn" });
  await using proxy = await aNode({ number: 2, type: "pn" });
  await using endpoint = await aNode({ number: 3, type: "en" });
  const up = connect(core.end, proxy.end);
  const down = connect(proxy.end, endpoint.end);
  await Promise.all([proxy.protocol.synced, endpoint.protocol.synced]);
  const transfer = aTransfer(0);
  endpoint.pool.add(transfer, "local");
  await until(() => core.pool.get(transfer.hash) !== undefined);
  await makeBlock(core);
  await until(() => headOf(endpoint) === 1);
  expect(endpoint.open.chain.findTransaction(transfer.hash)?.block.header.number).toBe(1);
  expect(endpoint.pool.get(transfer.hash)).toBeUndefined();
  await up.close();
  await down.close();
});

test("a new peer is sent all pending transactions", async () => {
  await using node = await aNode({ number: 1, type: "cn" });
  const transfers = [aTransfer(0), aTransfer(1), aTransfer(0, 1)];
  node.pool.addAll(transfers, "local");
  const puppet = await aPuppet(node, 9, "en");
  await until(() => transactionHashes(puppet).length === 3);
  expect(new Set(transactionHashes(puppet))).toEqual(
    new Set(transfers.map(({ raw }) => Buffer.from(raw).toString("hex"))),
  );
  puppet.link.close();
});

test("transactions and blocks are not sent back to their sender", async () => {
  await using node = await aNode({ number: 1, type: "en" });
  await using maker = await aNode({ number: 2, type: "cn" });
  const giver = await aPuppet(node, 8, "en");
  const other = await aPuppet(node, 9, "en");
  await until(() => node.protocol.peerCount() === 2);
  giver.say(messages.transactions.code, messages.transactions.encode([aTransfer(0).raw]));
  await until(() => transactionHashes(other).length === 1);
  giver.say(messages.newBlock.code, pushMessage(await makeBlock(maker)));
  await until(() => codes(other).includes(messages.newBlock.code));
  expect(codes(giver)).toEqual([]);
  giver.link.close();
  other.link.close();
});

test("pending transactions are sent again to peers that know them already", async () => {
  await using node = await aNode({ number: 1, type: "en", timings: { resendMs: 10 } });
  const puppet = await aPuppet(node, 9, "pn");
  node.pool.add(aTransfer(0), "local");
  await until(() => transactionHashes(puppet).length >= 3);
  expect(new Set(transactionHashes(puppet)).size).toBe(1);
  puppet.link.close();
});

test("transactions that the pool refuses have no consequence; unreadable ones end the session", async () => {
  await using node = await aNode({ number: 1, type: "en" });
  const puppet = await aPuppet(node, 9, "en");
  const unknown = concatBytes(encodeRlp(Uint8Array.of(0x07)), encodeRlp([Uint8Array.of(1)]));
  const foreign = Uint8Array.from(aTransfer(4).raw);
  foreign[foreign.length - 1] = (foreign[foreign.length - 1] ?? 0) ^ 1; // somebody else signed it
  puppet.say(messages.transactions.code, messages.transactions.encode([unknown, foreign, aTransfer(0).raw]));
  await until(() => node.pool.get(aTransfer(0).hash) !== undefined);
  expect(puppet.link.first.signal.aborted).toBe(false);
  puppet.say(messages.transactions.code, encodeRlp([[Uint8Array.of(1), Uint8Array.of(2)]]));
  expect(await puppet.left).toBe("bad-message");
  puppet.link.close();
});

test("an announced block that does not arrive by itself is fetched", async () => {
  await using core = await aNode({ number: 1, type: "cn" });
  await using node = await aNode({ number: 2, type: "en" });
  const pushes: number[] = [];
  const session = connect(
    {
      ...core.end,
      tamper: ({ code, payload }) => {
        if (code === messages.newBlock.code || code === messages.newBlockHashes.code) pushes.push(code);
        return code === messages.newBlock.code ? [] : [{ code, payload }];
      },
    },
    node.end,
  );
  await node.protocol.synced;
  await makeBlocks(core, 2);
  await until(() => headOf(node) === 2);
  expect(pushes).toContain(messages.newBlockHashes.code);
  expect(node.sum("cn/fetcher/prop/announces/in")).toBeGreaterThan(0);
  await session.close();
});

test("pushed blocks are imported in order, whatever order they arrive in", async () => {
  await using maker = await aNode({ number: 1, type: "cn" });
  await using node = await aNode({ number: 2, timings: { announcedMs: 60_000 } });
  const puppet = await aPuppet(node, 9, "pn");
  const blocks: Block[] = [];
  for (let i = 0; i < 4; i++) blocks.push(await makeBlock(maker));
  for (const block of blocks.toReversed()) puppet.say(messages.newBlock.code, pushMessage(block));
  await until(() => headOf(node) === 4);
  await until(() => node.sum("cn/fetcher/prop/announces/out") === 4);
  expect(node.sum("cn/fetcher/prop/broadcasts/in")).toBe(4);
  expect(node.sum("cn/fetcher/prop/broadcasts/out")).toBe(4);
  puppet.link.close();
});

test("a pushed block is on disk when it becomes the head, by one write", async () => {
  await using maker = await aNode({ number: 1, type: "cn" });
  await using node = await aNode({ number: 2, timings: { announcedMs: 60_000 } });
  const { store } = node.open;
  const write = store.write.bind(store);
  const syncs: boolean[] = [];
  store.write = (batch, options) => {
    syncs.push(options.sync);
    return write(batch, options);
  };
  const puppet = await aPuppet(node, 9, "pn");
  puppet.say(messages.newBlock.code, pushMessage(await makeBlock(maker)));
  await until(() => headOf(node) === 1);
  expect(syncs).toEqual([true]);
  puppet.link.close();
});

test("a pushed block that no validator sealed ends the session and changes nothing", async () => {
  await using maker = await aNode({ number: 1, type: "cn" });
  await using node = await aNode({ number: 2 });
  const puppet = await aPuppet(node, 9, "pn");
  const block = await makeBlock(maker);
  const forged = { ...block, header: { ...block.header, gasUsed: 5n } };
  puppet.say(messages.newBlock.code, pushMessage(forged));
  expect(await puppet.left).toBe("bad-block");
  expect(headOf(node)).toBe(0);
  puppet.link.close();
});

test("a pushed block of the near future is delayed, not punished", async () => {
  const time = Math.floor(Date.now() / 1000) + 600;
  await using maker = await aNode({ number: 1, type: "cn", time });
  await using node = await aNode({ number: 2, time });
  const puppet = await aPuppet(node, 9, "pn");
  puppet.say(messages.newBlock.code, pushMessage(await makeBlock(maker)));
  puppet.say(
    messages.headersRequest.code,
    messages.headersRequest.encode({ origin: 0n, amount: 1n, skip: 0n, reverse: false }),
  );
  await until(() => codes(puppet).includes(messages.headers.code));
  expect(headOf(node)).toBe(0);
  expect(node.protocol.peerCount()).toBe(1);
  puppet.link.close();
});

const OFFENCES: [string, number, Uint8Array][] = [
  ["a second status", messages.status.code, encodeRlp([])],
  ["a code that its version does not have", messages.bid.code, encodeRlp([])],
  ["a code that no version has", 0x10, encodeRlp([])],
  ["rubbish", messages.headersRequest.code, Uint8Array.of(0xc1)],
  ["a consensus message without its outer form", messages.consensus.code, encodeRlp([])],
  [
    "a question for a header that nobody announced",
    messages.headerFetchRequest.code,
    encodeRlp(new Uint8Array(32)),
  ],
];

test.each(OFFENCES)("%s ends the session", async (_, code, payload) => {
  await using node = await aNode({ number: 1 });
  const puppet = await aPuppet(node, 9);
  puppet.say(code, payload);
  expect(["bad-message", "unknown-block"]).toContain(await puppet.left);
  expect(node.protocol.peerCount()).toBe(0);
  puppet.link.close();
});

test("bids of the newest version are ignored, and requests for blobs of old blocks get empty answers", async () => {
  await using node = await aNode({ number: 1, version: 67 });
  const puppet = await aPuppet(node, 9);
  const asked = encodeRlpList([encodeRlp([Uint8Array.of(1), new Uint8Array(0), new Uint8Array(32)])]);
  puppet.say(messages.bid.code, encodeRlp([]));
  puppet.say(messages.sidecarsRequest.code, asked);
  await until(() => puppet.received.length === 1);
  expect(puppet.received).toEqual([{ code: messages.sidecars.code, payload: encodeRlpList([]) }]);
  puppet.link.close();
});

test("unsolicited answers are not decoded", async () => {
  await using node = await aNode({ number: 1 });
  const puppet = await aPuppet(node, 9);
  const rubbish = Uint8Array.of(0xff);
  for (const { code } of [
    messages.headers,
    messages.bodies,
    messages.receipts,
    messages.nodeData,
    messages.stakingInfo,
  ]) {
    puppet.say(code, rubbish);
  }
  puppet.say(messages.bodiesRequest.code, messages.bodiesRequest.encode([]));
  await until(() => codes(puppet).includes(messages.bodies.code));
  puppet.link.close();
});

test("concurrent requests are all answered, in order", async () => {
  await using node = await aNode({ number: 1, type: "cn" });
  await makeBlocks(node, 20);
  const puppet = await aPuppet(node, 9);
  for (let i = 0; i < 200; i++) {
    const query = { origin: BigInt(i % 20), amount: 1n, skip: 0n, reverse: false };
    puppet.say(messages.headersRequest.code, messages.headersRequest.encode(query));
  }
  const answers = (): ProtocolMessage[] =>
    puppet.received.filter(({ code }) => code === messages.headers.code);
  await until(() => answers().length === 200);
  const numbers = answers().map(({ payload }) => messages.headers.decode(payload)[0]?.number);
  expect(numbers).toEqual(Array.from({ length: 200 }, (_, i) => i % 20));
  puppet.link.close();
});

test("a peer that pushes blocks without a known parent stays within its share of the queue", async () => {
  await using maker = await aNode({ number: 1, type: "cn" });
  await using node = await aNode({ number: 2, timings: { announcedMs: 60_000 } });
  const puppet = await aPuppet(node, 9, "pn");
  const blocks: Block[] = [];
  for (let i = 0; i < 14; i++) blocks.push(await makeBlock(maker));
  for (const block of blocks.slice(1)) puppet.say(messages.newBlock.code, pushMessage(block));
  puppet.say(messages.bodiesRequest.code, messages.bodiesRequest.encode([]));
  await until(() => codes(puppet).includes(messages.bodies.code)); // all before that was handled
  expect(node.sum("cn/fetcher/prop/broadcasts/dos")).toBe(13 - 8);
  const other = await aPuppet(node, 10, "pn");
  other.say(messages.newBlock.code, pushMessage(blocks[0] as Block)); // fourteen were made
  await until(() => headOf(node) === 9);
  expect(node.open.writer.tip.header.number).toBe(9);
  puppet.link.close();
  other.link.close();
});

test("pushed blocks are imported while a peer stalls the catch-up", async () => {
  await using maker = await aNode({ number: 1, type: "cn" });
  await using node = await aNode({ number: 2 });
  const staller = aLink(node.end, { type: "pn", number: 8 });
  const left = node.end.protocol.run(staller.first).catch((error: { code: string }) => error.code);
  const status = await staller.second.next();
  if (status === undefined) throw new Error("no status came");
  const claim = messages.status.encode({ ...messages.status.decode(status.payload), td: 1000n });
  staller.second.send(status.code, claim);
  await until(() => node.protocol.syncing() !== undefined);
  const puppet = await aPuppet(node, 9, "pn");
  puppet.say(messages.newBlock.code, pushMessage(await makeBlock(maker)));
  await until(() => headOf(node) === 1);
  expect(node.protocol.syncing()).toMatchObject({ startingBlock: 0, currentBlock: 1, highestBlock: 999 });
  await node.protocol.synced;
  staller.close();
  await left;
  puppet.link.close();
});
