/**
 * The composition root: opens every part of a node in floor order and closes them in reverse. Read from top to
 * bottom it says what a node is made of.
 */

import { developmentKeys } from "../accounts/development-keys.ts";
import type { Chain } from "../chain/chain.ts";
import { developmentGenesis } from "../chain/development.ts";
import { type Followers, openFollowers } from "../chain/followers.ts";
import { writeGenesis } from "../chain/genesis-block.ts";
import { declareChainMetrics, declareInsertMetrics } from "../chain/metrics.ts";
import type { OpenChain } from "../chain/open-chain.ts";
import type { Engine, SigningState } from "../consensus/bft/engine.ts";
import type { MiningMode } from "../consensus/miner.ts";
import { openKzg } from "../crypto/kzg.ts";
import { openRecoverer } from "../crypto/recoverer.ts";
import { secp256k1Backend } from "../crypto/secp256k1.ts";
import { createPendingVotes, type PendingVotes } from "../governance/pending-votes.ts";
import type { AdjustableLog, Log } from "../observe/log.ts";
import { openMemoryWatch } from "../observe/memory-watch.ts";
import { createMetrics } from "../observe/metrics.ts";
import type { NodeKey } from "../p2p/node-key.ts";
import type { ForkOrigin } from "../rpc/fork-origin.ts";
import { AdjustableClock } from "../runtime/adjustable-clock.ts";
import { systemClock } from "../runtime/clock.ts";
import { collectGarbage } from "../runtime/collect-garbage.ts";
import { createPause } from "../runtime/scheduler.ts";
import { lowerHelperPriorities } from "../runtime/thread-priority.ts";
import { enlargeWhenBusy } from "../runtime/young-space.ts";
import type { State } from "../state/state.ts";
import { openOperations } from "../transport/operations.ts";
import { type DevelopmentAccount, developmentAccounts, openNodeAccounts } from "./accounts.ts";
import { openNodeFiles } from "./block-files.ts";
import { openNodeConsensus, openNodeMiner } from "./consensus.ts";
import { openConsensusChain } from "./consensus-chain.ts";
import { openCopies } from "./copies.ts";
import { type Database, databaseDirectories, openDatabase } from "./database.ts";
import { openOrigin, refuseLoneChain, type StateFiles } from "./development.ts";
import { type DiskUseWatch, watchDiskUse } from "./disk-use.ts";
import { declareForkMetrics, openForkWatch } from "./fork-watch.ts";
import { openNodeGasless } from "./gasless.ts";
import { declareNodeMetrics } from "./metrics.ts";
import { openNodeNetwork } from "./network.ts";
import { ownKeys } from "./node-keys.ts";
import { checkClock, logStart, openStatusLog } from "./node-log.ts";
import type { NodeOptions } from "./options.ts";
import { openNodeSidecars, openPool } from "./pool.ts";
import { beginPublicChain, renewPublicConfig } from "./public-network.ts";
import { openReadiness } from "./readiness.ts";
import { openNodeRpc } from "./rpc.ts";
import { openTableWatch, type TableWatch } from "./table-watch.ts";

/** URLs of a running node; undefined for what it does not serve. */
export interface NodeEndpoints {
  readonly http: string | undefined;
  readonly ws: string | undefined;
  readonly ipc: string | undefined;
  readonly metrics: string | undefined;
}

/** A running node. Disposing it closes everything; the newest block is on disk then. */
export interface Node extends AsyncDisposable {
  readonly endpoints: NodeEndpoints;
  readonly chain: Chain;
  /** Set on a development chain. */
  readonly developmentAccounts: readonly DevelopmentAccount[] | undefined;
  /** Set on a development chain that makes its blocks. */
  readonly stateFiles: StateFiles | undefined;
  /** Conditions under which a development chain makes blocks; undefined where another node makes them. */
  readonly makesBlocks: MiningMode | undefined;
  /** Resolves with the reason when the node cannot go on by itself. */
  readonly failure: Promise<Error>;
}

/** Opens a node. Ends early with the signal's reason when it is aborted. Throws what a part threw. */
export async function openNode(options: NodeOptions, signal: AbortSignal, log: AdjustableLog): Promise<Node> {
  const clock = new AdjustableClock(systemClock);
  const metrics = createMetrics();
  warnIfSlow(log);
  await using parts = new AsyncDisposableStack();
  const { nodeKey, blsKey } = await ownKeys(options);
  const memory = parts.use(openMemoryWatch({ ...options.memory, log, collect: collectGarbage }));
  const database = parts.use(await openDatabase(options, log));
  memory.onTight(() => database.nodeCache.slab?.empty());
  declareNodeMetrics(metrics, { ...database, memory }, parts.use(watchDisk(options, database, log)));
  signal.throwIfAborted();
  const origin = await openOrigin(options, database.store);
  await beginDevelopmentChain(options, database, { nodeKey, origin });
  refuseLoneChain(options, database.store);
  await beginPublicChain(database, options);
  await renewPublicConfig(database, log);
  const open = await openConsensusChain(database, log, clock);
  const { chain } = open;
  if (options.development !== undefined) clock.advanceTo(chain.head().header.time * 1000);
  declareChainMetrics(metrics, chain, clock);
  checkClock(chain, clock, log);
  declareForkMetrics(metrics, chain);
  parts.use(openForkWatch({ chain, log }));
  declareInsertMetrics(metrics, open.writer, clock);
  const ballots = ballotsOf(open, nodeKey, log);
  const { supply } = parts.use(followChain(options, database, chain, log));
  const recoverer = parts.use(openRecoverer(log));
  const kzg = parts.use(openKzg());
  const accounts = parts.use(await openNodeAccounts(options, log));
  signal.throwIfAborted();
  const gasless = openNodeGasless({ options, open, nodeKey, log, metrics });
  const pool = parts.use(await openPool(options, { chain, recoverer, kzg, log, metrics, memory, gasless }));
  const sidecars = parts.use(openNodeSidecars(options, { ...database, chain, pool, kzg, log }));
  let engine: Engine | undefined;
  const network = parts.use(
    await openNodeNetwork({
      options,
      database,
      open,
      pool,
      sidecars,
      recoverer,
      nodeKey,
      clock,
      log,
      metrics,
    }),
  );
  const files = openNodeFiles({ database, open, recoverer, clock });
  const copies = parts.use(await openCopies({ options, database, nodeKey, log }));
  const parties = { ballots, pool, sidecars, accounts, nodeKey, blsKey, network, supply, gasless };
  const common = { ...parties, options, open, database, log };
  const miner = parts.use(openNodeMiner({ ...common, metrics, clock }));
  const rpc = parts.use(
    await openNodeRpc({ ...common, kzg, files, copies, metrics, memory, miner, clock, origin }),
  );
  parts.use(files); // a call that waits for a file ends before the listeners do
  const signing = (): SigningState | undefined => engine?.signingState();
  const readiness = openReadiness({ ...database, options, chain, clock, network, signing }, metrics);
  const operations =
    options.metrics && parts.use(await openOperations({ ...options.metrics, metrics, readiness }));
  engine = parts.use(await openNodeConsensus({ ...common, recoverer, kzg, clock, metrics, miner }));
  miner?.start();
  parts.use(enlargeWhenBusy());
  parts.use(lowerHelperPriorities());
  logStart(log, { options, chain, nodeKey, metrics: operations?.url });
  if (options.development === undefined) parts.use(openStatusLog({ chain, p2p: network.p2p, clock, log }));
  const all = parts.move();
  return {
    endpoints: { ...rpc.endpoints, metrics: operations?.url },
    chain,
    developmentAccounts: await developmentAccounts(options),
    stateFiles: rpc.stateFiles,
    makesBlocks: miner?.mode,
    failure: failureOf(database.state, [open.writer.failed, (engine ?? miner)?.failed]),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function warnIfSlow(log: Log): void {
  if (secp256k1Backend === "native") return;
  log.warn(
    { backend: secp256k1Backend },
    "native secp256k1 cannot be loaded; signatures are verified in JavaScript",
  );
}

function watchDisk(options: NodeOptions, database: Database, log: Log): DiskUseWatch & TableWatch {
  const watches = new AsyncDisposableStack();
  const use = watches.use(watchDiskUse(database, log));
  const tables = watches.use(openTableWatch({ directories: () => databaseDirectories(options), log }));
  return {
    newest: () => use.newest(),
    hasDamage: () => tables.hasDamage(),
    [Symbol.asyncDispose]: () => watches.disposeAsync(),
  };
}

/** Chain id of Hardhat's and Ganache's chains. */
const DEVELOPMENT_CHAIN_ID = 1_337;

/** Gives an empty development directory its block 0. */
async function beginDevelopmentChain(
  { development }: NodeOptions,
  database: Database,
  { nodeKey: { address }, origin }: { readonly nodeKey: NodeKey; readonly origin: ForkOrigin | undefined },
): Promise<void> {
  if (development === undefined || database.state.number >= 0) return;
  await database.state.ready;
  const time = Math.floor(systemClock.now() / 1000) - 1;
  const keys = await developmentKeys(development);
  const chainId = development.chainId ?? origin?.point.chainId ?? DEVELOPMENT_CHAIN_ID;
  const settings = { ...development, chainId, keys, validator: address, time };
  await writeGenesis(database, developmentGenesis(settings));
}

function followChain(options: NodeOptions, { store, state }: Database, chain: Chain, log: Log): Followers {
  const oldestRewind = (): number => state.figures().oldestRewind;
  const { senderHashes, addressIndex: addresses, historyBlocks: blocks } = options.followers;
  const deps = { store, chain, oldestRewind, pause: createPause(), log };
  return openFollowers(deps, { senderHashes, addresses, blocks });
}

/** Votes of this node, followed by the chain's heads for as long as the chain is open. */
function ballotsOf({ chain, governance }: OpenChain, { address }: NodeKey, log: Log): PendingVotes {
  const ballots = createPendingVotes({ governance, tip: () => chain.head().header.number, address, log });
  chain.onHead(({ header }) => ballots.removeCast(header));
  return ballots;
}

/** Settles with the first error that the node cannot go on after: of the state, a write, or the agreement on blocks. */
function failureOf({ ready }: State, failures: readonly (Promise<never> | undefined)[]): Promise<Error> {
  return new Promise((settle) => {
    const fail = (error: unknown): void => settle(error instanceof Error ? error : new Error(String(error)));
    for (const failure of [ready, ...failures]) failure?.catch(fail);
  });
}
