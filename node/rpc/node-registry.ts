/** The registry of a node: adds every method and subscription and seals it. */

import type { Accounts } from "../accounts/accounts.ts";
import type { LogFilter } from "../calls/arguments/log-filter.ts";
import type { FeeHistoryDeps } from "../calls/fee-history.ts";
import { type FilterLimits, Filters } from "../calls/filters.ts";
import type { SubmitOptions } from "../calls/submit.ts";
import type { EstimateGas } from "../calls/transaction-draft.ts";
import type { Chain } from "../chain/chain.ts";
import { Deliveries, type DeliveriesOptions } from "../jsonrpc/feed.ts";
import type { CallOrigin, Method } from "../jsonrpc/method.ts";
import type { InterfaceOptions } from "../jsonrpc/modules.ts";
import { createRegistry, type Registry } from "../jsonrpc/registry.ts";
import type { P2p } from "../p2p/p2p.ts";
import type { ReceiptTexts } from "../presenters/receipt-texts.ts";
import type { ChainProtocol } from "../protocol/chain-protocol.ts";
import { systemClock } from "../runtime/clock.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { Sidecars } from "../txpool/sidecars.ts";
import { type AdminDeps, adminMethods } from "./admin.ts";
import { type AdminBackupDeps, adminBackupMethods } from "./admin-backup.ts";
import { type AdminChainDeps, adminChainMethods } from "./admin-chain.ts";
import { type AdminCheckpointDeps, adminCheckpointMethods } from "./admin-checkpoint.ts";
import { type AdminListenersDeps, adminListenersMethods } from "./admin-listeners.ts";
import { type AdminMigrationDeps, adminMigrationMethods } from "./admin-migration.ts";
import { type AdminNodeDeps, adminNodeMethods } from "./admin-node.ts";
import { adminPeersMethods } from "./admin-peers.ts";
import { adminThrottlerMethods } from "./admin-throttler.ts";
import { type AuctionMethodDeps, auctionMethods } from "./auction.ts";
import { type CallMethodDeps, callMethods } from "./calls.ts";
import { chainAccountMethods } from "./chain-accounts.ts";
import { type ChainBlockDeps, chainBlockMethods } from "./chain-blocks.ts";
import { type ChainByIndexDeps, chainByIndexMethods } from "./chain-by-index.ts";
import { chainConsensusMethods } from "./chain-consensus.ts";
import { chainFeeMethods } from "./chain-fees.ts";
import { chainGovernanceMethods } from "./chain-governance.ts";
import { chainInfoMethods } from "./chain-info.ts";
import { type ChainNodeDeps, chainNodeMethods } from "./chain-node.ts";
import { chainSendingMethods, ethSender, type SenderImpersonation } from "./chain-sending.ts";
import { chainSigningMethods } from "./chain-signing.ts";
import { chainStateMethods } from "./chain-state.ts";
import { chainTransactionMethods, type RawListForm } from "./chain-transactions.ts";
import { contractParameterMethods } from "./contract-parameters.ts";
import { type DebugChainDeps, debugChainMethods } from "./debug-chain.ts";
import { type DebugGaslessDeps, debugGaslessMethods } from "./debug-gasless.ts";
import { goRuntimeMethods } from "./debug-go-runtime.ts";
import { type DebugProcessDeps, debugProcessMethods } from "./debug-process.ts";
import { debugStateMethods } from "./debug-state.ts";
import { withAnvilAnswers } from "./dev-answers.ts";
import { type DevBlobDeps, devBlobMethods } from "./dev-blobs.ts";
import { type DevDumpDeps, devDumpMethods } from "./dev-dump.ts";
import { type DevEthDeps, devEthMethods } from "./dev-eth.ts";
import { type DevMiningDeps, devMiningMethods } from "./dev-mining.ts";
import { type DevNextBlockDeps, devNextBlockMethods } from "./dev-next-block.ts";
import { type DevNodeDeps, devNodeMethods } from "./dev-node.ts";
import { type DevReorgDeps, devReorgMethods } from "./dev-reorg.ts";
import { type DevSigningDeps, devSigningMethod } from "./dev-signing.ts";
import { type DevSnapshotDeps, devSnapshotMethods } from "./dev-snapshots.ts";
import { type DevStateDeps, devStateMethods } from "./dev-state.ts";
import { type DevTokenDeps, devTokenMethods } from "./dev-tokens.ts";
import { ethConfigMethods } from "./eth-config.ts";
import { filterMethods } from "./filters.ts";
import { flatTraceMethods } from "./flat-traces.ts";
import { governanceMethods } from "./governance.ts";
import type { GovernanceVoteDeps } from "./governance-votes.ts";
import { istanbulMethods } from "./istanbul.ts";
import { type LogMethodDeps, logMethods } from "./logs.ts";
import { type NetMethodDeps, netMethods } from "./net.ts";
import { nodeSubscriptions } from "./node-subscriptions.ts";
import { type OtterscanDeps, otterscanMethods } from "./otterscan.ts";
import { otterscanTraceMethods } from "./otterscan-traces.ts";
import { type OwnTransactionsDeps, ownTransactionMethods } from "./own-transactions.ts";
import { type PersonalDeps, personalMethods } from "./personal.ts";
import { type ProofMethodDeps, proofMethods } from "./proofs.ts";
import { type RequestLog, requestLogMethods } from "./request-log.ts";
import { simulationMethods } from "./simulation.ts";
import { chainSubscriptions } from "./subscriptions.ts";
import { type SupplyMethodDeps, supplyMethods } from "./supply.ts";
import { type SynchronousSendingDeps, synchronousSendingMethods } from "./synchronous-sending.ts";
import { type TraceChainDeps, traceChainSubscription } from "./trace-chain.ts";
import { traceFileMethods } from "./trace-files.ts";
import { type TraceMethodDeps, traceMethods } from "./traces.ts";
import { type TxPoolMethodDeps, txpoolMethods } from "./txpool.ts";

/** Dependencies of all methods and subscriptions. */
export interface NodeRegistryDeps
  extends AdminDeps,
    AdminChainDeps,
    AdminBackupDeps,
    AdminCheckpointDeps,
    AdminListenersDeps,
    DebugGaslessDeps,
    NetMethodDeps,
    ChainNodeDeps,
    ChainByIndexDeps,
    GovernanceVoteDeps,
    SupplyMethodDeps,
    AdminMigrationDeps,
    AdminNodeDeps,
    ChainBlockDeps,
    TxPoolMethodDeps,
    FeeHistoryDeps,
    PersonalDeps,
    SubmitOptions {
  readonly interfaces: InterfaceOptions;
  readonly impersonation?: SenderImpersonation | undefined;
  readonly rawListForm: RawListForm;
  readonly pendingOf: OwnTransactionsDeps["pendingOf"];
  readonly addressIndex: OtterscanDeps["addressIndex"];
  readonly receiptWait: SynchronousSendingDeps["receiptWait"];
  readonly chain: Chain;
  readonly receiptTexts: ReceiptTexts;
  readonly pool: Pick<
    TxPool,
    | "add"
    | "addWithBlobs"
    | "recover"
    | "get"
    | "wire"
    | "nonce"
    | "content"
    | "status"
    | "onPending"
    | "remove"
    | "throttler"
  >;
  readonly sidecars: Pick<Sidecars, "sidecarAt" | "blob">;
  readonly auction: AuctionMethodDeps["auction"];
  readonly accounts: Accounts;
  readonly logs: LogMethodDeps;
  readonly calls: CallMethodDeps;
  readonly storageOf: ProofMethodDeps["storageOf"];
  readonly proofs: Pick<ProofMethodDeps, "openTrie" | "inlineProofs">;
  readonly traceForm: TraceMethodDeps["traceForm"];
  readonly chargesTracedCalls: boolean;
  readonly debug: Omit<TraceMethodDeps, "traceForm" | "chargesTracedCalls">;
  readonly traceBlock: TraceChainDeps["traceBlock"];
  readonly process: DebugProcessDeps;
  readonly setHead: DebugChainDeps["setHead"];
  readonly estimateGas: EstimateGas;
  /** Searches the matching logs and returns a JSON list. Rejects with `RpcError`. */
  readonly searchLogs: (filter: LogFilter, origin: CallOrigin) => Promise<string>;
  readonly p2p: Pick<
    P2p,
    "self" | "listening" | "peers" | "addPeer" | "removePeer" | "countByType" | "onPeerEvent"
  >;
  readonly sync: Pick<ChainProtocol, "syncing">;
  readonly filterLimits?: Partial<FilterLimits>;
  /** Parts of a development chain that its methods change; undefined for other chains. */
  readonly development?: DevelopmentDeps | undefined;
  /** Maximum size of the events that subscribers have not been notified of, in bytes. */
  readonly maxQueuedEvents?: DeliveriesOptions["maxQueued"];
}

/** Parts of a development chain that its methods change. */
export type DevelopmentDeps = DevMiningDeps &
  DevSnapshotDeps &
  Omit<DevStateDeps, "pool"> &
  Omit<DevNodeDeps, "chain" | "pool" | "blockMembers"> &
  Omit<DevNextBlockDeps, "chain"> &
  Omit<DevReorgDeps, "chain"> &
  DevTokenDeps &
  DevDumpDeps & { readonly requestLog: RequestLog };

/** Creates the sealed registry of a node. */
export function createNodeRegistry(deps: NodeRegistryDeps): Registry {
  const registry = createRegistry(withOpenAuction(deps));
  registry.add([
    ...adminMethods(deps),
    ...adminChainMethods(deps),
    ...adminBackupMethods(deps),
    ...adminCheckpointMethods(deps),
    ...adminListenersMethods(deps),
    ...adminPeersMethods(deps),
    ...adminThrottlerMethods(deps),
    ...chainInfoMethods(deps),
    ...chainStateMethods(deps),
    ...chainAccountMethods(deps),
    ...adminMigrationMethods(deps),
    ...adminNodeMethods(deps),
    ...chainBlockMethods(deps),
    ...chainConsensusMethods(deps),
    ...chainNodeMethods(deps),
    ...chainFeeMethods(deps),
    ...ethConfigMethods(deps),
    ...proofMethods({ ...deps.debug, ...deps.proofs, storageOf: deps.storageOf }),
    ...supplyMethods(deps),
    ...chainGovernanceMethods(deps),
    ...governanceMethods(deps),
    ...contractParameterMethods({
      ...deps.calls,
      ownValues: (number) => deps.governance.contractValues(number),
    }),
    ...istanbulMethods(deps),
    ...chainTransactionMethods(deps),
    ...chainByIndexMethods(deps),
    ...chainSendingMethods(deps),
    ...synchronousSendingMethods({ ...deps, send: deps.impersonation && ethSender(deps) }),
    ...chainSigningMethods(deps),
    ...ownTransactionMethods(deps),
    ...logMethods(deps.logs),
    ...filterMethods(new Filters({ ...deps, limits: deps.filterLimits ?? {}, now: () => performance.now() })),
    ...callMethods(deps.calls),
    ...simulationMethods({ ...deps, ...deps.calls }),
    ...netMethods(deps),
    ...personalMethods(deps),
    ...txpoolMethods(deps),
    ...debugChainMethods(deps),
    ...debugGaslessMethods(deps),
    ...debugProcessMethods(deps.process),
    ...goRuntimeMethods(),
    ...auctionMethods(deps),
    ...debugStateMethods({ ...deps, ...deps.debug }),
    ...traceMethods({ ...deps, ...deps.debug }),
    ...traceFileMethods({ ...deps, ...deps.debug }),
    ...flatTraceMethods(deps.debug),
    ...otterscanTraceMethods(deps.debug),
    ...otterscanMethods(deps),
    ...(deps.development === undefined ? [] : developmentMethods({ ...deps, ...deps.development })),
  ]);
  const onBug = (error: unknown): void =>
    deps.log.error({ error }, "notification failed by an internal error");
  const deliveries = new Deliveries({ maxQueued: deps.maxQueuedEvents, onBug });
  registry.addSubscriptions(chainSubscriptions({ ...deps, deliveries, clock: systemClock }));
  registry.addSubscriptions(nodeSubscriptions({ ...deps, deliveries }));
  registry.addSubscriptions([traceChainSubscription(deps)]);
  registry.seal();
  return registry;
}

/** A node that takes no bids does not list the module (`SetupKaiaxModules` in `node/cn/backend.go@v2.2.2`). */
function withOpenAuction({
  interfaces,
  auction,
}: Pick<NodeRegistryDeps, "interfaces" | "auction">): InterfaceOptions {
  if (auction !== undefined) return interfaces;
  const { auction: _, ...listed } = interfaces.listed;
  return { ...interfaces, listed };
}

function developmentMethods(
  deps: DevelopmentDeps &
    DevStateDeps &
    DevNodeDeps &
    DevNextBlockDeps &
    DevReorgDeps &
    DevBlobDeps &
    DevEthDeps &
    DevSigningDeps,
): Method[] {
  const rows = [
    ...devMiningMethods(deps),
    ...devSnapshotMethods(deps),
    ...devStateMethods(deps),
    ...devNodeMethods(deps),
    ...devNextBlockMethods(deps),
    ...devReorgMethods(deps),
    ...devTokenMethods(deps),
    ...devEthMethods(deps),
    ...devBlobMethods(deps),
    ...devDumpMethods(deps),
    devSigningMethod(deps),
    ...requestLogMethods(deps.requestLog),
  ];
  return rows.flatMap(withAnvilAnswers);
}
