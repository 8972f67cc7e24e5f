/**
 * A node's options: the flags' values grouped by who needs them, checked once. Behind this nobody looks at
 * flags, files or the environment again.
 */
import type { AccountReference } from "./flags-kinds.ts";
import type { MemoryPlan } from "./memory-plan.ts";
import type { NodePaths } from "./options-paths.ts";

/** What a node is opened with. A part that is not served is `undefined`. */
export interface NodeOptions {
  readonly type: "core" | "proxy" | "endpoint";
  readonly identity: string;
  /** `undefined`: the chain's id. */
  readonly networkId: number | undefined;
  /** The public network whose chain this has to be. */
  readonly publicNetwork: "mainnet" | "kairos" | undefined;
  readonly paths: NodePaths;
  /** The node's private key when it was given as text; otherwise it is in `paths.nodeKey`. */
  readonly nodeKey: Uint8Array | undefined;
  readonly blsKey: BlsKeyFlags;
  readonly network: NetworkFlags;
  readonly rpc: RpcOptions;
  readonly http: HttpOptions | undefined;
  readonly ws: WsOptions | undefined;
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
  /** A file that takes every line too. */
  readonly logFile: LogFileFlags | undefined;
  /** Set for a development chain. */
  readonly development: DevelopmentFlags | undefined;
}

/** The node's BLS key: given as text, or in a file that was named; otherwise in `paths.blsNodeKey` if that is there. */
export interface BlsKeyFlags {
  readonly given: Uint8Array | undefined;
  readonly named: string | undefined;
}

/** A file that takes what is logged. */
export interface LogFileFlags {
  readonly path: string;
  /** `undefined`: it only grows. */
  readonly rotation:
    | {
        readonly maxBytes: number;
        /** 0: all. */
        readonly maxFiles: number;
        /** 0: never. */
        readonly maxAgeMs: number;
        readonly compress: boolean;
      }
    | undefined;
}

/** Other nodes. */
export interface NetworkFlags extends MeetingFlags {
  /** How often pending transactions are sent to peers again. */
  readonly resendMs: number;
  /** Find other nodes, and be found. */
  readonly discovers: boolean;
  /** `undefined`: nobody can connect to this node, which may still connect to others. */
  readonly port: number | undefined;
  /** A second port, where transactions have a connection of their own; `undefined`: one connection a peer. */
  readonly subPort: number | undefined;
  readonly maxPeers: number;
  /** Handshakes at a time. */
  readonly maxPendingPeers: number;
}

/** How nodes find each other. */
export interface MeetingFlags {
  /** Node URLs, not looked at yet. */
  readonly bootNodes: readonly string[];
  /** Networks such as `10.0.0.0/8`; `undefined`: all. */
  readonly netRestrict: readonly string[] | undefined;
  /** The address that others know this node by, when it was given. */
  readonly externalIp: string | undefined;
}

/** What a boot node is opened with. */
export interface BootNodeOptions extends MeetingFlags {
  /** The private key when it was given as text; otherwise it is in `nodeKeyPath`. */
  readonly nodeKey: Uint8Array | undefined;
  /** Absolute. */
  readonly nodeKeyPath: string;
  readonly networkId: number;
  readonly listen: { readonly host: string | undefined; readonly port: number };
  /** Node URLs, not looked at yet. */
  readonly authorised: readonly string[];
  readonly log: NodeOptions["log"];
}

/** What all transports share. */
export interface RpcOptions {
  readonly profile: "service" | "klaytn" | "kaia";
  readonly maxRequestBytes: number;
  /** 0: no limit. */
  readonly maxLogs: number;
  readonly logsDeadlineMs: number;
  /** Gas; 0: no cap. */
  readonly gasCap: number;
  /** KAIA; 0: no cap. */
  readonly ethFeeCap: number;
  readonly evmTimeoutMs: number;
  /** Characters of the answer to one message. */
  readonly maxAnswerBytes: number;
  /** Methods that write files, use keys or control listeners answer over IPC alone. */
  readonly privilegesOverIpcOnly: boolean;
  /** The same for those of `debug` alone. */
  readonly unsafeDebugOverIpcOnly: boolean;
  /** Traces under way at once over HTTP and WebSocket while `unsafeDebugOverIpcOnly` is set. */
  readonly maxTraces: number;
  /** `eth` methods answer as those of the chain's own module with the same name. */
  readonly ethAsChain: boolean;
}

/** The HTTP listener. */
export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** `undefined`: those that the profile names. */
  readonly modules: readonly string[] | undefined;
  readonly corsOrigins: readonly string[];
  readonly virtualHosts: readonly string[];
  readonly readTimeoutMs: number;
  readonly writeTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly executionTimeoutMs: number;
}

/** The WebSocket listener. Deadlines of 0 are none. */
export interface WsOptions {
  readonly host: string;
  readonly port: number;
  /** `undefined`: those that the profile names. */
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
  /** A name inside the instance directory or a path of its own; `undefined`: no journal. */
  readonly journal: string | undefined;
  readonly journalIntervalMs: number;
  readonly allowLocalAnchoring: boolean;
  readonly denyRemote: boolean;
  readonly throttleSpam: boolean;
}

/** State and database. */
export interface StateFlags {
  /** Keep all states; `undefined`: as the database was opened before. */
  readonly archive: boolean | undefined;
  /** Old states are let go block by block, and a migration is refused. */
  readonly livePruning: boolean;
  /** Recent blocks whose states can be read; `undefined`: as the database was opened before. */
  readonly retention: number | undefined;
  /** Keep addresses and slot keys beside their hashes. */
  readonly preimages: boolean;
  readonly flushInterval: number;
  /** How often they are saved for the next start; 0: only when asked. */
  readonly cacheSaveMs: number;
  /** Newest blocks whose bodies and receipts are kept; 0 keeps all. */
  readonly historyBlocks: number;
  /** Keep an index of the hashes that senders know. */
  readonly senderHashes: boolean;
}

/** The disk below the database. */
export interface DiskFlags {
  /** With less than this free no blocks are written. */
  readonly minBytes: number;
}

/** Making blocks. */
export interface ConsensusFlags {
  readonly rewardbase: AccountReference | undefined;
  /** What blocks made here say of themselves; `undefined`: knit's version. */
  readonly extraData: string | undefined;
  readonly intervalMs: number;
  readonly timeLimitMs: number;
}

/** The keystore. */
export interface AccountFlags {
  readonly lightKdf: boolean;
  /** The version of key files that are written. */
  readonly keyFileVersion: 3 | 4;
  readonly unlock: readonly AccountReference[];
  /** A file with a passphrase a line; the last one serves all that remain. */
  readonly passwordFile: string | undefined;
}

/** A development chain's accounts. */
export interface DevelopmentFlags {
  readonly accounts: number;
  /** In peb. */
  readonly balance: bigint;
}
