/** What clients can be told of the node itself: whether it catches up, and what its peers do. */
import type { Chain } from "../chain/chain.ts";
import { goJson } from "../jsonrpc/json-text.ts";
import { type Notify, type Subscription, subscription } from "../jsonrpc/subscription.ts";
import type { P2p } from "../p2p/p2p.ts";
import type { PeerEvent } from "../p2p/protocol.ts";
import type { ChainProtocol } from "../protocol/chain-protocol.ts";

/** What these subscriptions listen to. */
export interface NodeSubscriptionParts {
  readonly chain: Pick<Chain, "onHead">;
  readonly sync: Pick<ChainProtocol, "syncing">;
  readonly p2p: Pick<P2p, "onPeerEvent">;
}

/** The subscriptions. */
export function nodeSubscriptions(parts: NodeSubscriptionParts): Subscription[] {
  return [
    ...["chain", "eth"].map((module) => syncing(module, parts)),
    subscription({
      module: "admin",
      name: "peerEvents",
      summary: "Each peer that comes or goes, and each message to or from one.",
      params: {},
      start: (_args, notify) => parts.p2p.onPeerEvent((event) => notify(goJson(peerEventView(event)))),
    }),
  ];
}

/** A catch-up that ends by losing its peer is noticed after so long at most. */
const LOOK_MS = 500;

function syncing(module: string, parts: NodeSubscriptionParts): Subscription {
  return subscription({
    module,
    name: "syncing",
    summary: "An object when the node begins to catch up with the network, false when it has or gives up.",
    params: {},
    start: (_args, notify) => followSync(parts, notify),
  });
}

function followSync({ chain, sync }: NodeSubscriptionParts, notify: Notify): () => void {
  let wasSyncing = sync.syncing() !== undefined;
  const look = (): void => {
    const facts = sync.syncing();
    const isSyncing = facts !== undefined;
    if (isSyncing === wasSyncing) return;
    wasSyncing = isSyncing;
    notify(facts === undefined ? "false" : goJson({ syncing: true, status: statusView(facts) }));
  };
  const stop = chain.onHead(look);
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return () => {
    stop();
    clearInterval(timer);
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
