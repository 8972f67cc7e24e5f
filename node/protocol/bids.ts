/**
 * Gossip of bids among consensus nodes (`BroadcastBid` and `handleBidMsg` of node/cn/handler.go@v2.2.2). Bids that the
 * auction has taken go to the consensus nodes that lack them; those of peers go to the auction.
 */
import type { Auction } from "../auction/auction.ts";
import { AuctionError } from "../auction/error.ts";
import type { NodeType } from "../p2p/node-type.ts";
import type { Clock } from "../runtime/clock.ts";
import { createOwnerRate } from "../runtime/owner-rate.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { MAX_RATED_PEERS, RATES } from "./limits.ts";
import { messages } from "./messages.ts";
import type { ChargeUseless } from "./useless.ts";

/** The auction as its gossip sees it. */
export type GossipedAuction = Pick<Auction, "isRunning" | "add" | "onBid">;

/** Dependencies of the gossip. */
export interface BidGossipDeps {
  readonly auction: GossipedAuction | undefined;
  readonly nodeType: NodeType;
  readonly peers: () => Iterable<ChainPeer>;
}

/** Sends the bids that the auction takes, until the returned function is called. */
export function sendBids({ auction, nodeType, peers }: BidGossipDeps): () => void {
  if (auction === undefined || nodeType !== "cn") return () => undefined;
  const { code, since } = messages.bid;
  return auction.onBid(({ hash, raw }) => {
    for (const peer of peers()) {
      if (peer.type !== "cn" || peer.link.version < since || peer.knownBids.has(hash)) continue;
      if (peer.link.send(code, raw)) peer.knownBids.add(hash);
    }
  });
}

/** Takes the payload of a bid message of a peer. Throws `ProtocolError` `bad-message`. */
export type TakeBid = (peer: ChainPeer, payload: Uint8Array, charge: ChargeUseless) => void;

/**
 * Creates the receiver of bids. It drops those above a peer's rate, as the Go node does, and charges a peer for bids
 * that no auctioneer has signed.
 */
export function createBidReceiver(auction: GossipedAuction | undefined, clock: Clock): TakeBid {
  const isWithinRate = createOwnerRate({ each: RATES.bids, owners: MAX_RATED_PEERS }, clock);
  return (peer, payload, charge) => {
    if (auction?.isRunning !== true || !isWithinRate(peer.link.idText)) return;
    const bid = messages.bid.decode(payload);
    peer.knownBids.add(bid.hash);
    try {
      auction.add(bid);
    } catch (error) {
      if (!(error instanceof AuctionError)) throw error;
      if (error.code === "bad-signature") charge("a bid without the auctioneer's signature", payload.length);
    }
  };
}
