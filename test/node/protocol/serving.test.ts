/** Answers to requests for the chain, and their limits. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { decodeRlp, encodeRlp, listItems } from "../../../node/bytes/rlp.ts";
import { createRawBlocks, type RawBlocks } from "../../../node/chain/raw-blocks.ts";
import { encodeHeader } from "../../../node/model/header.ts";
import { listRoot } from "../../../node/model/list-root.ts";
import { encodeReceipt } from "../../../node/model/receipt.ts";
import type { BlobSidecar } from "../../../node/model/transaction-type.ts";
import type { HeaderQuery } from "../../../node/protocol/codecs.ts";
import { messages } from "../../../node/protocol/messages.ts";
import { PeerRequests } from "../../../node/protocol/requests.ts";
import { createServing, type RequestAnswer } from "../../../node/protocol/serving.ts";
import { runAtOnce } from "../../../node/runtime/scheduler.ts";
import { aNode, aTransfer, makeBlock, makeBlocks, type TestNode } from "../../support/protocol-node.ts";

let node: TestNode;
let raw: RawBlocks;

beforeAll(async () => {
  node = await aNode({ number: 1, type: "cn" });
  await makeBlocks(node, 249);
  node.pool.add(aTransfer(0), "local");
  await makeBlock(node);
  raw = createRawBlocks(node.open.store, node.open.chain);
});

afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

/** Of every transaction whose hash begins with 1. */
const sidecar: BlobSidecar = {
  version: 1,
  blobs: [Uint8Array.of(1, 2)],
  commitments: [Uint8Array.of(3, 4)],
  proofs: [Uint8Array.of(5, 6), Uint8Array.of(7, 8)],
};

function ask(code: number, payload: Uint8Array, blocks = raw): RequestAnswer {
  const answering = createServing(blocks, (hash) => (hash[0] === 1 ? sidecar : undefined)).get(code);
  if (answering === undefined) throw new Error(`nothing answers ${code}`);
  return runAtOnce(answering(payload));
}

function aHash(first: number): Uint8Array {
  return new Uint8Array(32).fill(first, 0, 1);
}

function numbers(query: Partial<HeaderQuery>): number[] {
  const whole = { origin: 0n, amount: 10n, skip: 0n, reverse: false, ...query };
  const { payload } = ask(messages.headersRequest.code, messages.headersRequest.encode(whole));
  return messages.headers.decode(payload).map(({ number }) => number);
}

function hashOf(number: number): Uint8Array {
  return node.open.chain.block(number)?.hash ?? new Uint8Array(32);
}

test("blobs of mined transactions are served while they are kept, at most four at once", () => {
  const places = [2, 1, 1, 1, 1, 1, 1].map((first, at) => ({
    number: 300,
    index: Math.max(0, at - 1),
    hash: aHash(first),
  }));
  const { payload, items } = ask(messages.sidecarsRequest.code, messages.sidecarsRequest.encode(places));
  const wanted = places.slice(1, 5).map(({ index, hash }) => {
    const at = index === 0 ? new Uint8Array(0) : Uint8Array.of(index);
    const { blobs, commitments, proofs } = sidecar;
    return [Uint8Array.of(1, 44), at, hash, [Uint8Array.of(1), [...blobs], [...commitments], [...proofs]]];
  });
  expect(payload).toEqual(encodeRlp(wanted));
  expect(items).toBe(4);
});

test("headers are served by number and hash, in both directions, with gaps", () => {
  expect(numbers({ origin: 5n, amount: 3n })).toEqual([5, 6, 7]);
  expect(numbers({ origin: 5n, amount: 3n, skip: 4n })).toEqual([5, 10, 15]);
  expect(numbers({ origin: 5n, amount: 9n, skip: 1n, reverse: true })).toEqual([5, 3, 1]);
  expect(numbers({ origin: hashOf(7), amount: 2n })).toEqual([7, 8]);
  expect(numbers({ origin: hashOf(7), amount: 2n, skip: 63n, reverse: true })).toEqual([7]);
  expect(numbers({ origin: 2n, amount: 9n, reverse: true })).toEqual([2, 1, 0]);
});

test("headers end at the head, and overflowing queries get the existing ones", () => {
  expect(numbers({ origin: 249n, amount: 9n })).toEqual([249, 250]);
  expect(numbers({ origin: 251n })).toEqual([]);
  expect(numbers({ origin: new Uint8Array(32).fill(1) })).toEqual([]);
  expect(numbers({ origin: 3n, skip: 2n ** 64n - 1n })).toEqual([3]);
  expect(numbers({ origin: 3n, skip: 2n ** 64n - 1n, reverse: true })).toEqual([3]);
  expect(numbers({ origin: 2n ** 64n - 1n })).toEqual([]);
  expect(numbers({ amount: 0n })).toEqual([]);
});

test("at most 192 headers, 128 bodies and 256 lists of receipts are served", () => {
  expect(numbers({ amount: 2n ** 64n - 1n })).toHaveLength(192);
  const all = Array.from({ length: 251 }, (_, number) => hashOf(number));
  const hashes = messages.bodiesRequest.encode([...all, ...all]);
  expect(ask(messages.bodiesRequest.code, hashes).items).toBe(128);
  expect(ask(messages.bodiesFetchRequest.code, hashes).items).toBe(128);
  expect(ask(messages.receiptsRequest.code, hashes).items).toBe(256);
});

test("an answer is made in steps of one look-up, found or not, between which others are served", () => {
  const hashes = [hashOf(1), new Uint8Array(32), hashOf(250)];
  const { receiptsRequest, bodiesRequest, sidecarsRequest, headersRequest } = messages;
  const places = [2, 1, 1].map((first) => ({ number: 300, index: 0, hash: aHash(first) }));
  const requests = [
    [receiptsRequest.code, receiptsRequest.encode(hashes)],
    [bodiesRequest.code, bodiesRequest.encode(hashes)],
    [sidecarsRequest.code, sidecarsRequest.encode(places)],
    [headersRequest.code, headersRequest.encode({ origin: 1n, amount: 3n, skip: 0n, reverse: false })],
  ] as const;
  const serving = createServing(raw, () => undefined);
  const steps = requests.map(([code, payload]) => [...(serving.get(code)?.(payload) ?? [])].length);
  expect(steps).toEqual([3, 3, 3, 3]);
});

test("nothing more is added to an answer that has reached two megabytes", () => {
  const large = encodeRlp([new Uint8Array(2 ** 20)]);
  const heavy = { ...raw, body: () => large, header: () => large };
  const all = Array.from({ length: 9 }, (_, number) => hashOf(number));
  expect(ask(messages.bodiesRequest.code, messages.bodiesRequest.encode(all), heavy).items).toBe(2);
  const query = messages.headersRequest.encode({ origin: 0n, amount: 9n, skip: 0n, reverse: false });
  expect(ask(messages.headersRequest.code, query, heavy).items).toBe(2);
});

test("bodies and receipts are those of the chain; unknown blocks are skipped", () => {
  const unknown = new Uint8Array(32).fill(3);
  const asked = messages.bodiesRequest.encode([unknown, hashOf(250), hashOf(1)]);
  const bodies = messages.bodies.decode(ask(messages.bodiesRequest.code, asked).payload);
  expect(bodies.map((body) => listItems(decodeRlp(body)).map(({ raw: tx }) => tx))).toEqual([
    [aTransfer(0).raw],
    [],
  ]);
  const receipts = messages.receipts.decode(ask(messages.receiptsRequest.code, asked).payload);
  expect(receipts).toEqual([node.open.chain.receipts(250)?.map(encodeReceipt), []]);
});

test("requested receipts have the roots of their headers", async () => {
  const requests: PeerRequests = new PeerRequests(
    async (code, payload) => {
      const answer = ask(code, payload);
      return requests.deliver(answer.code, answer.payload);
    },
    10_000,
    new Map(),
  );
  const question = { ask: messages.receiptsRequest, answer: messages.receipts };
  const lists = await requests.request(question, [hashOf(250), hashOf(1)]);
  const { deriveShaImpl } = node.open.chain.parameters(250);
  expect(lists.map((list) => list.length)).toEqual([1, 0]);
  expect(lists.map((list) => listRoot(deriveShaImpl, list))).toEqual(
    [250, 1].map((number) => node.open.chain.block(number)?.header.receiptsRoot),
  );
});

test("a single header is served; a request for one that was never announced is an offence", () => {
  const { code, payload } = ask(
    messages.headerFetchRequest.code,
    messages.headerFetchRequest.encode(hashOf(9)),
  );
  expect(code).toBe(messages.headerFetchResponse.code);
  expect(payload).toEqual(encodeHeader(messages.headerFetchResponse.decode(payload)));
  const unknown = messages.headerFetchRequest.encode(new Uint8Array(32));
  expect(() => ask(messages.headerFetchRequest.code, unknown)).toThrow(
    expect.objectContaining({ code: "unknown-block" }),
  );
});

test("hashes of blocks that do not exist cost as much as others, and end a request", () => {
  const unknown = Array.from({ length: 8000 }, (_, i) => aHash(i % 256));
  let looked = 0;
  const counting = { ...raw, number: (hash: Uint8Array) => (looked++, raw.number(hash)) };
  const { items, lookUps, isUseless } = ask(
    messages.bodiesRequest.code,
    messages.bodiesRequest.encode(unknown),
    counting,
  );
  expect({ items, lookUps, isUseless, looked }).toEqual({
    items: 0,
    lookUps: 256,
    isUseless: true,
    looked: 256,
  });
  const some = messages.receiptsRequest.encode([aHash(1), hashOf(3)]);
  expect(ask(messages.receiptsRequest.code, some)).toMatchObject({ items: 1, lookUps: 2, isUseless: false });
  const byHash = { origin: aHash(1), amount: 1n, skip: 0n, reverse: false };
  expect(ask(messages.headersRequest.code, messages.headersRequest.encode(byHash))).toMatchObject({
    items: 0,
    isUseless: true,
  });
});

test("requests for state nodes and staking information get empty answers", () => {
  for (const [row, answer] of [
    [messages.nodeDataRequest, messages.nodeData],
    [messages.stakingInfoRequest, messages.stakingInfo],
  ] as const) {
    expect(ask(row.code, row.encode([hashOf(1)]))).toEqual({
      code: answer.code,
      payload: encodeRlp([]),
      items: 0,
      lookUps: 1,
      isUseless: false,
    });
  }
});

test("blocks that are not yet durable are not served", async () => {
  const written = await makeBlock(node, false);
  expect(raw.number(written.hash)).toBeUndefined();
  expect(raw.header(written.header.number)).toBeUndefined();
  expect(numbers({ origin: 250n })).toEqual([250]);
  await node.open.writer.settle();
  expect(raw.number(written.hash)).toBe(251);
});
