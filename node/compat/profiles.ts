/**
 * Profiles of JSON-RPC, one row each: `service` is this service's own text, `klaytn` and `kaia` answer as the
 * Go node of that line does. A row holds what wraps methods (`interfaces`) and what parts of the node are given
 * as options of their own (`options` and the rest). Nothing but the composition root reads a row.
 */
import { MAX_UINT64 } from "../bytes/integer.ts";
import type { InterfaceOptions } from "../jsonrpc/modules.ts";
import type { ListenerDefaults } from "../rpc/admin-listeners.ts";
import type { NodeRegistryDeps } from "../rpc/node-registry.ts";
import type { TraceMethodDeps } from "../rpc/traces.ts";
import type { ListenerKind, ListenerPlan } from "../transport/listeners.ts";
import { DEFAULT_POOL_OPTIONS } from "../txpool/options.ts";
import { type AdapterRow, adaptWith } from "./adapters.ts";
import { goRows } from "./go.ts";
import { kaiaRows } from "./kaia.ts";
import { klaytnRows, withoutNewTags } from "./klaytn.ts";
import { klaytnCallTrace } from "./klaytn-call-trace.ts";
import { type NodeSettings, nodeConfigJson } from "./node-config.ts";
import { serviceRows } from "./service.ts";

/** Values of `--rpc.profile`. */
export type ProfileName = "service" | "klaytn" | "kaia";

/** Options of the methods that a profile sets. */
export type RpcOptions = Pick<
  NodeRegistryDeps,
  | "interfaces"
  | "blockMembers"
  | "receiptForm"
  | "poolForm"
  | "feeHistoryForm"
  | "stakingForm"
  | "firstStakingIsNull"
  | "reportedParameters"
  | "knowsNextCouncil"
  | "councilForm"
  | "messagePrefix"
  | "pendingOf"
  | "rawListForm"
  | "importedText"
  | "showsBlsKey"
  | "keepsRefusedSync"
  | "storageOf"
  | "refusesAbsentBlocks"
> &
  Pick<TraceMethodDeps, "traceForm" | "chargesTracedCalls">;

/** One profile. */
export interface RpcProfile {
  /** Differences that wrap methods, in their order. */
  readonly rows: readonly AdapterRow[];
  readonly options: RpcOptions;
  /** The error of a reverted call names Solidity's own panics. */
  readonly readsPanics: boolean;
  /** Errors about too many logs do not name the range that would do. */
  readonly goLogErrors: boolean;
  /** Highest gas limit of a transaction that the pool accepts (`params/config.go@v2.2.2`). */
  readonly maxGas: bigint;
  /** `createAccessList` fails before the base fee fork. */
  readonly accessListsNeedBaseFee: boolean;
  /** `state` of a state override changes no slot (`blockchain/state/state_object.go@v2.2.2`, `fakeStorage`). */
  readonly ignoresWholeStorage: boolean;
  /** Default modules of an HTTP or WebSocket listener. */
  readonly defaultModules: readonly string[];
  /** Returns what a start of a listener leaves out, by the node's own listeners. */
  readonly listenerDefaults: (
    configured: Readonly<Record<ListenerKind, Partial<ListenerPlan>>>,
  ) => ListenerDefaults;
  /** Connections of a stopped listener get empty answers; otherwise they are closed. */
  readonly keepsStopped: boolean;
  /** Returns the node's configuration in the structure of the Go node's. */
  readonly nodeConfig: (settings: NodeSettings) => object;
}

const GO_SUBSCRIPTION_LIMIT =
  "Maximum %d subscriptions are allowed for a websocket connection. " +
  "The limit can be updated with 'admin_setMaxSubscriptionPerWSConn' API";

/** Methods of older versions of the Go node alone. Those that no Go node has are served in every profile. */
const KLAYTN_ALONE = [
  "governance_getChainConfig",
  "governance_showTally",
  "governance_totalVotingPower",
  "governance_myVotingPower",
  "governance_pendingChanges",
  "governance_idxCacheFromDb",
  "governance_itemCacheFromDb",
  "istanbul_getDemoteValidators",
  "istanbul_getSnapshot",
  "istanbul_getSnapshotAtHash",
];
/** Own name of `admin_saveTrieNodeCacheToDisk`, which transcripts of the Go node ask for in vain. */
const NEVER_IN_GO = "admin_saveTrieNodeToDisk";
/** Methods that came with version 2 of the Go node. */
const KAIA_ALONE = [
  "auction_call",
  "auction_submitBid",
  "chain_getTotalSupply",
  "chain_isConsoleLogEnabled",
  "chain_sendRawTransactions",
  "debug_gaslessInfo",
  "debug_isGaslessTx",
  "eth_blobBaseFee",
  "eth_config",
  "eth_getBlobSidecarByTxHash",
  "eth_getBlobSidecars",
  "governance_getContractParams",
  "governance_status",
  "istanbul_getDemotedValidators",
];

const SHARED_MODULES = {
  admin: "admin",
  debug: "debug",
  net: "net",
  personal: "personal",
  rpc: "rpc",
  txpool: "txpool",
  web3: "web3",
};
const GO_MODULES = { ...SHARED_MODULES, eth: "eth", governance: "governance", istanbul: "istanbul" };

const serviceProfile: RpcProfile = {
  rows: serviceRows,
  options: {
    interfaces: {
      listed: {
        ...SHARED_MODULES,
        chain: "chain",
        erigon: "erigon",
        miner: "miner",
        ots: "ots",
        trace: "trace",
      },
      subscriptionLimit: "Maximum %d subscriptions are allowed for a WebSocket connection",
      lacks: new Set(KLAYTN_ALONE),
      lacksModules: new Set(),
      adaptMethod: adaptWith(serviceRows),
      adaptSubscription: (row) => row,
    },
    blockMembers: { totalScore: false, gasLimit: 500_000_000n, miner: "author", headerBytes: 592 },
    receiptForm: { contractAddress: "without-recipient", gasPrice: "paid" },
    poolForm: { txHash: true, unit: "peb" },
    feeHistoryForm: { blobFees: true, countsPending: false, rewards: "tips", fullBlock: "base-fee-limit" },
    stakingForm: "with-pools",
    firstStakingIsNull: false,
    reportedParameters: "effective",
    knowsNextCouncil: true,
    councilForm: "sets",
    messagePrefix: "Klaytn",
    pendingOf: "accounts",
    rawListForm: "any",
    importedText: "strict",
    showsBlsKey: false,
    keepsRefusedSync: false,
    storageOf: "accounts",
    refusesAbsentBlocks: false,
    chargesTracedCalls: false,
    traceForm: {
      framelessErrors: {},
      framelessPrograms: true,
      prestateFee: "right",
      hidesStepErrors: false,
    },
  },
  readsPanics: true,
  goLogErrors: false,
  maxGas: DEFAULT_POOL_OPTIONS.maxGas,
  accessListsNeedBaseFee: false,
  ignoresWholeStorage: false,
  defaultModules: ["chain", "net", "rpc"],
  listenerDefaults: ({ http, ws }) => ({
    http: { modules: ["chain", "net", "rpc"], ...virtualHostsOf(http) },
    ws: { modules: ["chain", "net", "personal"], ...virtualHostsOf(ws) },
  }),
  keepsStopped: false,
  nodeConfig: (settings) => nodeConfigJson(settings, "kaia"),
};

function virtualHostsOf({ virtualHosts }: Partial<ListenerPlan>): Partial<ListenerPlan> {
  return virtualHosts === undefined ? {} : { virtualHosts };
}

const allKlaytnRows = [...goRows, ...klaytnRows];
const klaytnModules = ["net", "web3", "klay", "eth"];

const klaytnProfile: RpcProfile = {
  rows: allKlaytnRows,
  options: {
    interfaces: {
      listed: { ...GO_MODULES, chain: "klay" },
      subscriptionLimit: GO_SUBSCRIPTION_LIMIT,
      lacks: new Set([...KAIA_ALONE, NEVER_IN_GO]),
      lacksModules: new Set(["kaia"]),
      adaptMethod: klaytnMethods(),
      adaptSubscription: (row) => (row.name === "newPendingTransactions" ? row.withParams({}) : row),
    },
    blockMembers: { totalScore: true, gasLimit: 999_999_999_999n, miner: "author", headerBytes: 576 },
    receiptForm: { contractAddress: "deployments", gasPrice: "fee-cap" },
    poolForm: { txHash: false, unit: "peb" },
    feeHistoryForm: {
      blobFees: false,
      countsPending: true,
      rewards: "prices",
      fullBlock: "displayed-limit",
    },
    stakingForm: "without-pools",
    firstStakingIsNull: false,
    reportedParameters: "stored",
    knowsNextCouncil: false,
    councilForm: "lists",
    messagePrefix: "Klaytn",
    pendingOf: "accounts",
    rawListForm: "ethereum",
    importedText: "lenient",
    showsBlsKey: true,
    keepsRefusedSync: false,
    storageOf: "contracts",
    refusesAbsentBlocks: true,
    chargesTracedCalls: false,
    traceForm: {
      formatCall: klaytnCallTrace,
      framelessErrors: {
        prestateTracer:
          "TypeError: cannot read property '0x' of null    in server-side tracer function 'result'",
        "4byteTracer":
          "TypeError: cannot read property 'length' of undefined    in server-side tracer function 'result'",
      },
      framelessPrograms: false,
      prestateFee: "spent",
      hidesStepErrors: true,
    },
  },
  readsPanics: false,
  goLogErrors: true,
  maxGas: MAX_UINT64, // Klaytn 1.12 has no limit
  accessListsNeedBaseFee: true,
  ignoresWholeStorage: true,
  defaultModules: klaytnModules,
  listenerDefaults: goListenerDefaults(klaytnModules),
  keepsStopped: true,
  nodeConfig: (settings) => nodeConfigJson(settings, "klaytn"),
};

function klaytnMethods(): InterfaceOptions["adaptMethod"] {
  const adapt = adaptWith(allKlaytnRows);
  return (row) => withoutNewTags(adapt(row));
}

/** Starts of the Go node take what they leave out from the node's options; no modules are all public ones. */
function goListenerDefaults(modules: readonly string[]): RpcProfile["listenerDefaults"] {
  return ({ http, ws }) => ({
    http: { ...http, modules: [] },
    ws: { ...ws, modules: ws.modules ?? modules },
  });
}

const allKaiaRows = [...goRows, ...kaiaRows];
const kaiaModules = ["net", "web3", "kaia", "eth"];

const kaiaProfile: RpcProfile = {
  rows: allKaiaRows,
  options: {
    ...serviceProfile.options,
    interfaces: {
      listed: { ...GO_MODULES, auction: "auction", chain: "kaia" },
      subscriptionLimit: GO_SUBSCRIPTION_LIMIT,
      lacks: new Set([...KLAYTN_ALONE, NEVER_IN_GO]),
      lacksModules: new Set(),
      adaptMethod: adaptWith(allKaiaRows),
      adaptSubscription: (row) => row,
    },
    poolForm: { txHash: false, unit: "kei" },
    firstStakingIsNull: true,
    messagePrefix: "Ethereum",
    rawListForm: "ethereum",
    importedText: "lenient",
    showsBlsKey: true,
    keepsRefusedSync: true,
    chargesTracedCalls: true,
    traceForm: {
      framelessErrors: {},
      framelessPrograms: true,
      prestateFee: "lent",
      hidesStepErrors: true,
    },
  },
  readsPanics: true,
  goLogErrors: true,
  maxGas: DEFAULT_POOL_OPTIONS.maxGas,
  accessListsNeedBaseFee: true,
  ignoresWholeStorage: true,
  defaultModules: kaiaModules,
  listenerDefaults: goListenerDefaults(kaiaModules),
  keepsStopped: true,
  nodeConfig: (settings) => nodeConfigJson(settings, "kaia"),
};

/** One row per profile. */
export const rpcProfiles: Readonly<Record<ProfileName, RpcProfile>> = {
  service: serviceProfile,
  klaytn: klaytnProfile,
  kaia: kaiaProfile,
};
