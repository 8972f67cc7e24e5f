/** This node among those who agree on blocks. */
import type { Accounts } from "../accounts/accounts.ts";
import type { Auction } from "../auction/auction.ts";
import { concatBytes, equalBytes } from "../bytes/compare.ts";
import { integerBytes } from "../bytes/integer.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import type { OpenChain } from "../chain/open-chain.ts";
import { programVersion } from "../config/version.ts";
import { type Engine, openEngine } from "../consensus/bft/engine.ts";
import { declareEngineMetrics } from "../consensus/bft/metrics.ts";
import { untilLevel } from "../consensus/bft/sole-validator.ts";
import type { DraftDeps } from "../consensus/draft.ts";
import { declareDraftMetrics } from "../consensus/draft-metrics.ts";
import { readMinHeight } from "../consensus/min-height.ts";
import { type Miner, type MiningMode, openMiner } from "../consensus/miner.ts";
import type { Kzg } from "../crypto/kzg.ts";
import type { Recoverer } from "../crypto/recoverer.ts";
import { sign } from "../crypto/secp256k1.ts";
import type { Gasless } from "../gasless/gasless.ts";
import type { PendingVotes } from "../governance/pending-votes.ts";
import type { Block } from "../model/block.ts";
import type { Header } from "../model/header.ts";
import { decodeTransaction } from "../model/transaction.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { NodeKey } from "../p2p/node-key.ts";
import { assembleBlock, recoverSenders } from "../protocol/blocks-in.ts";
import { transactionItems } from "../protocol/transaction-items.ts";
import type { AdjustableClock } from "../runtime/adjustable-clock.ts";
import type { Clock } from "../runtime/clock.ts";
import { createPause } from "../runtime/scheduler.ts";
import { checkSentBlobs, kzgProver } from "../txpool/blobs.ts";
import type { IsAdmitted, TxPool } from "../txpool/pool.ts";
import type { Sidecars } from "../txpool/sidecars.ts";
import { rewardbaseOf } from "./accounts.ts";
import type { NodeDatabase } from "./database.ts";
import type { NodeNetwork } from "./network.ts";
import type { NodeOptions } from "./options.ts";

/** Parts of a validator. */
export interface ConsensusDeps {
  readonly options: NodeOptions;
  readonly database: NodeDatabase;
  readonly open: OpenChain;
  readonly ballots: PendingVotes;
  readonly pool: TxPool;
  readonly sidecars: Pick<Sidecars, "propose">;
  readonly recoverer: Recoverer;
  readonly kzg: Kzg;
  readonly accounts: Accounts;
  readonly nodeKey: NodeKey;
  /** 32 bytes, secret. */
  readonly blsKey: Uint8Array;
  readonly network: NodeNetwork;
  /** Rules for senders without KAIA; undefined where there are none. */
  readonly gasless: Gasless | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Makes the blocks of a development chain in place of an agreement. */
  readonly miner: Miner | undefined;
}

/**
 * Takes part in the agreement on blocks on a core node; undefined on all others. Rejects as `readMinHeight`.
 */
export async function openNodeConsensus(surroundings: ConsensusDeps): Promise<Engine | undefined> {
  const { options, database, open, pool, network, clock } = surroundings;
  const { chain } = open;
  const { intervalMs } = options.consensus;
  const metrics = declareEngineMetrics(surroundings.metrics, {
    now: () => clock.now(),
    due: () => chain.head().header.time * 1000 + intervalMs,
  });
  if (options.type !== "core" || surroundings.miner !== undefined) return undefined;
  warnIfNoValidator(surroundings);
  const { doppelganger } = options.consensus;
  const minHeight = await readMinHeight(options.consensus);
  return openEngine({
    ...draftDeps(surroundings),
    chain,
    store: database.store,
    peers: network.protocol.consensus,
    ready: Promise.all([
      database.state.ready,
      waitsForPeers(surroundings) ? level(surroundings, minHeight) : undefined,
    ]),
    signing: { doppelganger, minHeight },
    diskSpace: () => database.disk.room(),
    encodeWithBlobs: (tx) => pool.wire(tx),
    assemble: (header, body) => assembleProposal(surroundings, header, body),
    intervalMs,
    metrics,
  });
}

/** Makes the blocks of a development chain of which this node is the only validator; undefined on all others. */
export function openNodeMiner(surroundings: MinerParts): Miner | undefined {
  const { options, database, pool, clock } = surroundings;
  if (options.development === undefined || !isOnlyValidator(surroundings)) return undefined;
  const ready = async (): Promise<void> => {
    await database.state.ready;
    await database.disk.room();
  };
  const pending = { hasPending: () => pool.status().pending > 0, onPending: pool.onPending.bind(pool) };
  return openMiner({ ...draftDeps(surroundings), ...pending, clock, ready }, miningMode(options));
}

/** Parts of a miner. */
export type MinerParts = DraftParts & { readonly clock: AdjustableClock };

/** Parts that draft blocks. */
export type DraftParts = Pick<
  ConsensusDeps,
  | "options"
  | "database"
  | "open"
  | "ballots"
  | "pool"
  | "accounts"
  | "nodeKey"
  | "blsKey"
  | "log"
  | "metrics"
  | "clock"
  | "gasless"
> & { readonly network: Pick<NodeNetwork, "auction"> };

function draftDeps(surroundings: DraftParts): DraftDeps {
  const { options, database, open, ballots, pool, accounts, nodeKey, blsKey, network, gasless, clock, log } =
    surroundings;
  const { auction } = network;
  const { chain, writer, governance, nextHeader } = open;
  return {
    config: chain.config,
    writer,
    nextHeader,
    state: database.state,
    governance,
    vote: () => ballots.nextVoteField(),
    candidates: (number, baseFee) =>
      pool.byPrice(baseFee, beforeDeadline({ auction, gasless }, number, clock)),
    auction,
    gasless,
    drop: (tx) => pool.drop(tx.hash),
    address: nodeKey.address,
    sign: (digest) => sign(digest, nodeKey.key),
    blsKey,
    rewardbase: rewardbaseOf(options, accounts) ?? nodeKey.address,
    vanity: vanity(options.consensus.extraData),
    limitMs: options.consensus.timeLimitMs,
    pause: createPause(),
    onDraft: declareDraftMetrics(surroundings.metrics),
    clock,
    log: options.development === undefined ? log : whispering(log),
  };
}

/** While an auction runs, a proposal has only transactions that its searchers could have seen, targets of bids, and gasless ones. */
function beforeDeadline(
  { auction, gasless }: { readonly auction: Auction | undefined; readonly gasless: Gasless | undefined },
  number: number,
  clock: Clock,
): IsAdmitted | undefined {
  if (auction?.isRunning !== true) return undefined;
  const deadline = clock.now() - auction.earlyDeadlineMs;
  return (tx, time) => time <= deadline || auction.isTarget(tx, number) || gasless?.covers(tx) === true;
}

function isOnlyValidator({ open: { chain, governance }, nodeKey }: DraftParts): boolean {
  const council = governance.council(chain.head().header.number + 1);
  return council.length === 1 && council.every((member) => equalBytes(member, nodeKey.address));
}

/** Returns the mode that the options of a development chain name. */
function miningMode({ development, consensus }: NodeOptions): MiningMode {
  const { blockTime } = development ?? {};
  if (blockTime === "auto") return { isAuto: true, intervalMs: undefined };
  return { isAuto: false, intervalMs: blockTime ?? consensus.intervalMs };
}

/**
 * True for a validator that others must have reported a head to before it signs. Beside boot nodes alone a sole validator
 * may have no peer at all.
 */
function waitsForPeers({ network, open: { chain, governance } }: ConsensusDeps): boolean {
  if (network.expectsPeers) return true;
  return network.seeksPeers && governance.council(chain.head().header.number + 1).length > 1;
}

/** Resolves once the chain is level with that of peers, or needs none. Without a file a minimum of 0 tells nothing. */
function level(
  { options, database, open, nodeKey, network }: ConsensusDeps,
  minHeight: number,
): Promise<void> {
  const { chain, governance } = open;
  const isKept = options.consensus.minHeightFile !== undefined || minHeight > 0;
  const validator = {
    address: nodeKey.address,
    chain,
    governance,
    store: database.store,
    minHeight: isKept ? minHeight : undefined,
  };
  return untilLevel(validator, {
    synced: network.protocol.synced,
    count: () => network.p2p.peers().length,
  });
}

/** On a development chain a line each second would hide what a person wants to read. */
function whispering(log: Log): Log {
  return { ...log, info: (fields, message) => log.debug(fields, message) };
}

/** Reads a proposal's transactions: their senders are found on another thread, and their blobs are proved. */
async function assembleProposal(
  { open: { chain }, pool, sidecars, recoverer, kzg }: ConsensusDeps,
  header: Header,
  body: Uint8Array,
): Promise<Block> {
  const pause = createPause();
  const block = await assembleBlock(header, body, { pause, pool });
  await recoverSenders([block], { recoverer, chainId: chain.config.chainId, pause });
  if (!block.transactions.some(({ fields }) => fields.blobVersionedHashes !== undefined)) return block;
  const prove = kzgProver(kzg);
  for (const item of transactionItems(body)) {
    const transaction = decodeTransaction(item);
    await checkSentBlobs(transaction, prove);
    const { sidecar } = transaction.fields;
    if (sidecar !== undefined) sidecars.propose(transaction.hash, sidecar);
  }
  return block;
}

function warnIfNoValidator({ open: { chain, governance }, nodeKey, log }: ConsensusDeps): void {
  const council = governance.council(chain.head().header.number + 1);
  if (council.some((member) => equalBytes(member, nodeKey.address))) return;
  log.warn({ validators: council.length }, "this node is not a validator of its chain and makes no blocks");
}

const VANITY_BYTES = 32;

/** Free text of a header, in the Go node's form: RLP of version, client, runtime and system, cut or padded. */
function vanity(extraData: string | undefined): Uint8Array {
  const text = extraData ? Buffer.from(extraData) : versionText();
  return concatBytes(text, new Uint8Array(VANITY_BYTES)).subarray(0, VANITY_BYTES);
}

function versionText(): Uint8Array {
  const [major = 0, minor = 0, patch = 0] = programVersion().split(".").map(Number);
  return encodeRlp([
    integerBytes((major << 16) | (minor << 8) | patch),
    Buffer.from("knit"),
    Buffer.from(`node${process.versions.node}`),
    Buffer.from(process.platform),
  ]);
}
