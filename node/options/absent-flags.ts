/**
 * The flags that the Go nodes have and knit does not. Each is either accepted with a warning or refused with the
 * reason, whichever source sets it (docs/flags.md). Names are those of `cmd/utils/flags.go@v2.2.2` and, for the
 * network maker, of `cmd/homi/setup/flags.go@v2.2.2`.
 */
import { DATA, type FlagCommand } from "./rows.ts";

/** A flag that the Go nodes have and knit does not. */
export interface AbsentFlag {
  /** `ignored`: accepted with a warning. `refused`: the program does not start. */
  readonly verdict: "ignored" | "refused";
  readonly why: string;
  readonly isSwitch: boolean;
  /** The value that asks for the behaviour that knit has anyway, in any case of letters; it gives no warning. */
  readonly harmless: string | undefined;
  /** Other names, as in the Go node's settings file. */
  readonly aliases: readonly string[];
}

type Shape = Pick<AbsentFlag, "isSwitch" | "harmless" | "aliases">;

/** A switch with its aliases. */
function switchFlag(...aliases: string[]): Shape {
  return { isSwitch: true, harmless: "false", aliases };
}

/** A flag with a value, and its aliases. */
function valueFlag(...aliases: string[]): Shape {
  return { isSwitch: false, harmless: "", aliases };
}

/** A flag with one value that asks for the behaviour that knit has anyway. */
function fixedFlag(value: string, ...aliases: string[]): Shape {
  return { isSwitch: false, harmless: value, aliases };
}

/** Flags that are accepted and change nothing. */
function ignore<Name extends string>(why: string, shapes: Record<Name, Shape>) {
  return withVerdict("ignored", why, shapes);
}

/** Flags that stop the program: without their meaning the node would not be the one that was configured. */
function refuse<Name extends string>(why: string, shapes: Record<Name, Shape>) {
  return withVerdict("refused", why, shapes);
}

function withVerdict<Name extends string>(
  verdict: AbsentFlag["verdict"],
  why: string,
  shapes: Record<Name, Shape>,
): Record<Name, AbsentFlag> {
  const entries = Object.entries<Shape>(shapes).map(([name, shape]) => [name, { ...shape, verdict, why }]);
  return Object.fromEntries(entries) as Record<Name, AbsentFlag>; // the keys of `shapes`
}

/** Flags of the node. */
const absentOfNode = {
  ...refuse("knit synchronises by executing every block", {
    syncmode: fixedFlag("full", "common.syncmode"),
  }),
  ...refuse("the genesis sets the fork blocks", {
    "override.osaka": valueFlag(),
  }),
  ...refuse("the genesis of a data directory does not change; use another --datadir", {
    "overwrite-genesis": switchFlag("common.overwrite-genesis"),
  }),
  ...refuse("use knit db rewind NUMBER to rewind the chain", {
    "start-block-num": fixedFlag("0", "common.start-block-num"),
  }),
  ...refuse("the chain's rules set the limit", {
    "opcode-computation-cost-limit": fixedFlag("100000000", "experimental.opcode-computation-cost-limit"),
  }),
  ...refuse("use --type core, proxy or endpoint", {
    nodetype: valueFlag(),
  }),
  ...refuse("the settings file is YAML or properties (--conf)", {
    config: valueFlag(),
  }),
  ...ignore("knit queries no time server; synchronise the machine's clock", {
    "ntp.disable": switchFlag("common.ntp.disable"),
    "ntp.server": valueFlag("common.ntp.server", "ns"),
  }),
  ...ignore("the chain's rules alone decide about prices", {
    "txpool.pricelimit": valueFlag("txpool.price-limit"),
    "txpool.pricebump": valueFlag("txpool.price-bump"),
  }),
  ...ignore("knit resends at most 1000 pending transactions at a time, by price, to two peers", {
    "txresend.max-count": valueFlag(),
    "txresend.use-legacy": switchFlag(),
  }),
  ...ignore("the node's type decides the types of nodes to discover", {
    "discover-types": valueFlag("p2p.discover-types"),
  }),
  ...ignore("every write to a peer has a deadline", {
    rwtimerinterval: valueFlag("p2p.rw-timer-interval"),
    rwtimerwaittime: valueFlag("p2p.rw-timer-wait-time"),
  }),
  ...ignore("the newest block decides suggested prices", {
    "gpo.blocks": valueFlag(),
    "gpo.percentile": valueFlag(),
    "gpo.maxprice": valueFlag(),
  }),
  ...ignore("use the debug_trace methods", {
    vmdebug: switchFlag("vm.debug"),
    vmlog: valueFlag("vm.log"),
    "vm.internaltx": switchFlag(),
    "vm.opdebug": switchFlag(),
    "use-console-log": switchFlag(),
  }),
  ...ignore("knit reads old states and regenerates none", {
    "rpc.unsafe-debug.state-regeneration.time-limit": valueFlag(),
  }),
  ...ignore("--verbosity applies to the whole log", {
    vmodule: valueFlag("debug-profile.vmodule"),
    backtrace: valueFlag("debug-profile.backtrace"),
    debug: switchFlag("debug-profile.print-site"),
    "vrank.log-frequency": valueFlag(),
  }),
  ...ignore("debug_startCPUProfile and debug_writeMemProfile profile a running node", {
    pprof: switchFlag("debug-profile.pprof.enable"),
    pprofaddr: valueFlag("debug-profile.pprof.addr"),
    pprofport: valueFlag("debug-profile.pprof.port"),
    memprofile: valueFlag("debug-profile.mem-profile.file-name"),
    memprofilerate: valueFlag("debug-profile.mem-profile.rate"),
    blockprofilerate: valueFlag("debug-profile.block-profile.rate"),
    cpuprofile: valueFlag("debug-profile.cpu-profile.file-name"),
    trace: valueFlag("debug-profile.trace.file-name"),
  }),
  ...ignore("knitd restarts a node that has exited (AUTO_RESTART_NODE=1)", {
    "autorestart.enable": switchFlag(),
    "autorestart.timeout": valueFlag(),
    "autorestart.daemon.path": valueFlag("autorestart.daemon-path"),
  }),
  ...ignore("knit uses the fastest library that loads", {
    "crypto.kzg": valueFlag(),
  }),
  ...ignore("blocks have no gas limit", {
    targetgaslimit: valueFlag("common.target-gaslimit"),
  }),
  ...ignore("knit downloads no files", {
    docroot: valueFlag("common.docroot"),
  }),
};

/** Flags of databases and caches. */
const absentDatabases = {
  ...refuse("knit stores its data in LevelDB", {
    dbtype: fixedFlag("LevelDB", "db.type", "migration.src.dbtype"),
    "dst.dbtype": valueFlag("migration.dst.dbtype"),
    "dst.datadir": valueFlag("migration.dst.datadir"),
  }),
  ...refuse("trie nodes are cached in memory and stored on disk, not on a server", {
    "statedb.cache.type": fixedFlag("LocalCache"),
  }),
  ...ignore("trie nodes are cached in memory and stored on disk, not on a server", {
    "statedb.cache.num-fetcher-prefetch-worker": valueFlag(),
    "statedb.cache.use-snapshot-for-prefetch": switchFlag(),
    "statedb.cache.redis.endpoints": valueFlag(),
    "statedb.cache.redis.cluster": switchFlag(),
    "statedb.cache.redis.publish": switchFlag(),
    "statedb.cache.redis.subscribe": switchFlag(),
  }),
  ...ignore("knit has its own database layout", {
    "db.single": switchFlag("migration.src.single"),
    "db.num-statetrie-shards": valueFlag("migration.src.db.leveldb.num-statetrie-shards"),
    "db.leveldb.compression": valueFlag("migration.src.db.leveldb.compression"),
    "db.leveldb.no-buffer-pool": switchFlag(),
    "db.no-parallel-write": switchFlag(),
    "db.no-perf-metrics": switchFlag("migration.no-perf-metrics"),
  }),
  ...ignore("knit stores its data in LevelDB", {
    "db.pebbledb.cache-size": valueFlag("migration.src.db.pebbledb.cache-size"),
    "db.rocksdb.secondary": switchFlag("migration.src.db.rocksdb.secondary"),
    "db.rocksdb.cache-size": valueFlag("migration.src.db.rocksdb.cache-size"),
    "db.rocksdb.dump-malloc-stat": switchFlag(
      "db.rocksdb.dump-memory-stat",
      "migration.src.db.rocksdb.dump-malloc-stat",
    ),
    "db.rocksdb.compression-type": valueFlag("migration.src.db.rocksdb.compression-type"),
    "db.rocksdb.bottommost-compression-type": valueFlag(
      "migration.src.db.rocksdb.bottommost-compression-type",
    ),
    "db.rocksdb.filter-policy": valueFlag("migration.src.db.rocksdb.filter-policy"),
    "db.rocksdb.disable-metrics": switchFlag("migration.src.db.rocksdb.disable-metrics"),
    "db.rocksdb.max-open-files": valueFlag("migration.src.db.rocksdb.max-open-files"),
    "db.rocksdb.cache-index-and-filter": switchFlag("migration.src.db.rocksdb.cache-index-and-filter"),
    "db.dynamo.tablename": valueFlag("migration.src.db.dynamo.table-name", "db.dynamo.table-name"),
    "db.dynamo.region": valueFlag("migration.src.db.dynamo.region"),
    "db.dynamo.is-provisioned": switchFlag("migration.src.db.dynamo.is-provisioned"),
    "db.dynamo.read-capacity": valueFlag("migration.src.db.dynamo.read-capacity"),
    "db.dynamo.write-capacity": valueFlag("migration.src.db.dynamo.write-capacity"),
    "db.dynamo.read-only": switchFlag(),
    "db.dst.single": switchFlag("migration.dst.single"),
    "db.dst.leveldb.cache-size": valueFlag("migration.dst.db.leveldb.cache-size"),
    "db.dst.leveldb.compression": valueFlag("migration.dst.db.leveldb.compression"),
    "db.dst.pebbledb.cache-size": valueFlag("migration.dst.db.pebbledb.cache-size"),
    "db.dst.num-statetrie-shards": valueFlag("migration.dst.db.leveldb.num-statetrie-shards"),
    "db.dst.dynamo.tablename": valueFlag("migration.dst.db.dynamo.table-name"),
    "db.dst.dynamo.region": valueFlag("migration.dst.db.dynamo.region"),
    "db.dst.dynamo.is-provisioned": switchFlag("migration.dst.db.dynamo.is-provisioned"),
    "db.dst.dynamo.read-capacity": valueFlag("migration.dst.db.dynamo.read-capacity"),
    "db.dst.dynamo.write-capacity": valueFlag("migration.dst.db.dynamo.write-capacity"),
    "db.dst.rocksdb.secondary": switchFlag("migration.dst.db.rocksdb.secondary"),
    "db.dst.rocksdb.cache-size": valueFlag("migration.dst.db.rocksdb.cache-size"),
    "db.dst.rocksdb.dump-memory-stat": switchFlag("migration.dst.db.rocksdb.dump-malloc-stat"),
    "db.dst.rocksdb.compression-type": valueFlag("migration.dst.db.rocksdb.compression-type"),
    "db.dst.rocksdb.bottommost-compression-type": valueFlag(
      "migration.dst.db.rocksdb.bottommost-compression-type",
    ),
    "db.dst.rocksdb.filter-policy": valueFlag("migration.dst.db.rocksdb.filter-policy"),
    "db.dst.rocksdb.disable-metrics": switchFlag("migration.dst.db.rocksdb.disable-metrics"),
    "db.dst.rocksdb.max-open-files": valueFlag("migration.dst.db.rocksdb.max-open-files"),
    "db.dst.rocksdb.cache-index-and-filter": switchFlag("migration.dst.db.rocksdb.cache-index-and-filter"),
  }),
  ...ignore("recent states are stored flat on disk", {
    snapshot: switchFlag("snapshot-database.enable"),
    "snapshot.cache-size": valueFlag("snapshot-database.cache-size"),
    "snapshot.async-gen": switchFlag("snapshot-database.async-gen"),
    "state.experimental-flat-trie": switchFlag(),
    "state.tries-in-memory": valueFlag(),
  }),
  ...ignore("use --state.trie-cache-limit and --db.leveldb.cache-size", {
    "state.cache-size": valueFlag(),
    "cache.type": valueFlag(),
    "cache.scale": valueFlag(),
    "cache.level": valueFlag(),
    "cache.memory": valueFlag(),
  }),
};

/** Flags of service chains, data feeds and gRPC. */
const absentServices = {
  ...refuse("knit does not take part in service chains", {
    mainbridge: switchFlag("servicechain.mainbridge"),
    subbridge: switchFlag("servicechain.subbridge"),
    anchoring: switchFlag("servicechain.anchoring"),
    vtrecovery: switchFlag("servicechain.vt-recovery"),
    scnewaccount: switchFlag("servicechain.new-account"),
    "kas.sc.anchor": switchFlag(),
    networktype: fixedFlag("mn"),
  }),
  ...ignore("knit does not take part in service chains", {
    mainbridgeport: valueFlag("servicechain.mainbridge-port"),
    subbridgeport: valueFlag("servicechain.subbridge-port"),
    parentchainid: valueFlag("servicechain.parent-chainid"),
    chaintxperiod: valueFlag("servicechain.chain-tx-period"),
    chaintxlimit: valueFlag("servicechain.chain-tx-limit"),
    vtrecoveryinterval: valueFlag("servicechain.vt-recovery-interval"),
    "sc.parentoperator.gaslimit": valueFlag("servicechain.parent-operator-gaslimit"),
    "sc.childoperator.gaslimit": valueFlag("servicechain.child-operator-gaslimit"),
    scconsensus: valueFlag("servicechain.consensus"),
    scsigner: valueFlag("common.scsigner"),
    childchainindexing: switchFlag("common.child-chain-indexing"),
    "kas.sc.anchor.period": valueFlag(),
    "kas.sc.anchor.url": valueFlag(),
    "kas.sc.anchor.operator": valueFlag(),
    "kas.sc.anchor.request.timeout": valueFlag(),
    "kas.x-chain-id": valueFlag(),
    "kas.accesskey": valueFlag(),
    "kas.secretkey": valueFlag(),
  }),
  ...refuse("knit writes to no other database; subscribe to newHeads and logs instead", {
    chaindatafetcher: switchFlag("chain-data-fetcher.enable"),
    dbsyncer: switchFlag("db-syncer.enable"),
  }),
  ...ignore("knit writes to no other database", {
    "chaindatafetcher.mode": valueFlag("chain-data-fetcher.mode"),
    "chaindatafetcher.no.default": switchFlag("chain-data-fetcher.no-default"),
    "chaindatafetcher.num.handlers": valueFlag("chain-data-fetcher.num-handlers"),
    "chaindatafetcher.job.channel.size": valueFlag("chain-data-fetcher.job-channel-size"),
    "chaindatafetcher.block.channel.size": valueFlag("chain-data-fetcher.block-channel-size"),
    "chaindatafetcher.max.processing.data.size": valueFlag("chain-data-fetcher.max-processing-data-size"),
    "chaindatafetcher.kas.db.host": valueFlag("chain-data-fetcher.kas.db.host"),
    "chaindatafetcher.kas.db.port": valueFlag("chain-data-fetcher.kas.db.port"),
    "chaindatafetcher.kas.db.name": valueFlag("chain-data-fetcher.kas.db.name"),
    "chaindatafetcher.kas.db.user": valueFlag("chain-data-fetcher.kas.db.user"),
    "chaindatafetcher.kas.db.password": valueFlag("chain-data-fetcher.kas.db.password"),
    "chaindatafetcher.kas.cache.use": switchFlag("chain-data-fetcher.kas.cache.use"),
    "chaindatafetcher.kas.cache.url": valueFlag("chain-data-fetcher.kas.cache.url"),
    "chaindatafetcher.kas.xchainid": valueFlag("chain-data-fetcher.kas.xchainid"),
    "chaindatafetcher.kas.basic.auth.param": valueFlag("chain-data-fetcher.kas.basic.auth.param"),
    "chaindatafetcher.kafka.brokers": valueFlag("chain-data-fetcher.kafka.brokers"),
    "chaindatafetcher.kafka.topic.environment": valueFlag("chain-data-fetcher.kafka.topic.environment"),
    "chaindatafetcher.kafka.topic.resource": valueFlag("chain-data-fetcher.kafka.topic.resource"),
    "chaindatafetcher.kafka.replicas": valueFlag("chain-data-fetcher.kafka.replicas"),
    "chaindatafetcher.kafka.partitions": valueFlag("chain-data-fetcher.kafka.partitions"),
    "chaindatafetcher.kafka.max.message.bytes": valueFlag("chain-data-fetcher.kafka.max-message-bytes"),
    "chaindatafetcher.kafka.segment.size": valueFlag("chain-data-fetcher.kafka.segment-size"),
    "chaindatafetcher.kafka.required.acks": valueFlag("chain-data-fetcher.kafka.required-acks"),
    "chaindatafetcher.kafka.msg.version": valueFlag("chain-data-fetcher.kafka.msg-version"),
    "chaindatafetcher.kafka.producer.id": valueFlag("chain-data-fetcher.kafka.producer-id"),
    "dbsyncer.db.host": valueFlag("db-syncer.db.host"),
    "dbsyncer.db.port": valueFlag("db-syncer.db.port"),
    "dbsyncer.db.name": valueFlag("db-syncer.db.name"),
    "dbsyncer.db.user": valueFlag("db-syncer.db.user"),
    "dbsyncer.db.password": valueFlag("db-syncer.db.password"),
    "dbsyncer.logmode": switchFlag("db-syncer.log-mode"),
    "dbsyncer.db.max.idle": valueFlag("db-syncer.db.max-idle"),
    "dbsyncer.db.max.open": valueFlag("db-syncer.db.max-open"),
    "dbsyncer.db.max.lifetime": valueFlag("db-syncer.db.max-lifetime"),
    "dbsyncer.block.channel.size": valueFlag("db-syncer.block-channel-size"),
    "dbsyncer.mode": valueFlag("db-syncer.mode"),
    "dbsyncer.genquery.th": valueFlag("db-syncer.genquery-th"),
    "dbsyncer.insert.th": valueFlag("db-syncer.insert-thread"),
    "dbsyncer.bulk.size": valueFlag("db-syncer.bulk-size"),
    "dbsyncer.event.mode": valueFlag("db-syncer.event-mode"),
    "dbsyncer.max.block.diff": valueFlag("db-syncer.max-block-diff"),
  }),
  ...refuse("a node does not depend on another node", {
    "kes.nodetype.service": switchFlag("common.kes-nodetype-service"),
    "upstream-en": valueFlag("rpc.upstream-en"),
  }),
  ...refuse("knit serves no gRPC", {
    grpc: switchFlag("g-rpc.enable"),
  }),
  ...ignore("knit serves no gRPC", {
    grpcaddr: valueFlag("g-rpc.addr"),
    grpcport: valueFlag("g-rpc.port"),
  }),
};

/** Flags of the network maker. */
const absentOfMaker = {
  ...refuse("knit does not take part in service chains", {
    "scn-num": valueFlag("topology.scn-num"),
    "spn-num": valueFlag("topology.spn-num"),
    "sen-num": valueFlag("topology.sen-num"),
  }),
  ...refuse(
    "the mock contracts are code of the Go tool; --patch-address-book gives an account the right to set up the real address book",
    {
      "address-book-mock": switchFlag(),
      "registry-mock": switchFlag(),
      "kip113-mock": switchFlag(),
    },
  ),
  ...ignore("the network has one chain, with the id of --chainID", {
    serviceChainID: valueFlag("genesis.service-chain-id"),
    "network-id": valueFlag("deploy.docker.network-id"),
  }),
  ...ignore("the compose file starts nodes only", {
    fasthttp: switchFlag("deploy.docker.fasthttp"),
    "no-grafana": switchFlag("deploy.docker.no-grafana"),
    txgen: switchFlag("deploy.docker.tx-gen.enable"),
    "txgen-rate": valueFlag("deploy.docker.tx-gen.rate"),
    "txgen-conn": valueFlag("deploy.docker.tx-gen.connections"),
    "txgen-dur": valueFlag("deploy.docker.tx-gen.duration"),
    "txgen-th": valueFlag("deploy.docker.tx-gen.thread"),
  }),
  ...ignore(
    "they belong to the type deploy, which is specific to one site; the type remote writes the same keys and lists",
    {
      "data-dir": valueFlag("deploy.data-dir"),
      "log-dir": valueFlag("deploy.log-dir"),
    },
  ),
};

const table = { ...absentOfNode, ...absentDatabases, ...absentServices, ...absentOfMaker };

/** The name of an absent flag. */
export type AbsentName = keyof typeof table;

/** All absent flags by name. */
export const absentFlags: Readonly<Record<AbsentName, AbsentFlag>> = table;

/** Names of the absent flags in table order. */
export const absentNames = Object.keys(table) as readonly AbsentName[]; // the keys of the table above

const byName = new Map(
  absentNames.flatMap((name) => [name, ...absentFlags[name].aliases].map((each) => [each, name])),
);

/** Finds an absent flag by its name or an alias. */
export function findAbsentFlag(name: string): AbsentName | undefined {
  return byName.get(name);
}

/** True for commands that check absent flags: those of a node, of a boot node and of the network maker. */
export function checksAbsentFlags(command: FlagCommand): boolean {
  return command === "bootnode" || command === "genesis" || DATA.includes(command);
}

/** Environment variables of the Go nodes that differ from the flag's name, without their prefixes. */
export const absentVariables: Partial<Record<AbsentName, string>> = {
  "upstream-en": "RPC_UPSTREAM_EN",
  "db.pebbledb.cache-size": "DB_PEBBLE_CACHE_SIZE",
  "snapshot.async-gen": "SNAPSHOT_BACKGROUND_GENERATION",
  "state.experimental-flat-trie": "STATE_FLAT_TRIE",
  "db.dst.rocksdb.dump-memory-stat": "DB_DST_ROCKSDB_DUMP_MALLOC_STAT",
};

/** Properties of the Go node's daemon that differ from the flag's environment variables. */
export const absentProperties: Readonly<Record<string, AbsentName>> = {
  PDBCACHESIZE: "db.pebbledb.cache-size",
  AUTO_RESTART: "autorestart.enable",
  DB_TYPE: "dbtype",
  DB_DYNAMO_TABLENAME: "db.dynamo.tablename",
  DB_DYNAMO_REGION: "db.dynamo.region",
  STATEDB_REDIS_ENDPOINTS: "statedb.cache.redis.endpoints",
  STATEDB_REDIS_CLUSTER: "statedb.cache.redis.cluster",
  STATEDB_REDIS_PUBLISH: "statedb.cache.redis.publish",
  STATEDB_REDIS_SUBSCRIBE: "statedb.cache.redis.subscribe",
  SC_MAIN_BRIDGE: "mainbridge",
  SC_MAIN_BRIDGE_PORT: "mainbridgeport",
  SC_MAIN_BRIDGE_INDEXING: "childchainindexing",
  KES_NODETYPE_SERVICE_ENABLE: "kes.nodetype.service",
};
