/** Peers that ask and do not take the answers, and messages that are many. */
import { expect, test } from "@jest/globals";
import { encodeRlpList } from "../../../node/bytes/rlp.ts";
import type { ProtocolPeer } from "../../../node/p2p/protocol.ts";
import { messages } from "../../../node/protocol/messages.ts";
import { UNLIMITED_TIME } from "../../../node/runtime/fair-time.ts";
import { aNode, aTransfer, type TestNode } from "../../support/protocol-node.ts";
import { aLink } from "../../support/protocol-peer.ts";
import { until } from "../../support/until.ts";

/** A peer that the test plays, which the node sees with other `fields`; the answers that it got. */
async function playPeer(
  node: TestNode,
  fields: Partial<ProtocolPeer>,
): Promise<ProtocolPeer & { got: number[] }> {
  const link = aLink(node.end, { type: "pn", number: 9 });
  void node.end.protocol.run({ ...link.first, ...fields }).catch(() => undefined);
  const status = await link.second.next();
  link.second.send(messages.status.code, status?.payload ?? new Uint8Array(0));
  await until(() => node.protocol.peerCount() === 1);
  const got: number[] = [];
  void (async () => {
    for await (const { code } of link.second.messages) got.push(code);
  })();
  return { ...link.second, got };
}

const EMPTY = encodeRlpList([]);
const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => void setImmediate(resolve));
};

test("requests of a peer that has not accepted its answers wait, with everything behind them", async () => {
  await using node = await aNode({ number: 1 });
  const gate = Promise.withResolvers<void>();
  const peer = await playPeer(node, { waitForDrain: () => gate.promise.then(() => true) });
  for (let i = 0; i < 5; i++) peer.send(messages.nodeDataRequest.code, EMPTY);
  await turns(50);
  expect(peer.got).toEqual([]);
  gate.resolve();
  await until(() => peer.got.length === 5);
});

test("the session of a peer that leaves lasts until its last transactions are handled", async () => {
  await using node = await aNode({ number: 1 });
  const gate = Promise.withResolvers<void>();
  let asked = 0;
  Object.assign(node.pool, {
    recover: () => {
      asked++;
      return gate.promise;
    },
  });
  const gone = new AbortController();
  const link = aLink(node.end, { type: "pn", number: 9 });
  let isOver = false;
  const run = node.end.protocol.run({ ...link.first, signal: gone.signal }).then(() => (isOver = true));
  const status = await link.second.next();
  link.second.send(messages.status.code, status?.payload ?? EMPTY);
  await until(() => node.protocol.peerCount() === 1);
  await node.protocol.synced;
  for (let i = 0; i < 3; i++)
    link.second.send(messages.transactions.code, messages.transactions.encode([aTransfer(i).raw]));
  await until(() => asked === 1);
  gone.abort();
  link.close();
  await turns(50);
  expect(isOver).toBe(false);
  gate.resolve();
  await run;
  expect(asked).toBe(1);
});

test("messages are decoded, handled and answered within the peer's time share", async () => {
  await using node = await aNode({ number: 1 });
  const waiting: (() => void)[] = [];
  const time: ProtocolPeer["time"] = {
    ...UNLIMITED_TIME,
    run: (work) =>
      new Promise((resolve, reject) => {
        waiting.push(() => {
          Promise.try(work).then(resolve, reject);
        });
      }),
  };
  const peer = await playPeer(node, { time });
  peer.send(messages.nodeDataRequest.code, EMPTY);
  await until(() => waiting.length === 1);
  waiting.pop()?.();
  await until(() => waiting.length === 1);
  expect(peer.got).toEqual([]);
  waiting.pop()?.();
  await until(() => peer.got.length === 1);
});
