/**
 * A peer as any other, in a process of its own: `good-peer.ts TARGET`. It stays connected, hears of blocks, and asks for
 * the newest headers once a second. When its parent says stop it tells what it was given.
 */

import { randomBytes } from "node:crypto";
import { silentLog } from "../../node/observe/log.ts";
import { createMetrics } from "../../node/observe/metrics.ts";
import { nodeKeyOf } from "../../node/p2p/node-key.ts";
import { parseNodeUrl } from "../../node/p2p/node-url.ts";
import { openP2p } from "../../node/p2p/p2p.ts";
import type { ProtocolPeer } from "../../node/p2p/protocol.ts";
import { messageRow, messages, PROTOCOL_NAME } from "../../node/protocol/messages.ts";
import { systemClock } from "../../node/runtime/clock.ts";
import type { AttackTarget } from "./attack.ts";

const EVERY_MS = 1_000;
const [version, length] = [65, 23] as const;

/** Figures of the blocks and responses that the peer received. */
export interface GoodPeerFigures {
  readonly peerDropped: number;
  readonly peerConnected: boolean;
  /** The newest block that it heard of. */
  readonly peerHead: number;
  readonly peerAnswers: number;
  readonly peerUnanswered: number;
  readonly peerMaxMs: number;
}

const target = JSON.parse(process.argv[2] ?? "{}") as AttackTarget;
const seen = { dropped: 0, head: 0, answers: 0, asked: 0, maxMs: 0 };

async function run(peer: ProtocolPeer): Promise<void> {
  let askedMs: number | undefined;
  const request = messages.headersRequest.encode({ origin: 0n, amount: 10n, skip: 0n, reverse: false });
  const timer = setInterval(() => {
    if (askedMs !== undefined || !peer.send(messages.headersRequest.code, request)) return;
    askedMs = performance.now();
    seen.asked++;
  }, EVERY_MS);
  try {
    for await (const { code, payload } of peer.messages) {
      if (code === messages.status.code) peer.send(code, payload);
      if (code === messages.newBlockHashes.code) {
        const numbers = messages.newBlockHashes.decode(payload).map(({ number }) => number);
        seen.head = Math.max(seen.head, ...numbers);
      }
      if (code !== messages.headers.code || askedMs === undefined) continue;
      seen.answers++;
      seen.maxMs = Math.max(seen.maxMs, performance.now() - askedMs);
      askedMs = undefined;
    }
  } finally {
    clearInterval(timer);
  }
}

const maxPayload = (code: number): number => messageRow(code, version)?.maxPayload ?? 0;
const node = await openP2p({
  nodeKey: nodeKeyOf(randomBytes(32)),
  type: "en",
  name: "good",
  listen: undefined,
  protocols: [{ name: PROTOCOL_NAME, version, length, maxPayload, run }],
  maxPeers: 1,
  staticNodes: [parseNodeUrl(target.kni)],
  log: silentLog,
  metrics: createMetrics(),
  clock: systemClock,
  random: (count) => randomBytes(count),
});
node.onPeerEvent(({ type }) => {
  if (type === "add") process.send?.("connected");
  if (type === "drop") seen.dropped++;
});
process.once("disconnect", () => process.exit());
process.once("message", () => {
  const figures: GoodPeerFigures = {
    peerDropped: seen.dropped,
    peerConnected: node.countByType().total === 1,
    peerHead: seen.head,
    peerAnswers: seen.answers,
    peerUnanswered: seen.asked - seen.answers,
    peerMaxMs: Math.round(seen.maxMs),
  };
  process.send?.(figures, () => process.exit());
});
