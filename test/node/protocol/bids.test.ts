/** Gossip of bids among consensus nodes. */
import { expect, test } from "@jest/globals";
import type { BidListener } from "../../../node/auction/auction.ts";
import { AuctionError } from "../../../node/auction/error.ts";
import type { Bid } from "../../../node/model/bid.ts";
import type { GossipedAuction } from "../../../node/protocol/bids.ts";
import { messages } from "../../../node/protocol/messages.ts";
import { aSignedBid } from "../../support/bids.ts";
import { aNode, type TestNode } from "../../support/protocol-node.ts";
import { connect } from "../../support/protocol-peer.ts";
import { aPuppet, type Puppet } from "../../support/puppet.ts";
import { until } from "../../support/until.ts";

/** An auction that takes what it has not, or throws. */
class RecordedAuction implements GossipedAuction {
  isRunning = true;
  refusal: AuctionError | undefined;
  readonly taken: Bid[] = [];
  readonly #listeners: BidListener[] = [];

  add(bid: Bid): void {
    if (this.refusal !== undefined) throw this.refusal;
    this.taken.push(bid);
    for (const listener of this.#listeners) listener(bid);
  }

  onBid(listener: BidListener): () => void {
    this.#listeners.push(listener);
    return () => undefined;
  }
}

const aBid = (bid: bigint): Bid => aSignedBid({ chainId: 1337n, bid });
const VERSION = 66;

function aBidder(number: number, auction: GossipedAuction | undefined): Promise<TestNode> {
  return aNode({ number, type: "cn", version: VERSION, auction });
}

function bidsOf({ received }: Puppet): readonly Bid[] {
  return received
    .filter(({ code }) => code === messages.bid.code)
    .map(({ payload }) => messages.bid.decode(payload));
}

test("a bid goes from consensus node to consensus node, once, and to no other type", async () => {
  const auctions = [new RecordedAuction(), new RecordedAuction()] as const;
  await using first = await aBidder(1, auctions[0]);
  await using second = await aBidder(2, auctions[1]);
  const session = connect(first.end, second.end);
  const proxy = await aPuppet(first, 3, "pn");
  await until(() => first.protocol.peerCount() === 2 && second.protocol.peerCount() === 1);
  auctions[0].add(aBid(1n));
  await until(() => auctions[1].taken.length === 1);
  auctions[1].add(aBid(2n));
  await until(() => auctions[0].taken.length === 2);
  expect(auctions.map(({ taken }) => taken)).toEqual([
    [aBid(1n), aBid(2n)],
    [aBid(1n), aBid(2n)],
  ]);
  expect(bidsOf(proxy)).toEqual([]);
  proxy.link.close();
  await session.close();
});

test("bids are ignored unread by a node without an auction, and while it pauses", async () => {
  const paused = new RecordedAuction();
  paused.isRunning = false;
  for (const auction of [undefined, paused]) {
    await using node = await aBidder(1, auction);
    const peer = await aPuppet(node, 2, "cn");
    peer.say(messages.bid.code, Uint8Array.of(1, 2, 3));
    peer.say(messages.headersRequest.code, headersQuery());
    await until(() => peer.received.some(({ code }) => code === messages.headers.code));
    peer.link.close();
  }
  expect(paused.taken).toEqual([]);
});

test("a peer is dropped for bytes that are no bid, and for bids that no auctioneer signed", async () => {
  const auction = new RecordedAuction();
  await using node = await aBidder(1, auction);
  const broken = await aPuppet(node, 2, "cn");
  broken.say(messages.bid.code, Uint8Array.of(0xc0));
  expect(await broken.left).toBe("bad-message");
  auction.refusal = new AuctionError("bad-signature", "invalid auctioneer sig");
  const forger = await aPuppet(node, 3, "cn");
  for (let bid = 1n; bid <= 62n; bid++) forger.say(messages.bid.code, aBid(bid).raw);
  expect(await forger.left).toBe("useless");
});

test("bids above the rate of a peer are dropped, other refusals are free", async () => {
  const auction = new RecordedAuction();
  await using node = await aBidder(1, auction);
  const peer = await aPuppet(node, 2, "cn");
  auction.refusal = new AuctionError("known", "bid already exists");
  for (let count = 0; count < 100; count++) peer.say(messages.bid.code, aBid(1n).raw);
  auction.refusal = undefined;
  for (let bid = 1n; bid <= 400n; bid++) peer.say(messages.bid.code, aBid(bid).raw);
  peer.say(messages.headersRequest.code, headersQuery());
  await until(() => peer.received.some(({ code }) => code === messages.headers.code));
  expect(auction.taken.length).toBeGreaterThanOrEqual(200);
  expect(auction.taken.length).toBeLessThan(400);
  peer.link.close();
});

function headersQuery(): Uint8Array {
  return messages.headersRequest.encode({ origin: 0n, amount: 1n, skip: 0n, reverse: false });
}
