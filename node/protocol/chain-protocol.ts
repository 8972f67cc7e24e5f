/**
 * The chain protocol: what nodes of one chain tell each other. Comes in: peers with their messages, new heads,
 * new pending transactions. Goes out: answers to what peers ask, blocks and transactions they lack, and blocks
 * that we lacked, verified, into the chain.
 */
import type { Chain } from "../chain/chain.ts";
import { createRawBlocks } from "../chain/raw-blocks.ts";
import type { Writer } from "../chain/writer.ts";
import type { ConsensusPeers } from "../consensus/consensus-peers.ts";
import type { Recoverer } from "../crypto/recoverer.ts";
import { parseExtra } from "../model/istanbul-extra.ts";
import { listRoot } from "../model/list-root.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { NodeType } from "../p2p/node-type.ts";
import type { Protocol, ProtocolPeer } from "../p2p/protocol.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Pause } from "../runtime/scheduler.ts";
import type { Rows } from "../store/store.ts";
import type { TxPool } from "../txpool/pool.ts";
import { pushBlock, tellHead } from "./blocks-out.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { createConsensusChannel } from "./consensus-channel.ts";
import { Follower, type FollowerParts } from "./follower.ts";
import { createHandler, type HandleMessage } from "./handlers.ts";
import { type ProtocolTimings, TIMINGS } from "./limits.ts";
import { messageOf, messages, PROTOCOL_NAME, VERSIONS } from "./messages.ts";
import { declareProtocolMetrics, type ProtocolGauges, type ProtocolMetrics } from "./metrics.ts";
import { describePeer, runPeer } from "./peer-run.ts";
import type { SyncFacts } from "./progress.ts";
import type { Chance } from "./recipients.ts";
import { createServing } from "./serving.ts";
import { openTransactionGossip } from "./transactions-out.ts";

/** What the protocol works on. */
export interface ChainProtocolOptions {
  readonly chain: Chain;
  readonly writer: Pick<Writer, "tip" | "written" | "exclusively" | "checkHeader" | "insert" | "settle">;
  /** Rows of the chain database, for answers that need no decoding. */
  readonly rows: Rows;
  /** Resolves when the state can execute blocks. */
  readonly ready: Promise<void>;
  readonly pool: Pick<
    TxPool,
    "get" | "addAll" | "addWithBlobs" | "wire" | "minedBlobs" | "onPending" | "byPrice"
  >;
  readonly recoverer: Recoverer;
  readonly pause: Pause;
  /** What this node is. */
  readonly nodeType: NodeType;
  readonly networkId: number;
  /** On a consensus node: whether an address may take part in consensus; others that claim so are left. */
  readonly isValidator?: ((address: Uint8Array) => boolean) | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** A number in [0, 1), for choosing among peers. */
  readonly random: Chance;
  readonly timings?: Partial<ProtocolTimings> | undefined;
}

/** The running protocol; closing it lets the block that is being taken in finish. */
export interface ChainProtocol extends AsyncDisposable {
  /** Rows for `openP2p`. */
  readonly protocols: readonly Protocol[];
  /** The peers that are consensus nodes, for the engine. */
  readonly consensus: ConsensusPeers;
  /** Undefined when no catch-up is under way. */
  syncing(): SyncFacts | undefined;
  /** Resolves when a peer's head was heard of and ours is not behind it. */
  readonly heardHead: Promise<void>;
  /** Peers on our chain. */
  peerCount(): number;
}

/** Starts to follow the chain's and the pool's events; peers come in by way of `protocols`. */
export function openChainProtocol(options: ChainProtocolOptions): ChainProtocol {
  const { chain, writer, pool, recoverer } = options;
  const present = new Map<ProtocolPeer, ChainPeer>();
  const shared = {
    ...options,
    timings: { ...TIMINGS, ...options.timings },
    chance: options.random,
    chainId: chain.config.chainId,
    peers: () => present.values(),
    tip: () => writer.tip.header.number,
  };
  const metrics = declareProtocolMetrics(options.metrics, gaugesOf(present, shared.tip));
  const tell = createHeadTeller((full) => tellHead(shared, full));
  const follower = new Follower({
    ...shared,
    ...followerTerms(chain, metrics),
    onSound: (block, body) => pushBlock(shared, block, () => body),
    onPushed: () => tell(false),
    onCaughtUp: (blocks) => tell(blocks <= FEW_BLOCKS),
  });
  const stopListening = tellHeads(chain, follower, tell);
  const gossip = openTransactionGossip({
    ...shared,
    nextBaseFee: () => chain.nextBaseFee(),
    onSent: (count) => metrics.sent.add(count),
  });
  const consensus = createConsensusChannel(shared.peers);
  const parts = {
    ...shared,
    follower,
    metrics,
    consensus,
    serving: createServing(createRawBlocks(options.rows, chain), (hash) => pool.minedBlobs(hash)),
    intake: { pool, recoverer, chainId: shared.chainId, pause: options.pause },
    acceptsTransactions: accepting(chain, follower),
  };
  const handler = (peer: ChainPeer): HandleMessage => createHandler(peer, parts);
  return {
    protocols: protocolRows(runPeer({ ...shared, present, follower, gossip, metrics, handler }), present),
    consensus: consensus.peers,
    syncing: () => follower.facts(),
    heardHead: follower.heard,
    peerCount: () => present.size,
    async [Symbol.asyncDispose]() {
      stopListening();
      gossip[Symbol.dispose]();
      await follower[Symbol.asyncDispose]();
    },
  };
}

function followerTerms(
  chain: Chain,
  { gossip }: ProtocolMetrics,
): Pick<FollowerParts, "emptyRoot" | "bodyRoot" | "metrics"> {
  const rootOf = (number: number, raw: readonly Uint8Array[]): Uint8Array =>
    listRoot(chain.parameters(number).deriveShaImpl, [...raw]);
  return { emptyRoot: (number) => rootOf(number, []), bodyRoot: rootOf, metrics: gossip };
}

function gaugesOf(present: ReadonlyMap<ProtocolPeer, ChainPeer>, tip: () => number): ProtocolGauges {
  return {
    peers: () => present.size,
    behind: () => Math.max(0, ...[...present.values()].map(({ claim }) => claim.number - tip())),
  };
}

/** Blocks made here are told of at once; of a catch-up's blocks only the last one is. */
function tellHeads(chain: Chain, follower: Follower, tell: (full: boolean) => void): () => void {
  return chain.onHead(({ hash }) => {
    if (!follower.tells(hash)) tell(true);
  });
}

function protocolRows(
  run: Protocol["run"],
  present: ReadonlyMap<ProtocolPeer, ChainPeer>,
): readonly Protocol[] {
  return VERSIONS.map(({ version, length }) => ({
    name: PROTOCOL_NAME,
    version,
    length,
    run,
    lane: (code) => (code === messages.transactions.code ? 1 : 0),
    maxPayload: (code) => messageOf(code, version)?.maxPayload ?? 0,
    describe: (link) => describePeer(present.get(link)),
  }));
}

/** After a catch-up of so few blocks peers get the head itself, as if it had been pushed. */
const FEW_BLOCKS = 4;

/** A function that tells of the newest head, however many there were in this turn, once it is over. */
function createHeadTeller(tell: (full: boolean) => void): (full: boolean) => void {
  let waiting = false;
  return (full) => {
    if (waiting) return;
    waiting = true;
    setImmediate(() => {
      waiting = false;
      tell(full);
    });
  };
}

/**
 * Transactions are welcome once our head is as new as that of others, on a chain of one validator at once: it has
 * no network to be behind of.
 */
function accepting(chain: Chain, follower: Follower): () => boolean {
  const genesis = chain.block(0);
  const alone = genesis !== undefined && parseExtra(genesis.header.extra).validators.length === 1;
  return () => alone || follower.hasHeard;
}
