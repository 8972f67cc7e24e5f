/**
 * The chain protocol `istanbul` (node/cn/handler.go@v2.2.2). Comes in: peers with their messages, new heads
 * and new pending transactions. Goes out: answers to requests, blocks and transactions that peers lack, and
 * verified blocks of peers into the chain.
 */
import type { Address } from "../bytes/brands.ts";
import type { Chain } from "../chain/chain.ts";
import { createRawBlocks } from "../chain/raw-blocks.ts";
import type { Writer } from "../chain/writer.ts";
import type { ConsensusPeers } from "../consensus/consensus-peers.ts";
import type { Recoverer } from "../crypto/recoverer.ts";
import { parseExtra } from "../model/istanbul-extra.ts";
import { listRoot, listRootSteps } from "../model/list-root.ts";
import { createLineLimit } from "../observe/line-limit.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { RandomFraction } from "../p2p/discovery/tables.ts";
import type { NodeType } from "../p2p/node-type.ts";
import type { Protocol, ProtocolPeer } from "../p2p/protocol.ts";
import type { Clock } from "../runtime/clock.ts";
import { type Pause, runInSlices } from "../runtime/scheduler.ts";
import type { StoreError } from "../store/error.ts";
import type { Rows } from "../store/store.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { Sidecars } from "../txpool/sidecars.ts";
import { createBidReceiver, type GossipedAuction, sendBids } from "./bids.ts";
import { BlockBroadcaster } from "./block-broadcaster.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { createConsensusChannel } from "./consensus-channel.ts";
import { Follower, type NetworkFollowerDeps } from "./follower.ts";
import { createHandler, type HandleMessage } from "./handlers.ts";
import { PROTOCOL_TIMINGS, type ProtocolTimings } from "./limits.ts";
import { messageRow, messages, PROTOCOL_NAME, VERSIONS } from "./messages.ts";
import { declareProtocolMetrics, type ProtocolGauges, type ProtocolMetrics } from "./metrics.ts";
import { createPeerRun, describePeer } from "./peer-run.ts";
import type { SyncProgress } from "./progress.ts";
import { createServing, servedBlocks } from "./serving.ts";
import { openSidecarRequests } from "./sidecar-requests.ts";
import { openTransactionGossip } from "./transactions-out.ts";

/** Dependencies and options of the chain protocol. */
export interface ChainProtocolOptions {
  readonly chain: Chain;
  readonly writer: Pick<Writer, "tip" | "blockHead" | "exclusively" | "checkHeader" | "insert" | "settle">;
  /** Rows of the chain database, which answers are read from without decoding. */
  readonly rows: Rows;
  /** Resolves when the state can execute blocks. */
  readonly ready: Promise<void>;
  readonly pool: Pick<
    TxPool,
    "get" | "addAll" | "addWithBlobs" | "recover" | "wire" | "onPending" | "byPrice"
  >;
  readonly sidecars: Pick<Sidecars, "find" | "onMissing" | "accept">;
  /** Bids for places in blocks; undefined on a node that takes none. */
  readonly auction: GossipedAuction | undefined;
  readonly recoverer: Recoverer;
  readonly pause: Pause;
  /** Type of this node. */
  readonly nodeType: NodeType;
  readonly networkId: number;
  /**
   * On a consensus node: returns true for addresses that may take part in consensus. Other peers that claim
   * to be consensus nodes are disconnected.
   */
  readonly isValidator?: ((address: Address) => boolean) | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Random numbers in [0, 1), for the selection of peers. */
  readonly random: RandomFraction;
  readonly timings?: Partial<ProtocolTimings> | undefined;
}

/** The running protocol. Disposing it waits for the import of the current block. */
export interface ChainProtocol extends AsyncDisposable {
  /** Protocol rows for `openP2p`. */
  readonly protocols: readonly Protocol[];
  /** Consensus nodes among the peers, for the consensus engine. */
  readonly consensus: ConsensusPeers;
  /** Returns the progress of a catch-up, or undefined when none is running. */
  syncing(): SyncProgress | undefined;
  /** Resolves when the head of a peer is known and ours is not behind it. */
  readonly synced: Promise<void>;
  /** Returns the number of peers on our chain. */
  peerCount(): number;
}

/**
 * Opens the protocol and subscribes to new heads and pending transactions. Peers arrive through `protocols`.
 */
export function openChainProtocol(options: ChainProtocolOptions): ChainProtocol {
  const { chain, writer, pool, sidecars } = options;
  const peersByLink = new Map<ProtocolPeer, ChainPeer>();
  const shared = {
    ...options,
    timings: { ...PROTOCOL_TIMINGS, ...options.timings },
    randomFraction: options.random,
    chainId: chain.config.chainId,
    peers: () => peersByLink.values(),
    tip: () => writer.tip.header.number,
    head: () => chain.head().header.number,
  };
  const metrics = declareProtocolMetrics(options.metrics, gaugesOf(peersByLink, shared.tip));
  const broadcaster = new BlockBroadcaster(shared);
  const follower = new Follower({
    ...shared,
    ...followerOptions(chain, metrics),
    broadcaster,
  });
  const gossip = openTransactionGossip({
    ...shared,
    nextBaseFee: () => chain.nextBaseFee(),
    onSent: (count) => metrics.sent.add(count),
  });
  const sidecarRequests = openSidecarRequests(shared);
  const stopBids = sendBids(shared);
  const consensus = createConsensusChannel(shared.peers);
  const limited = createLineLimit(options.clock);
  const onFailure = (error: StoreError): void =>
    limited((others) => options.log.error({ error, others }, "database failed while a message was handled"));
  const raw = servedBlocks(createRawBlocks(options.rows, chain), onFailure);
  const deps = {
    ...shared,
    follower,
    metrics,
    consensus,
    takeBid: createBidReceiver(options.auction, options.clock),
    serving: createServing(raw, (hash) => sidecars.find(hash)),
    intake: { pool, pause: options.pause },
    acceptsTransactions: createTransactionGate(chain, follower),
  };
  const handler = (peer: ChainPeer): HandleMessage => createHandler(peer, deps);
  return {
    protocols: protocolRows(
      createPeerRun({ ...shared, peersByLink, follower, gossip, metrics, handler, onFailure }),
      peersByLink,
    ),
    consensus: consensus.peers,
    syncing: () => follower.progress(),
    synced: follower.synced,
    peerCount: () => peersByLink.size,
    async [Symbol.asyncDispose]() {
      broadcaster[Symbol.dispose]();
      gossip[Symbol.dispose]();
      sidecarRequests[Symbol.dispose]();
      stopBids();
      await follower[Symbol.asyncDispose]();
    },
  };
}

function followerOptions(
  chain: Chain,
  { gossip }: ProtocolMetrics,
): Pick<NetworkFollowerDeps, "emptyRoot" | "bodyRoot" | "metrics"> {
  const wayAt = (number: number): number => chain.parameters(number).deriveShaImpl;
  return {
    emptyRoot: (number) => listRoot(wayAt(number), []),
    bodyRoot: (number, raw) => runInSlices(listRootSteps(wayAt(number), raw)),
    metrics: gossip,
  };
}

function gaugesOf(peersByLink: ReadonlyMap<ProtocolPeer, ChainPeer>, tip: () => number): ProtocolGauges {
  return {
    peers: () => peersByLink.size,
    behind: () => Math.max(0, ...[...peersByLink.values()].map(({ claim }) => claim.number - tip())),
  };
}

function protocolRows(
  run: Protocol["run"],
  peersByLink: ReadonlyMap<ProtocolPeer, ChainPeer>,
): readonly Protocol[] {
  return VERSIONS.map(({ version, length }) => ({
    name: PROTOCOL_NAME,
    version,
    length,
    run,
    lane: (code) => (code === messages.transactions.code ? 1 : 0),
    maxPayload: (code) => messageRow(code, version)?.maxPayload ?? 0,
    describe: (link) => describePeer(peersByLink.get(link)),
  }));
}

/**
 * Creates the test for accepting transactions of peers: once our head is as new as theirs, or at once on a
 * chain with a single validator.
 */
function createTransactionGate(chain: Chain, follower: Follower): () => boolean {
  const genesis = chain.block(0);
  const alone = genesis !== undefined && parseExtra(genesis.header.extra).validators.length === 1;
  return () => alone || follower.isSynced;
}
