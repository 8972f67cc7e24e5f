/**
 * The node's configuration as JSON, in the shape of the Go node's `cn.Config` (`node/cn/config.go@v2.2.2`). A
 * member without a setting in Knit has the value that describes Knit, or else the Go node's default.
 */

import type { AuctionOptions } from "../auction/options.ts";
import type { Address } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import { MAX_UINT64 } from "../bytes/integer.ts";
import { jsonInteger } from "../config/exact-json.ts";
import type { GaslessOptions } from "../gasless/options.ts";
import type { ResponseOptions } from "../jsonrpc/options.ts";
import type { PoolOptions } from "../txpool/options.ts";

/** Settings that appear in the configuration. Paths are absolute. */
export interface NodeSettings {
  readonly networkId: number;
  readonly archive: boolean;
  readonly senderHashes: boolean;
  readonly unitPrice: bigint;
  readonly dataDirectory: string;
  readonly instanceDirectory: string;
  readonly journal: string;
  readonly wsEndpoint: string;
  readonly pool: Omit<PoolOptions, "maxSize" | "maxGas">;
  readonly rpc: Pick<ResponseOptions, "unsafeDebugOverIpcOnly"> & {
    /** Gas cap of calls; 0 for none. */
    readonly gasCap: number;
    /** Fee cap in KAIA; 0 for none. */
    readonly ethFeeCap: number;
    readonly evmTimeoutMs: number;
  };
  readonly rewardbase: Address | undefined;
  readonly gasless: GaslessOptions;
  readonly auction: Pick<AuctionOptions, "isDisabled" | "maxBids" | "earlyDeadlineMs">;
}

const ZERO_ADDRESS = `0x${"0".repeat(40)}`;
const NANOSECONDS = 1_000_000;

/** Formats the whole structure, members in the order of the Go node of a line. */
export function nodeConfigJson(settings: NodeSettings, line: "klaytn" | "kaia"): object {
  const { networkId, archive, rewardbase, wsEndpoint } = settings;
  const isNew = line === "kaia";
  return {
    Genesis: null,
    NetworkId: networkId,
    SyncMode: "full",
    NoPruning: archive,
    ...ROLES,
    ...(isNew ? { Overrides: { OverrideOsaka: null } } : { OverwriteGenesis: false }),
    ...databaseJson(isNew),
    ...stateJson(settings),
    ServiceChainSigner: ZERO_ADDRESS,
    ExtraData: null,
    ...(isNew ? {} : { GasPrice: Number(settings.unitPrice) }),
    Rewardbase: rewardbase === undefined ? ZERO_ADDRESS : toHex(rewardbase),
    TxPool: poolJson(settings, isNew),
    GPO: { Blocks: 20, Percentile: 60, MaxHeaderHistory: 1024, MaxBlockHistory: 1024, ...pricesJson(isNew) },
    EnablePreimageRecording: false,
    EnableInternalTxTracing: false,
    EnableOpDebug: false,
    Istanbul: { Timeout: 10_000, BlockPeriod: 1, ProposerPolicy: 0, Epoch: 30_000, SubGroupSize: 21 },
    DocRoot: "",
    WsEndpoint: wsEndpoint,
    ...RESENDING,
    ...callJson(settings),
    ...(isNew ? { ...NEWER, ...gaslessJson(settings.gasless), ...auctionJson(settings.auction) } : {}),
  };
}

const ROLES = {
  WorkerDisable: false,
  DownloaderDisable: false,
  FetcherDisable: false,
  ParentOperatorAddr: null,
  AnchoringPeriod: 0,
  SentChainTxsLimit: 0,
};

function databaseJson(isNew: boolean): object {
  return {
    StartBlockNumber: 0,
    DBType: "LevelDB",
    SkipBcVersionCheck: false,
    SingleDB: false,
    NumStateTrieShards: 4,
    EnableDBPerfMetrics: true,
    LevelDBCompression: isNew ? 2 : 0,
    LevelDBBufferPool: true,
    LevelDBCacheSize: 768,
    ...(isNew ? { PebbleDBCacheSize: 768 } : {}),
    DynamoDBConfig: {
      TableName: "",
      Region: "ap-northeast-2",
      Endpoint: "",
      S3Endpoint: "",
      IsProvisioned: false,
      ReadCapacityUnits: 10_000,
      WriteCapacityUnits: 10_000,
      ReadOnly: false,
      PerfCheck: false,
    },
    RocksDBConfig: {
      Secondary: false,
      DumpMallocStat: false,
      DisableMetrics: false,
      CacheSize: 768,
      CompressionType: "lz4",
      BottommostCompressionType: "zstd",
      FilterPolicy: "ribbon",
      MaxOpenFiles: 1024,
      CacheIndexAndFilter: false,
    },
  };
}

function stateJson({ dataDirectory, senderHashes }: NodeSettings): object {
  return {
    TrieCacheSize: 512,
    TrieTimeout: 300_000 * NANOSECONDS,
    TrieBlockInterval: 128,
    TriesInMemory: 128,
    LivePruning: false,
    LivePruningRetention: 172_800,
    SenderTxHashIndexing: senderHashes,
    ParallelDBWrite: true,
    TrieNodeCacheConfig: {
      CacheType: "LocalCache",
      NumFetcherPrefetchWorker: 32,
      UseSnapshotForPrefetch: false,
      LocalCacheSizeMiB: 6144,
      FastCacheFileDir: `${dataDirectory}/fastcache`,
      FastCacheSavePeriod: 0,
      RedisEndpoints: null,
      RedisClusterEnable: false,
      RedisPublishBlockEnable: false,
      RedisSubscribeBlockEnable: false,
    },
    SnapshotCacheSize: 0,
    SnapshotAsyncGen: false,
  };
}

function poolJson({ pool, journal, instanceDirectory }: NodeSettings, isNew: boolean): object {
  return {
    NoLocals: pool.noLocals,
    AllowLocalAnchorTx: pool.allowLocalAnchoring,
    DenyRemoteTx: pool.denyRemote,
    Journal: journal,
    JournalInterval: pool.journalIntervalMs * NANOSECONDS,
    PriceLimit: 1,
    PriceBump: 10,
    ExecSlotsAccount: pool.pendingPerAccount,
    ExecSlotsAll: pool.pendingTotal,
    NonExecSlotsAccount: pool.queuedPerAccount,
    NonExecSlotsAll: pool.queuedTotal,
    KeepLocals: pool.keepLocals,
    Lifetime: pool.lifetimeMs * NANOSECONDS,
    NoAccountCreation: false,
    EnableSpamThrottlerAtRuntime: pool.throttleSpam,
    ...(isNew
      ? {
          BlobStorageConfig: {
            BaseDir: `${instanceDirectory}/chaindata/blob`,
            Retention: 1_814_400_000 * NANOSECONDS,
          },
        }
      : {}),
  };
}

function pricesJson(isNew: boolean): object {
  return isNew ? { MaxPrice: 500_000_000_000 } : { Default: null };
}

const RESENDING = {
  TxResendInterval: 4,
  TxResendCount: 1000,
  TxResendUseLegacy: false,
  NoAccountCreation: false,
  IsPrivate: true,
  AutoRestartFlag: false,
  RestartTimeOutFlag: 900_000 * NANOSECONDS,
  DaemonPathFlag: "~/klaytn/bin/kcnd",
};

function callJson({ rpc }: NodeSettings): object {
  return {
    RPCGasCap: rpc.gasCap === 0 ? null : rpc.gasCap,
    RPCEVMTimeout: rpc.evmTimeoutMs * NANOSECONDS,
    RPCTxFeeCap: rpc.ethFeeCap,
    DisableUnsafeDebug: rpc.unsafeDebugOverIpcOnly,
    StateRegenerationTimeLimit: 60_000 * NANOSECONDS,
  };
}

const NEWER = {
  UseConsoleLog: false,
  UseFlatTrie: false,
};

const UNLIMITED = jsonInteger(MAX_UINT64);
const MAX_INT64 = jsonInteger(9_223_372_036_854_775_807n);

function gaslessJson({
  isDisabled,
  allowedTokens,
  maxPending,
  maxQueued,
  checkLevel,
}: GaslessOptions): object {
  return {
    Gasless: {
      AllowedTokens: allowedTokens === "all" ? null : allowedTokens.map(toHex),
      Disable: isDisabled,
      MaxBundleTxsInPending: maxPending > 0 ? maxPending : UNLIMITED,
      MaxBundleTxsInQueue: maxQueued > 0 ? maxQueued : UNLIMITED,
      BalanceCheckLevel: checkLevel,
    },
  };
}

function auctionJson({ isDisabled, maxBids, earlyDeadlineMs }: NodeSettings["auction"]): object {
  return {
    Auction: {
      Disable: isDisabled,
      MaxBidPoolSize: maxBids ?? MAX_INT64,
      EDOffset: earlyDeadlineMs * NANOSECONDS,
    },
  };
}
