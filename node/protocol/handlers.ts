/** What is done with each message of a peer, by its code. Messages of one lane are handled one after another. */
import { setTimeout as pause } from "node:timers/promises";
import { blockHash } from "../model/header.ts";
import { createRate } from "../p2p/budget.ts";
import type { Message } from "../p2p/protocol.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ChainPeer, Claim } from "./chain-peer.ts";
import { raiseClaim } from "./claims.ts";
import type { ConsensusChannel } from "./consensus-channel.ts";
import { ProtocolError } from "./error.ts";
import type { Follower } from "./follower.ts";
import { RATES } from "./limits.ts";
import { messageOf, messages } from "./messages.ts";
import type { ProtocolMetrics } from "./metrics.ts";
import type { Answering } from "./serving.ts";
import { type TransactionIntake, takeTransactions } from "./transactions-in.ts";

/** What handling needs. */
export interface HandlerParts {
  readonly serving: ReadonlyMap<number, Answering>;
  readonly follower: Follower;
  readonly intake: TransactionIntake;
  /** False while transactions of peers are not even read. */
  readonly acceptsTransactions: () => boolean;
  readonly tip: () => number;
  readonly consensus: Pick<ConsensusChannel, "receive">;
  readonly clock: Clock;
  readonly metrics: ProtocolMetrics;
}

/** Handles a message. Rejects with `ProtocolError` when the peer is to be left for it. */
export type HandleMessage = (message: Message) => Promise<void>;

type Handler = (payload: Uint8Array) => Promise<void> | void;

/** The handler of one peer's messages. */
export function createHandler(peer: ChainPeer, parts: HandlerParts): HandleMessage {
  const handlers: ReadonlyMap<number, Handler> = new Map([
    [messages.status.code, () => rejectStatus()],
    [messages.announced.code, (payload) => takeAnnounced(peer, payload, parts)],
    [messages.block.code, (payload) => takePushed(peer, payload, parts)],
    [messages.transactions.code, createTransactionHandler(peer, parts)],
    [messages.consensus.code, createConsensusHandler(peer, parts)],
    ...servingHandlers(peer, parts),
  ]);
  return async ({ code, payload }) => {
    if (messageOf(code, peer.link.version) === undefined) {
      throw new ProtocolError("bad-message", `message code ${code} is not of version ${peer.link.version}`);
    }
    const handle = handlers.get(code);
    if (handle !== undefined) await handle(payload);
    else peer.requests.deliver(code, payload); // what nobody asked for is ignored
  };
}

function rejectStatus(): never {
  throw new ProtocolError("bad-message", "a second status");
}

function takeAnnounced(peer: ChainPeer, payload: Uint8Array, parts: HandlerParts): void {
  let newest: Claim | undefined;
  for (const { hash, number } of messages.announced.decode(payload)) {
    parts.metrics.gossip.announced.add(1);
    peer.knownBlocks.add(hash);
    if (number > (newest?.number ?? -1)) newest = { hash, number, td: BigInt(number) };
  }
  if (newest !== undefined) claim(peer, newest, parts);
}

function takePushed(peer: ChainPeer, payload: Uint8Array, parts: HandlerParts): void {
  const block = messages.block.decode(payload);
  const { header, td } = block;
  const hash = blockHash(header);
  peer.knownBlocks.add(hash);
  // The peer may not have executed the block itself yet, but it has the one before.
  const before = { hash: header.parentHash, number: header.number - 1, td: td - header.blockScore };
  claim(peer, before, parts);
  parts.follower.offer(peer, hash, block);
}

function claim(peer: ChainPeer, next: Claim, { follower, clock, tip }: HandlerParts): void {
  raiseClaim(peer, next, { tip: tip(), now: clock.now() });
  if (next.number > tip()) follower.wake();
}

function createTransactionHandler(peer: ChainPeer, parts: HandlerParts): Handler {
  const { intake, acceptsTransactions, metrics, clock } = parts;
  const rate = createRate(RATES.transactions, clock);
  return async (payload) => {
    if (!acceptsTransactions()) return;
    const count = await takeTransactions(peer, payload, intake);
    metrics.received.add(count);
    await wait(rate(count), peer);
  };
}

function createConsensusHandler(peer: ChainPeer, { consensus, clock }: HandlerParts): Handler {
  const rate = createRate(RATES.consensus, clock);
  return async (payload) => {
    consensus.receive(peer, messages.consensus.decode(payload));
    await wait(rate(1), peer);
  };
}

/**
 * Requests above the peer's share, and those of a peer that has not taken the answers before, wait, and with them all
 * else that it sends. The Go node's handler waits for its answer to be written, too.
 */
function servingHandlers(peer: ChainPeer, { serving, clock, metrics }: HandlerParts): [number, Handler][] {
  const byteRate = createRate(RATES.servedBytes, clock);
  const itemRate = createRate(RATES.servedItems, clock);
  return [...serving].map(([code, answer]) => [
    code,
    async (payload) => {
      if (!(await peer.link.drained())) return;
      const { code: answerCode, payload: answered, items } = await peer.link.time.run(() => answer(payload));
      await peer.send(answerCode, answered);
      metrics.servedItems.add(items);
      metrics.servedBytes.add(answered.length);
      await wait(Math.max(byteRate(answered.length), itemRate(items + 1)), peer);
    },
  ]);
}

async function wait(ms: number, { link }: ChainPeer): Promise<void> {
  if (ms >= 1) await pause(ms, undefined, { signal: link.signal }).catch(() => undefined);
}
