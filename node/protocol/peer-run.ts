/** The life of a peer in the chain protocol: status exchange, admission, its messages until either side leaves. */
import { toHex } from "../bytes/hex.ts";
import type { Chain } from "../chain/chain.ts";
import type { Log } from "../observe/log.ts";
import type { NodeType } from "../p2p/node-type.ts";
import type { Lane, ProtocolPeer } from "../p2p/protocol.ts";
import { type ChainPeer, createChainPeer } from "./chain-peer.ts";
import { ProtocolError } from "./error.ts";
import type { Follower } from "./follower.ts";
import type { HandleMessage } from "./handlers.ts";
import type { ProtocolTimings } from "./limits.ts";
import type { ProtocolMetrics } from "./metrics.ts";
import { exchangeStatus, ownStatus } from "./status.ts";
import type { TransactionGossip } from "./transactions-out.ts";

/** What running peers needs. */
export interface PeerRunParts {
  readonly chain: Pick<Chain, "config" | "genesisHash" | "head" | "totalBlockScore">;
  readonly networkId: number;
  readonly nodeType: NodeType;
  readonly isValidator?: ((address: Uint8Array) => boolean) | undefined;
  /** Filled and emptied here. */
  readonly present: Map<ProtocolPeer, ChainPeer>;
  readonly follower: Follower;
  readonly gossip: TransactionGossip;
  readonly handler: (peer: ChainPeer) => HandleMessage;
  readonly timings: ProtocolTimings;
  readonly log: Log;
  readonly metrics: ProtocolMetrics;
}

/** Runs one peer after another; each run ends with the peer, by an error when it did something wrong. */
export function runPeer(parts: PeerRunParts): (link: ProtocolPeer) => Promise<void> {
  return async (link) => {
    try {
      await meet(link, parts);
    } catch (error) {
      if (!isGone(error) && !link.signal.aborted) {
        parts.metrics.dropped.add(1);
        const { message } = error as Error; // this program throws errors only
        parts.log.info({ peer: link.shortId, type: link.type, reason: message }, "dropped a peer");
      }
      throw error;
    }
  };
}

async function meet(link: ProtocolPeer, parts: PeerRunParts): Promise<void> {
  const { chain, networkId, timings, present, follower, gossip, log } = parts;
  const status = await exchangeStatus(link, ownStatus(chain, networkId, link.version), timings.statusMs);
  checkAdmission(link, parts);
  const peer = createChainPeer(link, status, {
    genesisScore: chain.totalBlockScore(0),
    requestMs: timings.requestMs,
    asked: parts.metrics.asked,
  });
  present.set(link, peer);
  log.debug({ peer: peer.name, type: peer.type, number: peer.claim.number }, "met a peer of our chain");
  follower.wake();
  try {
    gossip.greet(peer).catch((error: Error) => log.error({ error }, "cannot send pending transactions"));
    const handle = parts.handler(peer);
    const lanes = LANES.map((lane) => handleAll(peer, lane, handle));
    await Promise.race([...lanes, peer.dropped]);
  } finally {
    present.delete(link);
    peer.requests.close();
    follower.leave(peer);
  }
}

/** A peer must be of a kind that has a chain, and who claims to take part in consensus with us must be known to. */
function checkAdmission({ type, address }: ProtocolPeer, { nodeType, isValidator }: PeerRunParts): void {
  if (type !== "cn" && type !== "pn" && type !== "en") {
    throw new ProtocolError("unwanted", `a peer of type ${type} has no chain`);
  }
  if (nodeType !== "cn" || type !== "cn" || isValidator === undefined || isValidator(address)) return;
  throw new ProtocolError("unwanted", "the peer claims to be a consensus node and is no validator");
}

const LANES: readonly Lane[] = [0, 1];

/**
 * Messages of a lane one after another: transactions, of which there may be many, hold up nothing else. Handling takes
 * from the peer's share of time.
 */
async function handleAll({ link }: ChainPeer, lane: Lane, handle: HandleMessage): Promise<void> {
  for (let message = await link.next(lane); message; message = await link.next(lane)) {
    const current = message;
    await link.time.run(() => handle(current));
  }
}

function isGone(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === "gone";
}

/** What `admin_peers` shows of a peer; undefined before the status exchange. */
export function describePeer(peer: ChainPeer | undefined): object | undefined {
  if (peer === undefined) return undefined;
  const { version } = peer.link;
  return { version, blockscore: Number(peer.claim.td), head: toHex(peer.claim.hash) };
}
