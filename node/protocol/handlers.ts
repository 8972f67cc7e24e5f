/** Handlers of a peer's messages, by code. Messages of one lane are handled in order. */
import { setTimeout as pause } from "node:timers/promises";
import { blockHash, hashLongHeader, isLongHeader } from "../model/header.ts";
import { createRate } from "../p2p/budget.ts";
import type { ProtocolMessage } from "../p2p/protocol.ts";
import type { Clock } from "../runtime/clock.ts";
import { runStepsOf } from "../runtime/fair-time.ts";
import type { TakeBid } from "./bids.ts";
import type { ChainPeer, HeadClaim } from "./chain-peer.ts";
import { raiseClaim } from "./claims.ts";
import type { ConsensusChannel } from "./consensus-channel.ts";
import { ProtocolError } from "./error.ts";
import type { Follower } from "./follower.ts";
import { RATES } from "./limits.ts";
import { messageRow, messages } from "./messages.ts";
import type { ProtocolMetrics } from "./metrics.ts";
import type { AnswerRequest } from "./serving.ts";
import { importTransactions, type TransactionImportDeps } from "./transactions-in.ts";
import { type ChargeUseless, createUselessAccount } from "./useless.ts";

/** Dependencies of the handlers. */
export interface HandlerDeps {
  readonly serving: ReadonlyMap<number, AnswerRequest>;
  readonly follower: Follower;
  readonly intake: TransactionImportDeps;
  /** Returns false while transactions of peers are ignored unread. */
  readonly acceptsTransactions: () => boolean;
  readonly tip: () => number;
  readonly consensus: Pick<ConsensusChannel, "receive">;
  readonly takeBid: TakeBid;
  readonly clock: Clock;
  readonly metrics: ProtocolMetrics;
}

/** Handles a message. Rejects with `ProtocolError` when the peer must be disconnected. */
export type HandleMessage = (message: ProtocolMessage) => Promise<void>;

type Handler = (payload: Uint8Array) => Promise<void> | void;

/** Creates the message handler of one peer. */
export function createHandler(peer: ChainPeer, deps: HandlerDeps): HandleMessage {
  const charge = createUselessAccount(deps.clock);
  const handlers: ReadonlyMap<number, Handler> = new Map([
    [messages.status.code, () => rejectStatus()],
    [messages.newBlockHashes.code, (payload) => handleAnnouncement(peer, payload, { ...deps, charge })],
    [messages.newBlock.code, (payload) => handlePushedBlock(peer, payload, deps)],
    [messages.transactions.code, createTransactionHandler(peer, { ...deps, charge })],
    [messages.consensus.code, createConsensusHandler(peer, deps)],
    [messages.bid.code, (payload) => deps.takeBid(peer, payload, charge)],
    ...servingHandlers(peer, { ...deps, charge }),
  ]);
  return async ({ code, payload }) => {
    if (messageRow(code, peer.link.version) === undefined) {
      throw new ProtocolError(
        "bad-message",
        `message code ${code} does not exist in version ${peer.link.version}`,
      );
    }
    const handle = handlers.get(code);
    if (handle !== undefined) await handle(payload);
    else if (!peer.requests.deliver(code, payload) && ANSWERS.has(code))
      charge("an answer without a request", payload.length);
  };
}

/** Messages that answer a request; others without a handler are ignored. */
const ANSWERS: ReadonlySet<number> = new Set(
  [
    messages.headerFetchResponse,
    messages.bodiesFetchResponse,
    messages.headers,
    messages.bodies,
    messages.nodeData,
    messages.receipts,
    messages.stakingInfo,
    messages.sidecars,
  ].map(({ code }) => code),
);

/** Dependencies of the handlers of one peer. */
interface PeerHandlerDeps extends HandlerDeps {
  readonly charge: ChargeUseless;
}

function rejectStatus(): never {
  throw new ProtocolError("bad-message", "a second status");
}

function handleAnnouncement(peer: ChainPeer, payload: Uint8Array, deps: PeerHandlerDeps): void {
  let newest: HeadClaim | undefined;
  for (const { hash, number } of messages.newBlockHashes.decode(payload)) {
    deps.metrics.gossip.announced.add(1);
    peer.knownBlocks.add(hash);
    if (number > (newest?.number ?? -1)) newest = { hash, number, td: BigInt(number) };
  }
  if (newest !== undefined) raisePeerClaim(peer, newest, deps);
  else deps.charge("an announcement of nothing", payload.length);
}

async function handlePushedBlock(peer: ChainPeer, payload: Uint8Array, deps: HandlerDeps): Promise<void> {
  const block = messages.newBlock.decode(payload);
  const { header, td } = block;
  if (isLongHeader(header)) await runStepsOf(peer.link.time, hashLongHeader(header));
  const hash = blockHash(header);
  peer.knownBlocks.add(hash);
  // The peer may not have executed the block itself yet, but it has the one before.
  const before = { hash: header.parentHash, number: header.number - 1, td: td - header.blockScore };
  raisePeerClaim(peer, before, deps);
  deps.follower.offer(peer, hash, block);
}

function raisePeerClaim(peer: ChainPeer, next: HeadClaim, { follower, clock, tip }: HandlerDeps): void {
  raiseClaim(peer, next, { tip: tip(), now: clock.now() });
  if (next.number > tip()) follower.wake();
}

function createTransactionHandler(peer: ChainPeer, deps: PeerHandlerDeps): Handler {
  const { intake, acceptsTransactions, metrics, clock, charge } = deps;
  const rate = createRate(RATES.transactions, clock);
  return async (payload) => {
    if (!acceptsTransactions()) return;
    const { count, signatures } = await importTransactions(peer, payload, intake);
    metrics.received.add(count);
    if (count === 0) charge("a message of no transactions", payload.length);
    await delay(rate(Math.max(count, signatures)), peer);
  };
}

function createConsensusHandler(peer: ChainPeer, { consensus, clock }: HandlerDeps): Handler {
  const rate = createRate(RATES.consensus, clock);
  return async (payload) => {
    consensus.receive(peer, messages.consensus.decode(payload));
    await delay(rate(1), peer);
  };
}

/**
 * Creates the handlers of requests. A request above the peer's rate, or of a peer that has not accepted the
 * previous answers, waits together with everything behind it; the Go node's handler waits for its write, too.
 */
function servingHandlers(
  peer: ChainPeer,
  { serving, clock, metrics, charge }: PeerHandlerDeps,
): [number, Handler][] {
  const byteRate = createRate(RATES.servedBytes, clock);
  const itemRate = createRate(RATES.servedItems, clock);
  return [...serving].map(([code, answer]) => [
    code,
    async (payload) => {
      if (!(await peer.link.waitForDrain())) return;
      const answered = await runStepsOf(peer.link.time, answer(payload));
      if (answered.isUseless) charge("a request for unknown blocks", payload.length);
      const { length } = answered.payload;
      await peer.send(answered.code, answered.payload);
      metrics.servedItems.add(answered.items);
      metrics.servedBytes.add(length);
      await delay(Math.max(byteRate(length), itemRate(Math.max(answered.items, answered.lookUps) + 1)), peer);
    },
  ]);
}

async function delay(ms: number, { link }: ChainPeer): Promise<void> {
  if (ms >= 1) await pause(ms, undefined, { signal: link.signal }).catch(() => undefined);
}
