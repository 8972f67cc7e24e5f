/**
 * Profiles of JSON-RPC, one row each: `service` is this service's own text, `klaytn` and `kaia` answer as the
 * Go node of that line does.
 */

import { type GoLine, kaiaLine, klaytnLine } from "./go-lines.ts";

/** Values of `--rpc.profile`. */
export type ProfileName = "service" | "klaytn" | "kaia";

/** Differences between profiles. No code outside this table depends on the name of a profile. */
export interface RpcProfile {
  readonly name: ProfileName;
  /** The line of the Go node that answers about the chain and its governance follow. */
  readonly line: GoLine;
  /** Methods that only the service has, by full name. */
  readonly lacks: ReadonlySet<string>;
  /** Name of the chain module in `rpc_modules`. */
  readonly chainModule: "chain" | "klay" | "kaia";
  /** Name of the smallest unit in `txpool_inspect`. */
  readonly unit: "peb" | "kei";
  /** Key of the total block score in `admin_nodeInfo` and `admin_peers`. */
  readonly totalScoreKey: "difficulty" | "blockscore";
  /** `admin_nodeInfo` contains `config.isBFT`. */
  readonly showsBft: boolean;
  /** Members of the chain configuration that the line does not have. */
  readonly unknownConfigKeys: readonly string[];
  /** `admin_nodeInfo` contains `blsPublicKeyInfo`. */
  readonly showsBlsKey: boolean;
  /** A peer with one connection has a member `network` instead of a list `networks`. */
  readonly singleNetwork: boolean;
  /** The node's own URL contains `?discport=` even when both ports are equal. */
  readonly alwaysDiscoveryPort: boolean;
  /** `net_networkID` returns decimal text instead of a number. */
  readonly networkIdAsText: boolean;
  /** Pool entries contain `txHash` besides `hash`. */
  readonly poolEntryTxHash: boolean;
  /** `unlockAccount`, `lockAccount` and others return false where the Go nodes return an error or true. */
  readonly failureIsFalse: boolean;
  /** The passphrase of `newAccount` and `sign` is optional. */
  readonly passphraseOptional: boolean;
  /** The word in `\x19<word> Signed Message:\n`. */
  readonly signedMessage: "Klaytn" | "Ethereum";
  /** `getAccount` contains storage root, code hash and code format of accounts without code too. */
  readonly storageInEoa: boolean;
  /** Maximum gas of a call, displayed as the gas limit of Ethereum blocks; the chain itself has none. */
  readonly displayedGasLimit: bigint;
  /** Owner of the wallet keys that an import accepts, in the error text for others. */
  readonly keyOwner: "Klaytn" | "Kaia";
  /** `deriveAccount` returns an address instead of an address and a URL. */
  readonly derivedAccountIsAddress: boolean;
  /** The URL of a USB wallet has its own error text; otherwise it is an unknown wallet. */
  readonly hasUsbText: boolean;
  /** `net_listening` always returns true. */
  readonly alwaysListening: boolean;
  /** Error of a value transfer to an account with code. */
  readonly recipientWithCode: string;
  /** Error of a contract execution whose recipient has no code. */
  readonly recipientWithoutCode: string;
  /** Error of `ecRecover` for a V that is neither 27 nor 28. */
  readonly badRecoveryId: string;
  /** Error of too many subscriptions on one connection; `%d` is the limit. */
  readonly subscriptionLimit: string;
  /** Default modules of an HTTP or WebSocket listener. */
  readonly defaultModules: readonly string[];
  /**
   * Default modules of listeners started by `admin_startHTTP` and `admin_startWS`; an empty list means
   * everything public.
   */
  readonly startedHttpModules: readonly string[];
  readonly startedWsModules: readonly string[];
  /** `admin_startHTTP` and others take their defaults from the node's options, not from fixed values. */
  readonly startsAsConfigured: boolean;
  /** Connections of a stopped listener get empty answers; otherwise they are closed. */
  readonly keepsStopped: boolean;
  /** `newPendingTransactions` accepts the parameter for whole transactions, and refuses true. */
  readonly pendingTakesFull: boolean;
  /** `admin_setMaxSubscriptionPerWSConn` refuses negative limits. */
  readonly checksSubscriptionLimit: boolean;
  /**
   * `debug_traceCall` charges a call without a price at the base fee, so that its sender needs the balance.
   */
  readonly traceCallPays: boolean;
  /** Call traces have the members, order and gas of the older line. */
  readonly olderTraces: boolean;
  /**
   * Traces of whole blocks of the chain accept tracers written by callers; those of other blocks and ranges
   * always do.
   */
  readonly tracesBlocksWithPrograms: boolean;
  /** Answers of tracers, by name, for a transaction that executes no code; other tracers return a trace. */
  readonly framelessTraces: Readonly<Record<string, string>>;
  /**
   * The sender's balance in `prestateTracer`: as it was (`right`), plus the part of the fee that a fee payer
   * paid (`lent`), or minus the fee (`spent`).
   */
  readonly prestateFee: "right" | "lent" | "spent";
  /** A default trace reports that an opcode failed, without the reason. */
  readonly hidesStepErrors: boolean;
  /** `debug_dumpStateTrie` has a row for the storage of accounts without any. */
  readonly listsEmptyStorage: boolean;
  /** Fees can be paid in tokens, and `debug` has two methods about it. */
  readonly hasGasless: boolean;
}

const GO_SUBSCRIPTION_LIMIT =
  "Maximum %d subscriptions are allowed for a websocket connection. " +
  "The limit can be updated with 'admin_setMaxSubscriptionPerWSConn' API";

const SERVICE_ALONE: ReadonlySet<string> = new Set([
  "admin_saveTrieNodeToDisk",
  "admin_saveTrieNodeStatus",
  "admin_stateMigrationLast",
  "admin_stateMigrationRoom",
]);

/** One row per profile. */
export const rpcProfiles: Readonly<Record<ProfileName, RpcProfile>> = {
  service: {
    name: "service",
    line: {
      ...kaiaLine,
      protocolVersion: klaytnLine.protocolVersion, // which is what the node speaks
      firstStakingIsNull: false,
      accessListsNeedBaseFee: false,
    },
    lacks: new Set(),
    chainModule: "chain",
    unit: "peb",
    totalScoreKey: "difficulty",
    showsBft: true,
    unknownConfigKeys: [],
    showsBlsKey: false,
    singleNetwork: true,
    alwaysDiscoveryPort: true,
    networkIdAsText: true,
    poolEntryTxHash: true,
    failureIsFalse: true,
    passphraseOptional: true,
    signedMessage: "Klaytn",
    storageInEoa: true,
    displayedGasLimit: 500_000_000n,
    keyOwner: "Klaytn",
    derivedAccountIsAddress: true,
    hasUsbText: true,
    alwaysListening: false,
    recipientWithCode: "recipient must be an EOA without code",
    recipientWithoutCode: "recipient must be an EOA with code or an SCA",
    badRecoveryId: "invalid signature (V is not 27 or 28)",
    subscriptionLimit: "Maximum %d subscriptions are allowed for a WebSocket connection",
    defaultModules: ["chain", "net", "rpc"],
    startedHttpModules: ["chain", "net", "rpc"],
    startedWsModules: ["chain", "net", "personal"],
    startsAsConfigured: false,
    keepsStopped: false,
    pendingTakesFull: true,
    checksSubscriptionLimit: true,
    traceCallPays: false,
    olderTraces: false,
    tracesBlocksWithPrograms: true,
    framelessTraces: {},
    prestateFee: "right",
    hidesStepErrors: false,
    listsEmptyStorage: true,
    hasGasless: true,
  },
  klaytn: {
    name: "klaytn",
    line: klaytnLine,
    lacks: SERVICE_ALONE,
    chainModule: "klay",
    unit: "peb",
    totalScoreKey: "blockscore",
    showsBft: false,
    unknownConfigKeys: ["kip160ContractAddress"],
    showsBlsKey: true,
    singleNetwork: false,
    alwaysDiscoveryPort: false,
    networkIdAsText: false,
    poolEntryTxHash: false,
    failureIsFalse: false,
    passphraseOptional: false,
    signedMessage: "Klaytn",
    storageInEoa: false,
    displayedGasLimit: 999_999_999_999n,
    keyOwner: "Klaytn",
    derivedAccountIsAddress: false,
    hasUsbText: false,
    alwaysListening: true,
    recipientWithCode: "this type transaction cannot be sent to contract addresses",
    recipientWithoutCode: "not a program account (e.g., an account having code and storage)",
    badRecoveryId: "invalid Klaytn signature (V is not 27 or 28)",
    subscriptionLimit: GO_SUBSCRIPTION_LIMIT,
    defaultModules: ["net", "web3", "klay", "eth"],
    startedHttpModules: [],
    startedWsModules: ["net", "web3", "klay", "eth"],
    startsAsConfigured: true,
    keepsStopped: true,
    pendingTakesFull: false,
    checksSubscriptionLimit: false,
    traceCallPays: false,
    olderTraces: true,
    tracesBlocksWithPrograms: false,
    framelessTraces: {
      prestateTracer:
        "TypeError: cannot read property '0x' of null    in server-side tracer function 'result'",
      "4byteTracer":
        "TypeError: cannot read property 'length' of undefined    in server-side tracer function 'result'",
    },
    prestateFee: "spent",
    hidesStepErrors: true,
    listsEmptyStorage: false,
    hasGasless: false,
  },
  kaia: {
    name: "kaia",
    line: kaiaLine,
    lacks: SERVICE_ALONE,
    chainModule: "kaia",
    unit: "kei",
    totalScoreKey: "blockscore",
    showsBft: false,
    unknownConfigKeys: [],
    showsBlsKey: true,
    singleNetwork: false,
    alwaysDiscoveryPort: false,
    networkIdAsText: false,
    poolEntryTxHash: false,
    failureIsFalse: false,
    passphraseOptional: false,
    signedMessage: "Ethereum",
    storageInEoa: true,
    displayedGasLimit: 500_000_000n,
    keyOwner: "Kaia",
    derivedAccountIsAddress: false,
    hasUsbText: false,
    alwaysListening: true,
    recipientWithCode: "recipient must be an EOA without code",
    recipientWithoutCode: "recipient must be an EOA with code or an SCA",
    badRecoveryId: "invalid signature (V is not 27 or 28)",
    subscriptionLimit: GO_SUBSCRIPTION_LIMIT,
    defaultModules: ["net", "web3", "kaia", "eth"],
    startedHttpModules: [],
    startedWsModules: ["net", "web3", "kaia", "eth"],
    startsAsConfigured: true,
    keepsStopped: true,
    pendingTakesFull: true,
    checksSubscriptionLimit: false,
    traceCallPays: true,
    olderTraces: false,
    tracesBlocksWithPrograms: false,
    framelessTraces: {},
    prestateFee: "lent",
    hidesStepErrors: true,
    listsEmptyStorage: true,
    hasGasless: true,
  },
};
