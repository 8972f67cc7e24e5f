/** Catching up from several peers: one leads, the others help with headers and bodies, and may be of no help. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Header } from "../../../node/model/header.ts";
import type { ProtocolMessage } from "../../../node/p2p/protocol.ts";
import type { ChainPeer } from "../../../node/protocol/chain-peer.ts";
import { ProtocolError } from "../../../node/protocol/error.ts";
import { messages } from "../../../node/protocol/messages.ts";
import { SyncPeers } from "../../../node/protocol/sync-peers.ts";
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

const BLOCKS = 110;
let ahead: TestNode;

beforeAll(async () => {
  ahead = await aNode({ number: 1, type: "cn" });
  for (let i = 0; i < BLOCKS; i++) {
    ahead.pool.add(aTransfer(i), "local");
    await makeBlock(ahead);
  }
});

afterAll(async () => {
  await ahead[Symbol.asyncDispose]();
});

type Tamper = (message: ProtocolMessage) => readonly ProtocolMessage[];

/** Connects the node with so many ends of the node ahead, the first of which leads. */
function surround(node: TestNode, ends: readonly Tamper[]): Session[] {
  return ends.map((tamper, place) => connect(node.end, { ...ahead.end, number: 10 + place, tamper }));
}

const honest: Tamper = (message) => [message];

function aboutBodies(change: (message: ProtocolMessage) => readonly ProtocolMessage[]): Tamper {
  return (message) => (message.code === messages.bodies.code ? change(message) : [message]);
}

async function takesAll(node: TestNode): Promise<void> {
  await until(() => headOf(node) === BLOCKS);
  expect(node.open.chain.head().hash).toEqual(ahead.open.chain.head().hash);
}

test("bodies are fetched from all peers that have them", async () => {
  await using behind = await aNode({ number: 2 });
  const answers = [0, 0, 0];
  const counted = answers.map((_, place) =>
    aboutBodies((message) => {
      answers[place] = (answers[place] ?? 0) + 1;
      return [message];
    }),
  );
  const sessions = surround(behind, counted);
  await takesAll(behind);
  for (const count of answers) expect(count).toBeGreaterThan(0);
  for (const session of sessions) await session.close();
});

test("a helper that sends bodies of other blocks is dropped, the leader is not", async () => {
  await using behind = await aNode({ number: 2 });
  const wrong = messages.bodies.encode([messages.transactions.encode([aTransfer(7).raw])]);
  const liar = aboutBodies(({ code, payload }) => {
    const [body = wrong] = messages.bodies.decode(wrong);
    return [{ code, payload: messages.bodies.encode(messages.bodies.decode(payload).map(() => body)) }];
  });
  const [leading, lying] = surround(behind, [honest, liar]);
  expect(await lying?.first).toMatchObject({ code: "bad-block" });
  await takesAll(behind);
  expect(behind.protocol.peerCount()).toBe(1);
  await leading?.close();
});

test.each([
  ["that says nothing", aboutBodies(() => [])],
  ["that has none", aboutBodies(({ code }) => [{ code, payload: messages.bodies.encode([]) }])],
  [
    "that has the first one alone",
    aboutBodies(({ code, payload }) => [
      { code, payload: messages.bodies.encode(messages.bodies.decode(payload).slice(0, 1)) },
    ]),
  ],
])("a helper %s is done without, and stays", async (_, tamper) => {
  await using behind = await aNode({ number: 2, timings: { helperMs: 50 } });
  const sessions = surround(behind, [honest, tamper]);
  await takesAll(behind);
  expect(behind.protocol.peerCount()).toBe(2);
  for (const session of sessions) await session.close();
});

/** A peer as far as the selection of helpers reads it. */
function aPeer(name: string): ChainPeer {
  return { name, claim: { number: 5 } } as unknown as ChainPeer;
}

test("newcomers that are of no help stop others like them from being asked, but not peers that are known", async () => {
  const leader = aPeer("leader");
  const helpers = Array.from({ length: 10 }, (_, place) => aPeer(place < 5 ? "newcomer" : "known"));
  const syncPeers = new SyncPeers(leader, {
    peers: () => helpers,
    helperMs: 1,
    leaderMs: () => 60_000,
    standingOf: ({ name }) => (name === "known" ? "known" : "unproven"),
  });
  const asked: string[] = [];
  void syncPeers.ask(5, () => new Promise(() => undefined)); // the leader is busy
  const { from } = await syncPeers.ask(5, async (peer) => {
    asked.push(peer.name);
    if (peer !== leader) throw new ProtocolError("timeout", "no answer");
  });
  expect(from).toBe(leader);
  expect(asked).toEqual([...Array(4).fill("newcomer"), ...Array(5).fill("known"), "leader"]);
});

test("a leader that names genuine headers and sends no bodies is passed over, and stays", async () => {
  await using behind = await aNode({ number: 2, timings: { helperMs: 50, requestMs: 60_000 } });
  const sessions = surround(behind, [aboutBodies(() => []), honest]);
  await takesAll(behind);
  expect(behind.protocol.peerCount()).toBe(2);
  for (const session of sessions) await session.close();
});

test("a leader is waited for while nobody else has the block", async () => {
  const leader = aPeer("leader");
  const helper = aPeer("helper");
  const helpers: ChainPeer[] = [];
  let looks = 0;
  const syncPeers = new SyncPeers(leader, {
    peers: () => {
      looks++;
      return helpers;
    },
    helperMs: 1,
    leaderMs: () => 1,
    standingOf: () => "unproven",
  });
  const asked: ChainPeer[] = [];
  const answer = syncPeers.ask(5, async (peer) => {
    asked.push(peer);
    return peer === helper ? "answer" : await new Promise<string>(() => undefined);
  });
  await until(() => looks > 2);
  expect(asked).toEqual([leader]);
  helpers.push(helper);
  expect(await answer).toEqual({ from: helper, answer: "answer" });
  expect(syncPeers.isLeaderPassedOver).toBe(true);
});

test("a leader that alone can answer is late once another peer is ahead too, and not before", async () => {
  let leaderMs = 60_000;
  let looks = 0;
  const syncPeers = new SyncPeers(aPeer("leader"), {
    peers: () => [],
    helperMs: 1,
    leaderMs: () => {
      looks++;
      return leaderMs;
    },
    standingOf: () => "unproven",
  });
  const answer = syncPeers.askLeader(() => new Promise(() => undefined));
  await until(() => looks > 2);
  leaderMs = 0;
  await expect(answer).rejects.toMatchObject({ code: "timeout" });
});

describe("headers", () => {
  const RUN = 192;
  let far: TestNode;

  beforeAll(async () => {
    far = await aNode({ number: 1, type: "cn" });
    await makeBlocks(far, 3 * RUN);
  });

  afterAll(async () => {
    await far[Symbol.asyncDispose]();
  });

  /** Takes all blocks with a helper that changes its headers; who leads is honest. Says how many peers are left. */
  async function takenFrom(helper: Tamper, answers: number[] = []): Promise<number> {
    await using behind = await aNode({ number: 2, timings: { helperMs: 50 } });
    const ends = [honest, helper].map(
      (tamper, place): Tamper =>
        (message) => {
          if (
            message.code === messages.headers.code &&
            messages.headers.decode(message.payload).length === RUN
          )
            answers[place] = (answers[place] ?? 0) + 1;
          return tamper(message);
        },
    );
    const sessions = ends.map((tamper, place) =>
      connect(behind.end, { ...far.end, number: 10 + place, tamper }),
    );
    await until(() => headOf(behind) === 3 * RUN);
    expect(behind.open.chain.head().hash).toEqual(far.open.chain.head().hash);
    const left = behind.protocol.peerCount();
    for (const session of sessions) await session.close();
    return left;
  }

  function aboutHeaders(change: (headers: readonly Header[]) => readonly Header[]): Tamper {
    return ({ code, payload }) => {
      const headers = code === messages.headers.code ? messages.headers.decode(payload) : [];
      if (headers.length < RUN) return [{ code, payload }];
      const changed = change(headers);
      return changed.length === 0 ? [] : [{ code, payload: messages.headers.encode([...changed]) }];
    };
  }

  test("are fetched from all peers that have them", async () => {
    const answers = [0, 0];
    await takenFrom(honest, answers);
    for (const count of answers) expect(count).toBeGreaterThan(0);
  });

  test.each([
    ["gives none", () => []],
    ["leaves one out", (headers: readonly Header[]) => headers.filter((_, place) => place !== 7)],
    [
      "gives another last one",
      (headers: readonly Header[]) =>
        headers.map((each, place) => (place === RUN - 1 ? { ...each, gasUsed: 1n } : each)),
    ],
  ])("are asked of somebody else when a helper %s", async (_, change) => {
    expect(await takenFrom(aboutHeaders(change))).toBe(2);
  });
});
