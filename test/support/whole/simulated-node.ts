/**
 * One life of a simulated node: the parts of a real node from its databases to its consensus, over a simulated disk.
 * Left out are sockets, RPC and threads.
 */
import type { Accounts } from "../../../node/accounts/accounts.ts";
import { equalBytes } from "../../../node/bytes/compare.ts";
import { writeGenesis } from "../../../node/chain/genesis-block.ts";
import type { OpenChain } from "../../../node/chain/open-chain.ts";
import { recoverSigners } from "../../../node/chain/recover-signers.ts";
import { openNodeConsensus } from "../../../node/compose/consensus.ts";
import { openConsensusChain } from "../../../node/compose/consensus-chain.ts";
import type { NodeDatabase } from "../../../node/compose/database.ts";
import type { NodeNetwork } from "../../../node/compose/network.ts";
import type { NodeOptions } from "../../../node/compose/options.ts";
import { chainForPool } from "../../../node/compose/pool.ts";
import type { Genesis } from "../../../node/config/genesis.ts";
import type { Engine } from "../../../node/consensus/bft/engine.ts";
import type { Kzg } from "../../../node/crypto/kzg.ts";
import type { Recoverer, Signers } from "../../../node/crypto/recoverer.ts";
import { type RecoveryJob, recoverSigner, type Wanted } from "../../../node/crypto/recovery-batch.ts";
import { createPendingVotes } from "../../../node/governance/pending-votes.ts";
import type { Log } from "../../../node/observe/log.ts";
import { createMetrics } from "../../../node/observe/metrics.ts";
import type { NodeKey } from "../../../node/p2p/node-key.ts";
import type { P2p } from "../../../node/p2p/p2p.ts";
import type { ProtocolMessage } from "../../../node/p2p/protocol.ts";
import { openChainProtocol } from "../../../node/protocol/chain-protocol.ts";
import { AdjustableClock } from "../../../node/runtime/adjustable-clock.ts";
import type { Clock } from "../../../node/runtime/clock.ts";
import { FairTime } from "../../../node/runtime/fair-time.ts";
import { createPause } from "../../../node/runtime/scheduler.ts";
import { openState } from "../../../node/state/open-state.ts";
import type { State } from "../../../node/state/state.ts";
import { Slab } from "../../../node/state/trie/slab.ts";
import { joinStores, trimBlocks } from "../../../node/store/chain-store.ts";
import { openTxPool } from "../../../node/txpool/open-pool.ts";
import type { TxPool } from "../../../node/txpool/pool.ts";
import { options as checkedOptions } from "../options.ts";
import type { DiskAccess, SimulatedDisk } from "./simulated-disk.ts";
import type { SimulatedEnd } from "./simulated-network.ts";
import { CHAIN_ID } from "./whole-chain.ts";

/** Parts of a node that outlast its lives. */
export interface SimulatedSeat {
  readonly index: number;
  readonly type: "core" | "proxy" | "endpoint";
  readonly key: NodeKey;
  readonly disk: SimulatedDisk;
  readonly clock: Clock;
}

/** Dependencies of one life. */
export interface LifeDeps {
  readonly genesis: Genesis;
  readonly access: DiskAccess;
  /** The watch over the disk. */
  readonly room: Pick<NodeDatabase["disk"], "isLow" | "room">;
  readonly random: () => number;
  readonly log: Log;
  readonly onSend: (message: ProtocolMessage) => void;
  readonly peerCount: () => number;
  /** Height below which the node does not sign. */
  readonly minHeight: number;
  /** False for a node that finds its peers by boot nodes alone. */
  readonly hasStaticPeers: boolean;
}

/** An open node. */
export interface SimulatedNode extends AsyncDisposable {
  readonly open: OpenChain;
  readonly state: State;
  readonly pool: TxPool;
  readonly engine: Engine | undefined;
  readonly end: SimulatedEnd;
}

const TYPES = { core: "cn", proxy: "pn", endpoint: "en" } as const;
/** Small, so that nodes are read from the disk. */
const SLAB_BYTES = 2 ** 20;

/** Opens a node on what its disk holds. */
export async function openSimulatedNode(seat: SimulatedSeat, deps: LifeDeps): Promise<SimulatedNode> {
  const { disk, clock, key, index } = seat;
  const { access, genesis, log, random, room } = deps;
  const metrics = createMetrics();
  const store = joinStores(disk.open("chain", access), disk.open("blocks", access));
  const state = await openState({
    chain: store,
    trie: {
      open: (generation) => Promise.resolve(disk.open(`trie/${generation}`, access)),
      remove: async (generation) => disk.remove(`trie/${generation}`),
      space: async () => ({ used: 0, free: Number.POSITIVE_INFINITY }),
    },
    log,
    slab: new Slab(SLAB_BYTES),
    window: 16,
    flushInterval: 4,
    gatherBytes: 1,
    cachedAccounts: 16,
  });
  await state.ready;
  await trimBlocks(store, state.number);
  if (state.number < 0) await writeGenesis({ store, state }, genesis);
  const database = { store, state, disk: room, [Symbol.asyncDispose]: async () => undefined };
  const open = await openConsensusChain({ ...database, keptTransactions: 64 }, log, clock);
  const { chain, writer, governance } = open;
  const recoverer = inlineRecoverer();
  const pool = await openTxPool({
    chain: chainForPool(chain),
    clock,
    log,
    metrics,
    recoverSenders: (transactions) => recoverSigners(recoverer, BigInt(CHAIN_ID), transactions),
  });
  const protocol = openChainProtocol({
    chain,
    writer,
    rows: store,
    ready: state.ready,
    pool,
    sidecars: { find: () => undefined, onMissing: () => undefined, accept: async () => false },
    auction: undefined,
    recoverer,
    pause: createPause(),
    nodeType: TYPES[seat.type],
    networkId: CHAIN_ID,
    isValidator: (address) =>
      governance.council(chain.head().header.number + 1).some((member) => equalBytes(member, address)),
    clock,
    log,
    metrics,
    random,
  });
  const row = protocol.protocols[0];
  if (row === undefined) throw new Error("the protocol has no rows");
  const options = nodeOptions(seat, deps.minHeight);
  const p2p = { peers: () => Array.from({ length: deps.peerCount() }) };
  const network = {
    protocol,
    p2p: p2p as unknown as P2p,
    expectsPeers: deps.hasStaticPeers,
    seeksPeers: true,
  } as unknown as NodeNetwork; // as far as consensus uses it
  const engine = await openNodeConsensus({
    options,
    database: database as unknown as NodeDatabase, // without the cache of trie nodes, which consensus does not use
    open,
    ballots: createPendingVotes({
      governance,
      tip: () => chain.head().header.number,
      address: key.address,
      log,
    }),
    pool,
    sidecars: { propose: () => undefined },
    recoverer,
    kzg: {} as Kzg, // no transaction of the simulation has blobs
    accounts: {} as Accounts, // no rewardbase is named
    gasless: undefined,
    nodeKey: key,
    blsKey: new Uint8Array(32),
    network,
    clock: new AdjustableClock(clock),
    log,
    metrics,
    miner: undefined,
  });
  return {
    open,
    state,
    pool,
    engine,
    end: {
      index,
      life: access.life,
      type: TYPES[seat.type],
      key,
      protocol: row,
      time: new FairTime("peers"),
      onSend: deps.onSend,
    },
    async [Symbol.asyncDispose]() {
      await engine?.[Symbol.asyncDispose]();
      await protocol[Symbol.asyncDispose]();
      await pool[Symbol.asyncDispose]();
      await state[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

function nodeOptions({ type }: SimulatedSeat, minHeight: number): NodeOptions {
  const line = { type, "consensus.doppelganger-listen": "2s", "consensus.min-height": String(minHeight) };
  return checkedOptions({ line }).options;
}

function recover(batch: readonly RecoveryJob[], wanted: Wanted): Promise<Signers> {
  return Promise.resolve(batch.map((job) => recoverSigner(job, wanted)));
}

/** Recovers signers in the caller's turn, as the real one does for small batches. */
function inlineRecoverer(): Recoverer {
  return {
    recover: (batch) => recover(batch, "address"),
    recoverKeys: (batch) => recover(batch, "key"),
    verifyClaims: (batch) => Promise.resolve(batch.map(() => undefined)),
    start: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
