/** Subscriptions to the node's own events: sync status and peers. */
import type { Chain } from "../chain/chain.ts";
import { type Deliveries, Feed, plainEvent } from "../jsonrpc/feed.ts";
import { goJson } from "../jsonrpc/json-text.ts";
import { plainSchemas, recordSchema } from "../jsonrpc/schemas.ts";
import {
  NotificationPayload,
  type Subscriber,
  type Subscription,
  subscription,
} from "../jsonrpc/subscription.ts";
import type { P2p } from "../p2p/p2p.ts";
import type { PeerEvent } from "../p2p/protocol.ts";
import type { ChainProtocol } from "../protocol/chain-protocol.ts";

/** Dependencies of the subscriptions to the node's events. */
export interface NodeSubscriptionDeps {
  readonly chain: Pick<Chain, "onHead">;
  readonly sync: Pick<ChainProtocol, "syncing">;
  readonly p2p: Pick<P2p, "onPeerEvent">;
  readonly deliveries: Deliveries;
}

const { text, integer } = plainSchemas;

const peerEventSchema = recordSchema({
  type: { enum: ["add", "drop", "msgsend", "msgrecv"] satisfies readonly PeerEvent["type"][] },
  peer: text,
  "error?": text,
  "protocol?": text,
  "msg_code?": integer,
  "msg_size?": integer,
});

const syncSchema = {
  oneOf: [
    { const: false },
    recordSchema({
      syncing: { const: true },
      status: recordSchema({
        StartingBlock: integer,
        CurrentBlock: integer,
        HighestBlock: integer,
        PulledStates: integer,
        KnownStates: integer,
      }),
    }),
  ],
};

/** The subscriptions to the node's events. */
export function nodeSubscriptions(deps: NodeSubscriptionDeps): Subscription[] {
  const { p2p, deliveries } = deps;
  const follow = syncFollower(deps);
  const peers = new Feed<undefined>(deliveries, (publish) =>
    p2p.onPeerEvent((event) => publish(plainEvent(new NotificationPayload(goJson(peerEventJson(event)))))),
  );
  return [
    ...["chain", "eth"].map((module) => syncing(module, follow)),
    subscription({
      module: "admin",
      name: "peerEvents",
      summary: "Notifies of peers that connect or disconnect, and of their messages.",
      params: {},
      notification: peerEventSchema,
      start: (_args, subscriber) => peers.subscribe(undefined, subscriber),
    }),
  ];
}

/** Interval of the checks, in milliseconds, which also notice a sync that ends with the loss of its peer. */
const LOOK_MS = 500;

/** Notifies a subscriber until the returned function is called. */
type Follow = (subscriber: Subscriber) => () => void;

function syncing(module: string, follow: Follow): Subscription {
  return subscription({
    module,
    name: "syncing",
    summary: "Notifies of the sync: an object when it starts, false when it ends or fails.",
    params: {},
    notification: syncSchema,
    start: (_args, subscriber) => follow(subscriber),
  });
}

/** Observes the sync status for all subscribers together, while there are any. */
function syncFollower({ chain, sync, deliveries }: NodeSubscriptionDeps): Follow {
  let look: (() => void) | undefined;
  const feed = new Feed<undefined>(deliveries, (publish) => {
    let wasSyncing = sync.syncing() !== undefined;
    look = () => {
      const facts = sync.syncing();
      const isSyncing = facts !== undefined;
      if (isSyncing === wasSyncing) return;
      wasSyncing = isSyncing;
      const json = facts === undefined ? "false" : goJson({ syncing: true, status: statusJson(facts) });
      publish(plainEvent(new NotificationPayload(json)));
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
    look?.(); // earlier changes are only for earlier subscribers
    return feed.subscribe(undefined, subscriber);
  };
}

/**
 * Formats the sync status with keys in the Go node's case. The state counters are 0: the node downloads no
 * states.
 */
function statusJson(facts: NonNullable<ReturnType<ChainProtocol["syncing"]>>): object {
  return {
    StartingBlock: facts.startingBlock,
    CurrentBlock: facts.currentBlock,
    HighestBlock: facts.highestBlock,
    PulledStates: 0,
    KnownStates: 0,
  };
}

function peerEventJson({ type, peer, error, protocol, code, size }: PeerEvent): object {
  return { type, peer, error, protocol, msg_code: code, msg_size: size };
}
