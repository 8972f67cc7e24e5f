/** Every method and subscription of the node in one registry: made empty, filled, sealed. */

import type { Accounts } from "../accounts/accounts.ts";
import type { LogFilter } from "../calls/arguments/log-filter.ts";
import { type FilterLimits, Filters } from "../calls/filters.ts";
import type { EstimateGas } from "../calls/transaction-draft.ts";
import type { Chain } from "../chain/chain.ts";
import { interfaceProfile } from "../compat/interface-profile.ts";
import type { RpcProfile } from "../compat/profiles.ts";
import type { ByteCache } from "../jsonrpc/byte-cache.ts";
import { Deliveries, type DeliveriesOptions } from "../jsonrpc/feed.ts";
import { createRegistry, type Registry } from "../jsonrpc/registry.ts";
import type { P2p } from "../p2p/p2p.ts";
import type { ChainProtocol } from "../protocol/chain-protocol.ts";
import type { TxPool } from "../txpool/pool.ts";
import { type AdminParts, adminMethods } from "./admin.ts";
import { type AdminChainParts, adminChainMethods } from "./admin-chain.ts";
import { type AdminListenersParts, adminListenersMethods } from "./admin-listeners.ts";
import { type AdminMigrationParts, adminMigrationMethods } from "./admin-migration.ts";
import { adminNodeMethods, type NodeStateParts } from "./admin-node.ts";
import { adminPeersMethods } from "./admin-peers.ts";
import { adminThrottlerMethods } from "./admin-throttler.ts";
import { type CallParts, callMethods } from "./calls.ts";
import { chainAccountMethods } from "./chain-accounts.ts";
import { chainBlockMethods } from "./chain-blocks.ts";
import { chainPlaceMethods } from "./chain-by-index.ts";
import { chainConsensusMethods } from "./chain-consensus.ts";
import { chainFeeMethods } from "./chain-fees.ts";
import { chainGovernanceMethods } from "./chain-governance.ts";
import { chainInfoMethods } from "./chain-info.ts";
import { type ChainFactsParts, chainFactsMethods } from "./chain-node.ts";
import { chainSendingMethods } from "./chain-sending.ts";
import { chainSigningMethods } from "./chain-signing.ts";
import { chainStateMethods } from "./chain-state.ts";
import { chainTransactionMethods } from "./chain-transactions.ts";
import { type DebugChainParts, debugChainMethods } from "./debug-chain.ts";
import { type DebugProcessParts, debugProcessMethods } from "./debug-process.ts";
import { type DebugStateParts, debugStateMethods } from "./debug-state.ts";
import { ethConfigMethods } from "./eth-config.ts";
import { filterMethods } from "./filters.ts";
import { governanceMethods } from "./governance.ts";
import type { GovernanceVoteParts } from "./governance-votes.ts";
import { istanbulMethods } from "./istanbul.ts";
import { type LogParts, logMethods } from "./logs.ts";
import { type NetParts, netMethods } from "./net.ts";
import { nodeSubscriptions } from "./node-subscriptions.ts";
import { ownTransactionMethods } from "./own-transactions.ts";
import { personalMethods } from "./personal.ts";
import { type ProofParts, proofMethods } from "./proofs.ts";
import { chainSubscriptions } from "./subscriptions.ts";
import { type SupplyMethodParts, supplyMethods } from "./supply.ts";
import { type TraceChainParts, traceChainSubscription } from "./trace-chain.ts";
import { traceFileMethods } from "./trace-files.ts";
import { type TraceParts, traceMethods } from "./traces.ts";
import { txpoolMethods } from "./txpool.ts";

/** What the methods are made of. */
export interface NodeParts
  extends AdminParts,
    AdminChainParts,
    AdminListenersParts,
    NetParts,
    ChainFactsParts,
    GovernanceVoteParts,
    ProofParts,
    SupplyMethodParts,
    AdminMigrationParts,
    NodeStateParts {
  readonly profile: RpcProfile;
  readonly keptBytes: ByteCache;
  /** KAIA; see `SubmitParts`. */
  readonly ethFeeCap?: number;
  readonly chain: Chain;
  readonly pool: Pick<
    TxPool,
    | "add"
    | "addWithBlobs"
    | "recover"
    | "get"
    | "wire"
    | "minedBlobs"
    | "nonce"
    | "content"
    | "status"
    | "onPending"
    | "throttler"
  >;
  readonly accounts: Accounts;
  readonly logs: Omit<LogParts, "profile">;
  readonly calls: CallParts;
  readonly debug: Omit<TraceParts, "profile"> & Omit<DebugStateParts, "profile">;
  readonly traceBlock: TraceChainParts["traceBlock"];
  readonly process: DebugProcessParts;
  readonly setHead: DebugChainParts["setHead"];
  readonly estimateGas: EstimateGas;
  /** The logs that fit, as a JSON list. Rejects with `RpcError`. */
  readonly searchLogs: (filter: LogFilter) => Promise<string>;
  readonly p2p: Pick<
    P2p,
    "self" | "listening" | "peers" | "addPeer" | "removePeer" | "countByType" | "onPeerEvent"
  >;
  readonly sync: Pick<ChainProtocol, "syncing">;
  readonly filterLimits?: Partial<FilterLimits>;
  /** Bytes of events that subscribers have not been notified of. */
  readonly maxQueuedEvents?: DeliveriesOptions["maxQueued"];
}

/** The sealed registry of a node. */
export function createNodeRegistry(parts: NodeParts): Registry {
  const registry = createRegistry(interfaceProfile(parts.profile));
  registry.add([
    ...adminMethods(parts),
    ...adminChainMethods(parts),
    ...adminListenersMethods(parts),
    ...adminPeersMethods(parts),
    ...adminThrottlerMethods(parts),
    ...chainInfoMethods(parts),
    ...chainStateMethods(parts),
    ...chainAccountMethods(parts),
    ...adminMigrationMethods(parts),
    ...adminNodeMethods(parts),
    ...chainBlockMethods(parts),
    ...chainConsensusMethods(parts),
    ...chainFactsMethods(parts),
    ...chainFeeMethods(parts),
    ...ethConfigMethods(parts),
    ...proofMethods(parts),
    ...supplyMethods(parts),
    ...chainGovernanceMethods(parts),
    ...governanceMethods(parts),
    ...istanbulMethods(parts),
    ...chainTransactionMethods(parts),
    ...chainPlaceMethods(parts),
    ...chainSendingMethods(parts),
    ...chainSigningMethods(parts),
    ...ownTransactionMethods(parts),
    ...logMethods({ ...parts.logs, profile: parts.profile }),
    ...filterMethods(
      new Filters({ ...parts, limits: parts.filterLimits ?? {}, now: () => performance.now() }),
    ),
    ...callMethods(parts.calls),
    ...netMethods(parts),
    ...personalMethods(parts),
    ...txpoolMethods(parts),
    ...debugChainMethods(parts),
    ...debugProcessMethods(parts.process),
    ...debugStateMethods({ ...parts.debug, profile: parts.profile }),
    ...traceMethods({ ...parts.debug, profile: parts.profile }),
    ...traceFileMethods({ ...parts.debug, profile: parts.profile }),
  ]);
  const onBug = (error: unknown): void => parts.log.error({ error }, "notifications failed by a defect");
  const deliveries = new Deliveries({ maxQueued: parts.maxQueuedEvents, onBug });
  registry.addSubscriptions(chainSubscriptions({ ...parts, deliveries }));
  registry.addSubscriptions(nodeSubscriptions({ ...parts, deliveries }));
  registry.addSubscriptions([traceChainSubscription(parts)]);
  registry.seal();
  return registry;
}
