/**
 * Where this service's own text and the Go nodes differ, one table holds the difference. `service` answers as the
 * service says; `klaytn` and `kaia` answer as the Go node of that line does.
 */

import { kaiaLine, klaytnLine, type ReadLine } from "./go-lines.ts";

/** The names that `--rpc.profile` takes. */
export type ProfileName = "service" | "klaytn" | "kaia";

/** What differs. No code outside this table asks for a profile's name. */
export interface RpcProfile {
  readonly name: ProfileName;
  /** Whose answers about the chain and its governance are given. */
  readonly line: ReadLine;
  /** Full names of methods that only the service knows. */
  readonly lacks: ReadonlySet<string>;
  /** What `rpc_modules` calls the chain module. */
  readonly chainModule: "chain" | "klay" | "kaia";
  /** The smallest unit in `txpool_inspect`. */
  readonly unit: "peb" | "kei";
  /** Total block score in `admin_nodeInfo` and `admin_peers`. */
  readonly totalScoreKey: "difficulty" | "blockscore";
  /** `config.isBFT` in `admin_nodeInfo`. */
  readonly showsBft: boolean;
  /** Members of the chain's configuration that the line does not know. */
  readonly unknownConfigKeys: readonly string[];
  /** `blsPublicKeyInfo` in `admin_nodeInfo`. */
  readonly showsBlsKey: boolean;
  /** A peer with one connection shows it as `network`, not as a list `networks`. */
  readonly singleNetwork: boolean;
  /** `?discport=` in the node's own URL even when both ports are one. */
  readonly alwaysDiscoveryPort: boolean;
  /** `net_networkID` as a decimal text rather than a number. */
  readonly networkIdAsText: boolean;
  /** Pool entries carry `txHash` next to `hash`. */
  readonly poolEntryTxHash: boolean;
  /** `unlockAccount`, `lockAccount` and the like answer false where the Go nodes give an error or true. */
  readonly failureIsFalse: boolean;
  /** `newAccount` and `sign` may be called without a passphrase. */
  readonly passphraseOptional: boolean;
  /** The word in `\x19<word> Signed Message:\n`. */
  readonly signedMessage: "Klaytn" | "Ethereum";
  /** `getAccount` shows storage root, code hash and code format of plain accounts too. */
  readonly storageInEoa: boolean;
  /** The most gas of a call, which Ethereum's form of a block shows as its limit; the chain has none. */
  readonly shownGasLimit: bigint;
  /** Whose wallet keys an import takes, in the text that refuses others. */
  readonly keyOwner: "Klaytn" | "Kaia";
  /** `deriveAccount` answers with an address rather than with address and URL. */
  readonly derivedAccountIsAddress: boolean;
  /** A USB wallet's URL is refused in words of its own, not as an unknown wallet. */
  readonly tellsOfUsb: boolean;
  /** `net_listening` is true whatever the node does. */
  readonly alwaysListening: boolean;
  /** A value transfer to an account with code is refused with this. */
  readonly recipientWithCode: string;
  /** A contract execution whose recipient has no code is refused with this. */
  readonly recipientWithoutCode: string;
  /** What `ecRecover` says of a V that is neither 27 nor 28. */
  readonly badRecoveryId: string;
  /** Too many subscriptions on one connection; `%d` is the limit. */
  readonly subscriptionLimit: string;
  /** Modules that an HTTP or WebSocket listener serves when none are named at start. */
  readonly defaultModules: readonly string[];
  /** The same for listeners started by `admin_startHTTP` and `admin_startWS`; empty is everything public. */
  readonly startedHttpModules: readonly string[];
  readonly startedWsModules: readonly string[];
  /** `admin_startHTTP` and the like fall back on the node's own settings, not on fixed ones. */
  readonly startsAsConfigured: boolean;
  /** Connections that outlive their listener get empty answers; else they are closed. */
  readonly keepsStopped: boolean;
  /** `newPendingTransactions` may be asked for whole transactions, which it refuses. */
  readonly pendingTakesFull: boolean;
  /** `admin_setMaxSubscriptionPerWSConn` refuses negative limits. */
  readonly checksSubscriptionLimit: boolean;
  /** `debug_traceCall` charges a call without a price at the base fee, which its sender must have. */
  readonly traceCallPays: boolean;
  /** Call trees have the members, order and gas of the older line. */
  readonly olderTraces: boolean;
  /** Traces of whole blocks of the chain take tracers that callers write; those of other blocks and ranges do. */
  readonly tracesBlocksWithPrograms: boolean;
  /** What tracers say, by their names, of a transaction that runs no code; a trace when left out. */
  readonly framelessTraces: Readonly<Record<string, string>>;
  /**
   * The sender's balance in `prestateTracer`: as it was, with what a fee payer paid (`lent`), or without what the
   * sender paid (`spent`).
   */
  readonly prestateFee: "right" | "lent" | "spent";
  /** A default trace shows that an opcode failed, not why. */
  readonly hidesStepErrors: boolean;
  /** `debug_dumpStateTrie` has a row for the storage of accounts without any. */
  readonly listsEmptyStorage: boolean;
  /** Gas can be paid in tokens, and two methods of `debug` tell of it. */
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
    line: { ...kaiaLine, protocolVersion: klaytnLine.protocolVersion }, // which is what the node speaks
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
    shownGasLimit: 500_000_000n,
    keyOwner: "Klaytn",
    derivedAccountIsAddress: true,
    tellsOfUsb: true,
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
    shownGasLimit: 999_999_999_999n,
    keyOwner: "Klaytn",
    derivedAccountIsAddress: false,
    tellsOfUsb: false,
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
    shownGasLimit: 500_000_000n,
    keyOwner: "Kaia",
    derivedAccountIsAddress: false,
    tellsOfUsb: false,
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
