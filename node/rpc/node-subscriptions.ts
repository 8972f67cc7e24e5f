/** What clients can be told of the node itself: whether it catches up, and what its peers do. */
import type { Chain } from "../chain/chain.ts";
import { type Deliveries, Feed, plainEvent } from "../jsonrpc/feed.ts";
import { goJson } from "../jsonrpc/json-text.ts";
import { Payload, type Subscriber, type Subscription, subscription } from "../jsonrpc/subscription.ts";
import type { P2p } from "../p2p/p2p.ts";
import type { PeerEvent } from "../p2p/protocol.ts";
import type { ChainProtocol } from "../protocol/chain-protocol.ts";

/** What these subscriptions listen to. */
export interface NodeSubscriptionParts {
  readonly chain: Pick<Chain, "onHead">;
  readonly sync: Pick<ChainProtocol, "syncing">;
  readonly p2p: Pick<P2p, "onPeerEvent">;
  readonly deliveries: Deliveries;
}

/** The subscriptions. */
export function nodeSubscriptions(parts: NodeSubscriptionParts): Subscription[] {
  const { p2p, deliveries } = parts;
  const follow = syncFollower(parts);
  const peers = new Feed<undefined>(deliveries, (publish) =>
    p2p.onPeerEvent((event) => publish(plainEvent(new Payload(goJson(peerEventView(event)))))),
  );
  return [
    ...["chain", "eth"].map((module) => syncing(module, follow)),
    subscription({
      module: "admin",
      name: "peerEvents",
      summary: "Each peer that comes or goes, and each message to or from one.",
      params: {},
      start: (_args, subscriber) => peers.subscribe(undefined, subscriber),
    }),
  ];
}

/** A catch-up that ends by losing its peer is noticed after so long at most. */
const LOOK_MS = 500;

/** Notifies a subscriber; the result ends it. */
type Follow = (subscriber: Subscriber) => () => void;

function syncing(module: string, follow: Follow): Subscription {
  return subscription({
    module,
    name: "syncing",
    summary: "An object when the node begins to catch up with the network, false when it has or gives up.",
    params: {},
    start: (_args, subscriber) => follow(subscriber),
  });
}

/** One look at the catch-up for all subscribers, while there are any. */
function syncFollower({ chain, sync, deliveries }: NodeSubscriptionParts): Follow {
  let look: (() => void) | undefined;
  const feed = new Feed<undefined>(deliveries, (publish) => {
    let wasSyncing = sync.syncing() !== undefined;
    look = () => {
      const facts = sync.syncing();
      const isSyncing = facts !== undefined;
      if (isSyncing === wasSyncing) return;
      wasSyncing = isSyncing;
      const json = facts === undefined ? "false" : goJson({ syncing: true, status: statusView(facts) });
      publish(plainEvent(new Payload(json)));
    };
    const stop = chain.onHead(look);
    const timer = setInterval(look, LOOK_MS);
    timer.unref();
    return () => {
      stop();
      clearInterval(timer);
      look = undefined;
    };
  });
  return (subscriber) => {
    look?.(); // a change before belongs to earlier subscribers alone
    return feed.subscribe(undefined, subscriber);
  };
}

/** Keys in the Go node's case. States are never pulled here: blocks are executed. */
function statusView(facts: NonNullable<ReturnType<ChainProtocol["syncing"]>>): object {
  return {
    StartingBlock: facts.startingBlock,
    CurrentBlock: facts.currentBlock,
    HighestBlock: facts.highestBlock,
    PulledStates: 0,
    KnownStates: 0,
  };
}

function peerEventView({ type, peer, error, protocol, code, size }: PeerEvent): object {
  return { type, peer, error, protocol, msg_code: code, msg_size: size };
}
