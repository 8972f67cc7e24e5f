/**
 * A node's options: the checked values of flags, grouped by subject. No other part of a node reads flags, settings
 * files or the environment.
 */
import type { AccountReference } from "./flags-kinds.ts";
import type { MemoryPlan } from "./memory-plan.ts";
import type { NodePaths } from "./options-paths.ts";

/** Options of a node. A service that is off is `undefined`. */
export interface NodeOptions {
  readonly type: "core" | "proxy" | "endpoint";
  readonly identity: string;
  /** `undefined` for the chain id. */
  readonly networkId: number | undefined;
  /** The public network that the chain must belong to. */
  readonly publicNetwork: "mainnet" | "kairos" | undefined;
  readonly paths: NodePaths;
  /** The node's private key of `--nodekeyhex`; otherwise the key is in `paths.nodeKey`. */
  readonly nodeKey: Uint8Array | undefined;
  readonly blsKey: BlsKeyFlags;
  readonly network: NetworkFlags;
  readonly rpc: RpcFlags;
  readonly http: HttpFlags | undefined;
  readonly ws: WsFlags | undefined;
  readonly ipc: { readonly path: string } | undefined;
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  readonly pool: PoolFlags;
  readonly state: StateFlags;
  readonly disk: DiskFlags;
  readonly memory: MemoryPlan;
  readonly consensus: ConsensusFlags;
  readonly accounts: AccountFlags;
  readonly log: {
    readonly level: "silent" | "error" | "warn" | "info" | "debug";
    readonly format: "terminal" | "logfmt" | "json";
  };
  /** A log file in addition to the standard streams. */
  readonly logFile: LogFileFlags | undefined;
  /** `undefined` unless the chain is a development chain. */
  readonly development: DevelopmentFlags | undefined;
}

/** The node's BLS key: the key itself (`given`) or its file (`named`); otherwise `paths.blsNodeKey` if it exists. */
export interface BlsKeyFlags {
  readonly given: Uint8Array | undefined;
  readonly named: string | undefined;
}

/** The log file. */
export interface LogFileFlags {
  readonly path: string;
  /** `undefined` for no rotation. */
  readonly rotation:
    | {
        readonly maxBytes: number;
        /** Number of rotated files; 0 for all. */
        readonly maxFiles: number;
        /** Age at which rotated files are deleted; 0 for never. */
        readonly maxAgeMs: number;
        readonly compress: boolean;
      }
    | undefined;
}

/** Peers. */
export interface NetworkFlags extends DiscoveryFlags {
  /** Interval between resends of pending transactions. */
  readonly resendMs: number;
  /** Takes part in node discovery. */
  readonly discovers: boolean;
  /** Listening port; `undefined` for outbound connections only. */
  readonly port: number | undefined;
  /** Port of separate connections for transactions; `undefined` for one connection per peer. */
  readonly subPort: number | undefined;
  readonly maxPeers: number;
  /** Maximum number of concurrent handshakes. */
  readonly maxPendingPeers: number;
}

/** Node discovery, of nodes and boot nodes. */
export interface DiscoveryFlags {
  /** Node URLs, not parsed. */
  readonly bootNodes: readonly string[];
  /** Networks such as `10.0.0.0/8`; `undefined` for all. */
  readonly netRestrict: readonly string[] | undefined;
  /** Configured external address. */
  readonly externalIp: string | undefined;
}

/** Options of a boot node. */
export interface BootNodeOptions extends DiscoveryFlags {
  /** The private key of `--nodekeyhex`; otherwise the key is in `nodeKeyPath`. */
  readonly nodeKey: Uint8Array | undefined;
  /** Absolute path. */
  readonly nodeKeyPath: string;
  readonly networkId: number;
  readonly listen: { readonly host: string | undefined; readonly port: number };
  /** Node URLs, not parsed. */
  readonly authorizedNodes: readonly string[];
  readonly log: NodeOptions["log"];
}

/** JSON-RPC over any transport. */
export interface RpcFlags {
  readonly profile: "service" | "klaytn" | "kaia";
  readonly maxRequestBytes: number;
  /** Maximum number of logs in a response; 0 for no limit. */
  readonly maxLogs: number;
  readonly logsDeadlineMs: number;
  /** Gas cap of calls; 0 for no cap. */
  readonly gasCap: number;
  /** Fee cap in KAIA; 0 for no cap. */
  readonly ethFeeCap: number;
  readonly evmTimeoutMs: number;
  /** Maximum length of the response to one message, in characters. */
  readonly maxAnswerBytes: number;
  /** Serves methods that write files, use keys or control listeners over IPC only. */
  readonly privilegesOverIpcOnly: boolean;
  /** Serves the unsafe methods of `debug` over IPC only. */
  readonly unsafeDebugOverIpcOnly: boolean;
  /** Maximum number of concurrent traces over HTTP and WebSocket with `unsafeDebugOverIpcOnly`. */
  readonly maxTraces: number;
  /** Responds to `eth` methods as to the method of the same name in the chain's module. */
  readonly ethAsChain: boolean;
}

/** The HTTP listener. */
export interface HttpFlags {
  readonly host: string;
  readonly port: number;
  /** `undefined` for the modules of the profile. */
  readonly modules: readonly string[] | undefined;
  readonly corsOrigins: readonly string[];
  readonly virtualHosts: readonly string[];
  readonly readTimeoutMs: number;
  readonly writeTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly executionTimeoutMs: number;
}

/** The WebSocket listener. A deadline of 0 means none. */
export interface WsFlags {
  readonly host: string;
  readonly port: number;
  /** `undefined` for the modules of the profile. */
  readonly modules: readonly string[] | undefined;
  readonly origins: readonly string[];
  readonly maxSubscriptions: number;
  readonly maxConnections: number;
  readonly readDeadlineMs: number;
  readonly writeDeadlineMs: number;
}

/** The transaction pool. */
export interface PoolFlags {
  readonly pendingPerAccount: number;
  readonly pendingTotal: number;
  readonly queuedPerAccount: number;
  readonly queuedTotal: number;
  readonly lifetimeMs: number;
  readonly keepLocals: boolean;
  readonly noLocals: boolean;
  /** Path of the journal; `undefined` for none. */
  readonly journal: string | undefined;
  readonly journalIntervalMs: number;
  readonly allowLocalAnchoring: boolean;
  readonly denyRemote: boolean;
  readonly throttleSpam: boolean;
}

/** State and database. */
export interface StateFlags {
  /** Keeps all states; `undefined` for the mode of the database. */
  readonly archive: boolean | undefined;
  /** Deletes old states block by block; excludes a state migration. */
  readonly livePruning: boolean;
  /** Number of recent blocks whose states are kept; `undefined` for that of the database. */
  readonly retention: number | undefined;
  /** Stores addresses and slot keys beside their hashes. */
  readonly preimages: boolean;
  readonly flushInterval: number;
  /** Interval between saves of the trie node cache; 0 for saves on request only. */
  readonly cacheSaveMs: number;
  /** Number of recent blocks whose bodies and receipts are kept; 0 for all. */
  readonly historyBlocks: number;
  /** Keeps an index of sender transaction hashes. */
  readonly senderHashes: boolean;
}

/** The disk of the database. */
export interface DiskFlags {
  /** Free space below which no blocks are written. */
  readonly minBytes: number;
}

/** Block production. */
export interface ConsensusFlags {
  readonly rewardbase: AccountReference | undefined;
  /** Extra data of new blocks; `undefined` for knit's version. */
  readonly extraData: string | undefined;
  readonly intervalMs: number;
  readonly timeLimitMs: number;
  /** Doppelganger protection; `undefined` for none. */
  readonly doppelganger:
    | {
        /** Time to listen before the first signature of a new signing record. */
        readonly listenMs: number;
        /** Id of a found signature that the operator has cleared. */
        readonly clear: string | undefined;
      }
    | undefined;
  /** Number of the block that the chain must have before this validator signs. */
  readonly minHeight: number;
}

/** The keystore. */
export interface AccountFlags {
  readonly lightKdf: boolean;
  /** Version of new key files. */
  readonly keyFileVersion: 3 | 4;
  readonly unlock: readonly AccountReference[];
  /** File with one passphrase per line; the last one applies to all further accounts. */
  readonly passwordFile: string | undefined;
}

/** Funded accounts of a development chain. */
export interface DevelopmentFlags {
  readonly accounts: number;
  /** Balance of each account, in peb. */
  readonly balance: bigint;
}
