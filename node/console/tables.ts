/**
 * The console's names: a row is a method with the formatters of its parameters and of its answer, or a
 * property. Every other method of the node goes under its own name with as many parameters as it takes.
 */
import type { InputName, OutputName } from "./formats.ts";

/** A method: its name, its RPC method when that differs, and formatters. */
export interface MethodRow {
  readonly name: string;
  readonly call?: string | ByShape;
  /** Formatters separated by spaces, `-` for none; or the number of parameters. */
  readonly inputs?: string | number;
  readonly output?: OutputName;
}

/** Two methods: one for a hash as the first parameter, one for other values. */
export interface ByShape {
  readonly hash: string;
  readonly other: string;
  /** Treats any `0x` text as a hash. */
  readonly anyHex?: boolean;
}

/** A property: its name and its RPC method when that differs. */
export interface PropertyRow {
  readonly name: string;
  readonly call?: string;
  readonly output?: OutputName;
}

/** Methods and properties of one module. */
export interface ModuleTable {
  readonly methods: readonly MethodRow[];
  readonly properties: readonly PropertyRow[];
}

/** Returns the formatters of a row. */
export function inputNames(inputs: string): readonly (InputName | null)[] {
  return inputs === "" ? [] : inputs.split(" ").map((name) => (name === "-" ? null : (name as InputName)));
}

const row = (
  name: string,
  inputs?: string | number,
  output?: OutputName,
  call?: MethodRow["call"],
): MethodRow => ({
  name,
  ...(inputs !== undefined && { inputs }),
  ...(output !== undefined && { output }),
  ...(call !== undefined && { call }),
});

const property = (name: string, output?: OutputName, call?: string): PropertyRow => ({
  name,
  ...(output !== undefined && { output }),
  ...(call !== undefined && { call }),
});

/** Methods that `chain` (klay, kaia) and `eth` share. */
const STATE_ROWS: readonly MethodRow[] = [
  row("getBalance", "address defaultBlock", "bigNumber"),
  row("getStorageAt", "- hex defaultBlock"),
  row("getCode", "address defaultBlock"),
  row("getTransaction", 1, "transaction", "getTransactionByHash"),
  row("getTransactionReceipt", 1, "receipt"),
  row("getTransactionCount", "- defaultBlock", "decimal"),
  row("sendRawTransaction", "-"),
  row("sendTransaction", "transaction"),
  row("signTransaction", "transaction"),
  row("submitTransaction", "transaction"),
  row("resend", "transaction decimal decimal"),
  row("sign", "address -"),
  row("call", "call defaultBlock"),
  row("getHeaderByNumber", "block"),
  row("getHeaderByHash", 1),
  row("getBlockReceipts", 1, "receipts"),
  row("getRawTransaction", 1, undefined, "getRawTransactionByHash"),
  row("getRawTransactionFromBlock", "block hex", undefined, {
    hash: "getRawTransactionByBlockHashAndIndex",
    other: "getRawTransactionByBlockNumberAndIndex",
    anyHex: true,
  }),
  row("getProof", "address - block"),
  row("createAccessList", "call block"),
  row("feeHistory", "- block -"),
  row("getFilterChanges", 1),
  row("getFilterLogs", 1),
  row("getLogs", 1),
  row("newBlockFilter", 0),
  row("newFilter", 1),
  row("newPendingTransactionFilter", 0),
  row("uninstallFilter", 1),
];

const STATE_PROPERTIES: readonly PropertyRow[] = [
  property("syncing", "syncing"),
  property("accounts"),
  property("blockNumber", "decimal"),
  property("protocolVersion"),
  property("gasPrice", "bigNumber"),
  property("maxPriorityFeePerGas", "bigNumber"),
  property("pendingTransactions", "pending"),
];

/** Rows of blocks and their contents, by hash or number; with `anyHex` any `0x` text is a hash. */
function blockRows(anyHex: boolean): readonly MethodRow[] {
  const either = (hash: string, other: string): ByShape => ({ hash, other, anyHex });
  return [
    row("getBlock", "block flag", "block", either("getBlockByHash", "getBlockByNumber")),
    row(
      "getBlockTransactionCount",
      "block",
      "decimal",
      either("getBlockTransactionCountByHash", "getBlockTransactionCountByNumber"),
    ),
    row(
      "getTransactionFromBlock",
      "block hex",
      "transaction",
      either("getTransactionByBlockHashAndIndex", "getTransactionByBlockNumberAndIndex"),
    ),
  ];
}

const either = (hash: string, other: string): ByShape => ({ hash, other });

const CHAIN: ModuleTable = {
  methods: [
    ...STATE_ROWS,
    ...blockRows(false),
    row("getHeader", "block", undefined, either("getHeaderByHash", "getHeaderByNumber")),
    row(
      "getBlockWithConsensusInfo",
      "block",
      undefined,
      either("getBlockWithConsensusInfoByHash", "getBlockWithConsensusInfoByNumber"),
    ),
    row("getBlockWithConsensusInfoRange", "block block", undefined, "getBlockWithConsensusInfoByNumberRange"),
    row("estimateGas", "call", "decimal"),
    row("estimateComputationCost", "call defaultBlock"),
    row("clientVersion", 0),
    row("signTransactionAsFeePayer", "transaction"),
    row("sendTransactionAsFeePayer", "transaction"),
    ...[
      "getCouncil",
      "getCouncilSize",
      "getCommittee",
      "getCommitteeSize",
      "getRewards",
      "getStakingInfo",
      "getParams",
      "getChainConfig",
      "getBlsInfos",
      "forkStatus",
    ].map((name) => row(name, "block")),
    ...["accountCreated", "getAccount", "getAccountKey", "isContractAccount"].map((name) =>
      row(name, "address defaultBlock"),
    ),
    row("getActiveAddressFromRegistry", "- block"),
    row("getAllRecordsFromRegistry", "- block"),
    row("getTotalSupply", "block flag"),
    row("sha3", "hex"),
    row("sendRawTransactions", "-"),
  ],
  properties: [
    ...STATE_PROPERTIES,
    property("chainID", "bigNumber"),
    property("chainId", "bigNumber"),
    property("upperBoundGasPrice", "bigNumber"),
    property("lowerBoundGasPrice", "bigNumber"),
    property("nodeAddress"),
    property("rewardbase"),
  ],
};

const ETH: ModuleTable = {
  methods: [
    ...STATE_ROWS,
    ...blockRows(true),
    row("chainId", 0),
    row("estimateGas", "call block -", "decimal"),
    row("fillTransaction", "transaction"),
    row("getBlockByNumber", "block flag"),
    row("getBlockByHash", "- flag"),
    row("config", 0),
    row("blobBaseFee", 0),
  ],
  properties: STATE_PROPERTIES,
};

/** Tables by the name of the module in `rpc_modules`. */
export const moduleTables: Readonly<Record<string, ModuleTable>> = {
  chain: CHAIN,
  klay: CHAIN,
  kaia: CHAIN,
  eth: ETH,
  admin: {
    methods: [
      row("exportChain", "- block block"),
      row("startHTTP", "- - - - -"),
      row("startRPC", "- - - - -"),
      row("startWS", "- - - -"),
      row("startSpamThrottler", "-"),
    ],
    properties: [
      property("nodeInfo"),
      property("peers"),
      property("datadir"),
      property("stateMigrationStatus"),
      property("spamThrottlerConfig"),
      property("nodeConfig"),
    ],
  },
  personal: {
    methods: [
      row("newAccount", "-"),
      row("sign", "- address -"),
      row("ecRecover", 2),
      row("unlockAccount", "address - -"),
      row("lockAccount", "address"),
      row("openWallet", 2),
      row("deriveAccount", 3),
      ...["sendTransaction", "sendValueTransfer", "sendAccountUpdate", "signTransaction"].map((name) =>
        row(name, "transaction -"),
      ),
    ],
    properties: [property("listAccounts"), property("listWallets")],
  },
  net: {
    methods: [row("peerCountByType", 0)],
    properties: [
      property("listening"),
      property("peerCount", "decimal"),
      property("version"),
      property("networkID"),
    ],
  },
  rpc: { methods: [], properties: [property("modules")] },
  txpool: {
    methods: [],
    properties: [property("content"), property("inspect"), property("status", "poolStatus")],
  },
  debug: {
    methods: [
      row("setHead", "block"),
      row("traceBlockByNumber", "block -"),
      row("traceBlockByNumberRange", "block block -"),
      row("startContractWarmUp", "address -"),
    ],
    properties: [],
  },
  governance: {
    methods: [
      row("getParams", "block"),
      row("getContractParams", "block address"),
      row("getStakingInfo", "block"),
      row("getRewardsAccumulated", "block block"),
    ],
    properties: ["myVotes", "nodeAddress", "pendingChanges", "votes", "idxCache", "status"].map((name) =>
      property(name),
    ),
  },
  istanbul: { methods: [], properties: [property("candidates")] },
};
