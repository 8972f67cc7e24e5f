/**
 * Life of a peer in the chain protocol: status exchange, admission, then its messages until either side
 * leaves.
 */
import type { Address } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import type { Chain } from "../chain/chain.ts";
import { createLineLimit } from "../observe/line-limit.ts";
import type { Log } from "../observe/log.ts";
import type { NodeType } from "../p2p/node-type.ts";
import type { Lane, ProtocolPeer } from "../p2p/protocol.ts";
import type { Clock } from "../runtime/clock.ts";
import { StoreError } from "../store/error.ts";
import { type ChainPeer, createChainPeer } from "./chain-peer.ts";
import { ProtocolError } from "./error.ts";
import type { Follower } from "./follower.ts";
import type { HandleMessage } from "./handlers.ts";
import type { ProtocolTimings } from "./limits.ts";
import type { ProtocolMetrics } from "./metrics.ts";
import { exchangeStatus, ownStatus } from "./status.ts";
import type { TransactionGossip } from "./transactions-out.ts";

/** Dependencies of a peer's run. */
export interface PeerRunDeps {
  readonly chain: Pick<Chain, "config" | "genesisHash" | "head" | "totalBlockScore">;
  readonly networkId: number;
  readonly nodeType: NodeType;
  readonly isValidator?: ((address: Address) => boolean) | undefined;
  /** Current peers. The run adds and removes its peer. */
  readonly peersByLink: Map<ProtocolPeer, ChainPeer>;
  readonly follower: Follower;
  readonly gossip: TransactionGossip;
  readonly handler: (peer: ChainPeer) => HandleMessage;
  readonly timings: ProtocolTimings;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: ProtocolMetrics;
  /** Called with a failure of this node's own database while a message was handled. */
  readonly onFailure: (error: StoreError) => void;
}

/**
 * Creates the `run` function of the protocol. A run ends with its peer and rejects when the peer did
 * something wrong.
 */
export function createPeerRun(deps: PeerRunDeps): (link: ProtocolPeer) => Promise<void> {
  const limited = createLineLimit(deps.clock);
  return async (link) => {
    try {
      await runAdmitted(link, deps);
    } catch (error) {
      if (!isGone(error) && !link.signal.aborted) {
        deps.metrics.dropped.add(1);
        const { message } = error as Error; // this program throws errors only
        const fields = { peer: link.shortId, type: link.type, reason: message };
        limited((others) => deps.log.info({ ...fields, others }, "dropped a peer"));
      }
      throw error;
    }
  };
}

async function runAdmitted(link: ProtocolPeer, deps: PeerRunDeps): Promise<void> {
  const { chain, networkId, timings, peersByLink, follower, gossip, log, clock } = deps;
  const status = await exchangeStatus(link, ownStatus(chain, networkId, link.version), timings.statusMs);
  checkAdmission(link, deps);
  const peer = createChainPeer(link, status, {
    genesisScore: chain.totalBlockScore(0),
    requestMs: timings.requestMs,
    requestMetrics: deps.metrics.requests,
    now: clock.now(),
  });
  peersByLink.set(link, peer);
  log.debug({ peer: peer.name, type: peer.type, number: peer.claim.number }, "chain peer connected");
  follower.wake();
  try {
    gossip
      .sendPending(peer)
      .catch((error: Error) => log.error({ error }, "cannot send pending transactions"));
    const handle = deps.handler(peer);
    const lanes = LANES.map((lane) => handleAll(peer, lane, { handle, onFailure: deps.onFailure }));
    await Promise.race([Promise.all(lanes), peer.dropped]); // what is handled counts as the peer's memory until then
  } finally {
    peersByLink.delete(link);
    peer.requests.close();
    follower.leave(peer);
  }
}

/**
 * Throws `ProtocolError` `unwanted` for a peer without a chain, and on a consensus node for a claimed
 * consensus node that is no validator.
 */
function checkAdmission({ type, address }: ProtocolPeer, { nodeType, isValidator }: PeerRunDeps): void {
  if (type !== "cn" && type !== "pn" && type !== "en") {
    throw new ProtocolError("unwanted", `a peer of type ${type} has no chain`);
  }
  if (nodeType !== "cn" || type !== "cn" || isValidator === undefined || isValidator(address)) return;
  throw new ProtocolError("unwanted", "the peer claims to be a consensus node but is not a validator");
}

const TRANSACTIONS: Lane = 1;
const LANES: readonly Lane[] = [0, TRANSACTIONS];

/**
 * Handles the messages of a lane in order, within the peer's time share. Separate lanes keep a flood of
 * transactions from delaying other messages. Those of a peer that has left are handled as well, but for transactions. A
 * failure of this node's own database does not end the session.
 */
async function handleAll(
  { link }: ChainPeer,
  lane: Lane,
  { handle, onFailure }: Pick<PeerRunDeps, "onFailure"> & { readonly handle: HandleMessage },
): Promise<void> {
  for (let message = await link.next(lane); message; message = await link.next(lane)) {
    const current = message;
    if (lane === TRANSACTIONS && link.signal.aborted) continue;
    try {
      await link.time.run(() => handle(current));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      onFailure(error);
    }
  }
}

function isGone(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === "gone";
}

/** Returns the protocol's part of `admin_peers`; undefined before the status exchange. */
export function describePeer(peer: ChainPeer | undefined): object | undefined {
  if (peer === undefined) return undefined;
  const { version } = peer.link;
  return { version, blockscore: Number(peer.claim.td), head: toHex(peer.claim.hash) };
}
