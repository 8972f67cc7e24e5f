/** Nodes that are behind, and peers that lie to them. */
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { fromHex } from "../../../node/bytes/hex.ts";
import { encodeRlpList } from "../../../node/bytes/rlp.ts";
import { bareTransaction } from "../../../node/model/bare-transaction.ts";
import { blockHash, type Header } from "../../../node/model/header.ts";
import { encodeExtra, parseExtra } from "../../../node/model/istanbul-extra.ts";
import { listRoot } from "../../../node/model/list-root.ts";
import { decodeTransaction } from "../../../node/model/transaction.ts";
import type { ProtocolMessage } from "../../../node/p2p/protocol.ts";
import type { PushedBlock } from "../../../node/protocol/codecs.ts";
import { type MessageRow, messages } from "../../../node/protocol/messages.ts";
import {
  aNode,
  aTransfer,
  headOf,
  makeBlock,
  makeBlocks,
  type TestNode,
} from "../../support/protocol-node.ts";
import { connect, type Session } from "../../support/protocol-peer.ts";
import { until } from "../../support/until.ts";
import { transactionSamples } from "../model/samples.ts";

const BLOCKS = 230;
const REQUEST_MS = 200;
let ahead: TestNode;

beforeAll(async () => {
  ahead = await aNode({ number: 1, type: "cn" });
  await makeBlocks(ahead, 199);
  for (let i = 0; i < 40; i++) ahead.pool.add(aTransfer(i), "local");
  await makeBlock(ahead);
  await makeBlocks(ahead, BLOCKS - 200);
});

afterAll(async () => {
  await ahead[Symbol.asyncDispose]();
});

/** The node ahead, with some of its messages changed on the way. */
function aLiar(
  node: TestNode,
  number: number,
  tamper: (message: ProtocolMessage) => readonly ProtocolMessage[],
): TestNode["end"] {
  return { ...node.end, number, tamper };
}

/** Changes what one kind of message says. */
function rewriting<T>(
  row: MessageRow<T>,
  change: (value: T) => T,
): (message: ProtocolMessage) => ProtocolMessage[] {
  return ({ code, payload }) => [
    { code, payload: code === row.code ? row.encode(change(row.decode(payload))) : payload },
  ];
}

function silentAbout(code: number): (message: ProtocolMessage) => ProtocolMessage[] {
  return (message) => (message.code === code ? [] : [message]);
}

/** Occupies the thread. */
function keepBusy(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

async function leaveReason(session: Session): Promise<string> {
  const error = await session.first;
  await session.close();
  return `${(error as { code?: string } | undefined)?.code}`;
}

test("a node that is behind imports all blocks of its peer, full and empty ones", async () => {
  await using behind = await aNode({ number: 2 });
  const session = connect(behind.end, ahead.end);
  await until(() => headOf(behind) === BLOCKS);
  expect(behind.open.chain.head().hash).toEqual(ahead.open.chain.head().hash);
  expect(behind.open.chain.block(200)?.transactions).toHaveLength(40);
  expect(behind.open.state.root).toEqual(ahead.open.state.root);
  await behind.protocol.synced;
  expect(behind.protocol.syncing()).toBeUndefined();
  const counts = ["headers/in", "headers/timeout", "bodies/in", "bodies/drop"].map((name) =>
    behind.sum(`klay/downloader/${name}`),
  );
  expect(counts).toEqual([BLOCKS + 1, 0, 1, 0]); // our own head's header is asked for too
  expect(behind.sum("klay/downloader/bodies/req")).toBe(1);
  await session.close();
});

test("a catch-up reports its starting, current and highest block", async () => {
  await using behind = await aNode({ number: 2 });
  const seen: unknown[] = [];
  behind.open.chain.onHead(() => seen.push(behind.protocol.syncing()));
  const session = connect(behind.end, ahead.end);
  await until(() => headOf(behind) === BLOCKS);
  expect(seen[0]).toMatchObject({ startingBlock: 0, highestBlock: BLOCKS });
  await session.close();
});

test("the network's head is known only with a peer whose head is not ahead", async () => {
  await using behind = await aNode({ number: 2 });
  let heard = false;
  void behind.protocol.synced.then(() => {
    heard = true;
  });
  const held: (() => void)[] = [];
  const late = new Promise<void>((resolve) => held.push(resolve));
  void behind.open.writer.exclusively(() => late); // nothing is imported meanwhile
  const session = connect(behind.end, ahead.end);
  await until(() => behind.protocol.peerCount() === 1);
  expect(heard).toBe(false);
  held[0]?.();
  await behind.protocol.synced;
  expect(headOf(behind)).toBe(BLOCKS);
  await session.close();
});

test("a node is level with its peer once the blocks are on disk, not when they are executed", async () => {
  await using behind = await aNode({ number: 2 });
  await using peer = await aNode({ number: 3, type: "cn" });
  await makeBlocks(peer, 5);
  const { store, writer } = behind.open;
  const disk = Promise.withResolvers<void>();
  const write = store.write.bind(store);
  store.write = async (batch, options) => {
    await write(batch, options);
    if (options.sync) await disk.promise;
  };
  let isLevel = false;
  void behind.protocol.synced.then(() => {
    isLevel = true;
  });
  const session = connect(behind.end, peer.end);
  await until(() => writer.tip.header.number === 5);
  await setTimeout(100); // several comparisons
  const seen = [headOf(behind), isLevel];
  disk.resolve();
  expect(seen).toEqual([0, false]);
  await behind.protocol.synced;
  expect(headOf(behind)).toBe(5);
  await session.close();
});

test("two nodes with the same head know the network's head at once", async () => {
  await using one = await aNode({ number: 2 });
  await using other = await aNode({ number: 3 });
  const session = connect(one.end, other.end);
  await Promise.all([one.protocol.synced, other.protocol.synced]);
  await session.close();
});

/** A transaction with blobs, as blocks have it, and a body with it and blobs of a version that no release has. */
const sample = transactionSamples().find(({ name }) => name === "sidecar/blob/one");
const bare = bareTransaction(decodeTransaction(fromHex(sample?.raw ?? "0x"))).raw;
const NOTHING = encodeRlpList([]);
const OF_VERSION_TWO = encodeRlpList([bare.subarray(2), Uint8Array.of(2), NOTHING, NOTHING, NOTHING]);
const UNSUPPORTED = encodeRlpList([concatBytes(bare.subarray(0, 2), OF_VERSION_TWO)]);

/** The last block has that body, says its header, which nobody has sealed. */
function withUnsupportedBody({ code, payload }: ProtocolMessage): ProtocolMessage[] {
  const transactionsRoot = listRoot(2, [bare]);
  const lie = rewriting(messages.headers, (headers) =>
    headers.map((header) =>
      header.number === BLOCKS ? { ...header, transactionsRoot, gasUsed: 30_000n } : header,
    ),
  );
  return lie({ code, payload }).flatMap(
    rewriting(messages.bodies, (bodies) => [...bodies, UNSUPPORTED].slice(0, 2)),
  );
}

const LIES: [what: string, code: string, tamper: (message: ProtocolMessage) => readonly ProtocolMessage[]][] =
  [
    [
      "a body that is not the header's",
      "bad-block",
      rewriting(messages.bodies, (bodies) =>
        bodies.map(() => messages.transactions.encode([aTransfer(7).raw])),
      ),
    ],
    ["unsupported bodies", "bad-block", rewriting(messages.bodies, (all) => all.map(() => UNSUPPORTED))],
    ["a forged header that names an unsupported body", "bad-block", withUnsupportedBody],
    ["no body at all", "bad-answer", rewriting(messages.bodies, () => [])],
    [
      "more bodies than asked for",
      "bad-answer",
      rewriting(messages.bodies, (bodies) => [...bodies, ...bodies]),
    ],
    [
      "headers whose committed seals are cut off",
      "bad-block",
      rewriting(messages.headers, (headers) =>
        headers.map((header) => ({ ...header, extra: withoutSeals(header.extra) })),
      ),
    ],
    [
      "headers with a gap",
      "bad-answer",
      rewriting(messages.headers, (headers) => headers.filter((_, i) => i !== 5)),
    ],
    [
      "a header of another number",
      "bad-answer",
      rewriting(messages.headers, (headers) =>
        headers.map((header, i) => ({ ...header, number: header.number + (i === 9 ? 1 : 0) })),
      ),
    ],
    [
      "headers that begin elsewhere",
      "wrong-chain",
      rewriting(messages.headers, (headers) => headers.slice(1)),
    ],
    ["no headers at all", "wrong-chain", rewriting(messages.headers, () => [])],
    ["more headers than asked for", "bad-message", rewriting(messages.headers, (all) => [...all, ...all])],
    [
      "a head that it does not have",
      "stalling",
      rewriting(messages.status, (status) => ({ ...status, td: status.td + 5n })),
    ],
    [
      "a head beyond all numbers",
      "stalling",
      rewriting(messages.status, (status) => ({ ...status, td: 2n ** 255n })),
    ],
    ["silence about headers", "timeout", silentAbout(messages.headers.code)],
    [
      "silence about headers while the node is busy",
      "timeout",
      (message) => {
        if (message.code === messages.headers.code) keepBusy(2 * REQUEST_MS); // all timers are late then
        return silentAbout(messages.headers.code)(message);
      },
    ],
    ["silence about bodies", "timeout", silentAbout(messages.bodies.code)],
    [
      "rubbish for headers",
      "bad-message",
      ({ code, payload }) => [
        { code, payload: code === messages.headers.code ? payload.subarray(0, payload.length - 1) : payload },
      ],
    ],
  ];

/** Extra data without committed seals: the validators and the proposer's seal stay. */
function withoutSeals(extra: Uint8Array): Uint8Array {
  const { vanity, validators, seal } = parseExtra(extra);
  return encodeExtra({ vanity, validators, seal, committedSeals: [] });
}

test.each(LIES)(
  "a peer that gives %s is left with the code %s, and an honest one gives the rest",
  async (_, code, tamper) => {
    await using behind = await aNode({ number: 2, timings: { requestMs: REQUEST_MS } });
    expect(await leaveReason(connect(behind.end, aLiar(ahead, 66, tamper)))).toBe(code);
    const timeouts = ["headers", "bodies"].map((kind) => behind.sum(`klay/downloader/${kind}/timeout`));
    expect(Math.max(...timeouts) > 0).toBe(code === "timeout");
    const session = connect(behind.end, ahead.end);
    await until(() => headOf(behind) === BLOCKS);
    expect(behind.open.chain.head().hash).toEqual(ahead.open.chain.head().hash);
    await session.close();
  },
);

test("an endless stream of headers is followed no further than the first without a validator's seal", async () => {
  await using behind = await aNode({ number: 2 });
  let asked = 0;
  const endless = ({ code, payload }: ProtocolMessage): ProtocolMessage[] => {
    if (code !== messages.headers.code) return [{ code, payload }];
    asked++;
    return [
      { code, payload: messages.headers.encode(chainOfLies(messages.headers.decode(payload), asked > 1)) },
    ];
  };
  const status = rewriting(messages.status, (value) => ({ ...value, td: 2n ** 60n }));
  const session = connect(
    behind.end,
    aLiar(ahead, 66, (message) => status(message).flatMap(endless)),
  );
  expect(await leaveReason(session)).toBe("bad-block");
  expect(headOf(behind)).toBe(0);
  expect(asked).toBeLessThan(40);
});

/** The last header made by the liar; its next ones continue there. */
let invented: Header | undefined;

/** As many linked headers as a full answer has, sealed by nobody. */
function chainOfLies(honest: readonly Header[], goOn: boolean): Header[] {
  const first = honest[0];
  if (!goOn) invented = first;
  const lies: Header[] = goOn || first === undefined ? [] : [first];
  while (lies.length < 192 && invented !== undefined) {
    invented = { ...invented, parentHash: blockHash(invented), number: invented.number + 1 };
    lies.push(invented);
  }
  return lies;
}

/** Says every body twice. */
function twice({ code, payload }: ProtocolMessage): ProtocolMessage[] {
  return code === messages.bodies.code
    ? [
        { code, payload },
        { code, payload },
      ]
    : [{ code, payload }];
}

test("a repeated answer is used once", async () => {
  await using behind = await aNode({ number: 2 });
  const session = connect(behind.end, aLiar(ahead, 66, twice));
  await until(() => headOf(behind) === BLOCKS);
  expect(behind.sum("klay/downloader/bodies/in")).toBe(1);
  expect(behind.sum("klay/downloader/bodies/drop")).toBe(1);
  await session.close();
});

test("a pushed block far ahead makes a node request those before it", async () => {
  await using behind = await aNode({ number: 2 });
  const block = ahead.open.chain.head();
  const pushed: PushedBlock = {
    header: block.header,
    body: messages.transactions.encode([]),
    td: BigInt(BLOCKS + 1),
  };
  let first = true;
  const session = connect(
    behind.end,
    aLiar(ahead, 66, ({ code, payload }) => {
      if (code !== messages.status.code || !first) return [{ code, payload }];
      first = false;
      const claim = messages.status.encode({ ...messages.status.decode(payload), td: 1n });
      return [
        { code, payload: claim },
        { code: messages.newBlock.code, payload: messages.newBlock.encode(pushed) },
      ];
    }),
  );
  await until(() => headOf(behind) === BLOCKS);
  await session.close();
});
