/** Flags of the node itself that the Go nodes have and knit does not: rows of the table of absent flags. */
import { harmless, idle, refused, switched, valued } from "./flags-absent-rows.ts";

/** By name. */
export const absentOfNode = {
  ...refused("every block is executed; there is no other way to synchronise", {
    syncmode: harmless("full", "common.syncmode"),
  }),
  ...refused("forks begin where the genesis says", {
    "override.osaka": valued(),
  }),
  ...refused("a data directory keeps its genesis; choose another --datadir", {
    "overwrite-genesis": switched("common.overwrite-genesis"),
  }),
  ...refused("knit db rewind NUMBER takes a chain back", {
    "start-block-num": harmless("0", "common.start-block-num"),
  }),
  ...refused("the limit is the chain's own", {
    "opcode-computation-cost-limit": harmless("100000000", "experimental.opcode-computation-cost-limit"),
  }),
  ...refused("the node's type is chosen with --type core, proxy or endpoint", {
    nodetype: valued(),
  }),
  ...refused("settings are read from YAML or properties (--conf)", {
    config: valued(),
  }),
  ...idle("no time server is asked; keep the machine's clock right", {
    "ntp.disable": switched("common.ntp.disable"),
    "ntp.server": valued("common.ntp.server", "ns"),
  }),
  ...idle("prices are judged by the chain's rules alone", {
    "txpool.pricelimit": valued("txpool.price-limit"),
    "txpool.pricebump": valued("txpool.price-bump"),
  }),
  ...idle("at most 1000 pending transactions are sent again at a time, the best first, to two peers", {
    "txresend.max-count": valued(),
    "txresend.use-legacy": switched(),
  }),
  ...idle("bundles and auctions are not part of knit", {
    "gasless.allowed-tokens": valued("kaiax.module.gasless.allowed-tokens"),
    "gasless.disable": switched("kaiax.module.gasless.disable"),
    "gasless.max-bundle-txs-in-pending": valued("kaiax.module.gasless.max-bundle-txs-in-pending"),
    "gasless.max-bundle-txs-in-queue": valued("kaiax.module.gasless.max-bundle-txs-in-queue"),
    "gasless.balance-check-level": valued("kaiax.module.gasless.balance-check-level"),
    "auction.disable": switched("kaiax.module.auction.disable"),
    "auction.max-bid-pool-size": valued("kaiax.module.auction.max-bid-pool-size"),
    "auction.ed-offset": valued("kaiax.module.auction.ed-offset"),
  }),
  ...idle("whom to look for follows from the node's type", {
    "discover-types": valued("p2p.discover-types"),
  }),
  ...idle("every write to a peer has a deadline", {
    rwtimerinterval: valued("p2p.rw-timer-interval"),
    rwtimerwaittime: valued("p2p.rw-timer-wait-time"),
  }),
  ...idle("suggested prices follow from the newest block", {
    "gpo.blocks": valued(),
    "gpo.percentile": valued(),
    "gpo.maxprice": valued(),
  }),
  ...idle("debug_trace methods tell it on demand", {
    vmdebug: switched("vm.debug"),
    vmlog: valued("vm.log"),
    "vm.internaltx": switched(),
    "vm.opdebug": switched(),
    "use-console-log": switched(),
  }),
  ...idle("older states are read, never regenerated", {
    "rpc.unsafe-debug.state-regeneration.time-limit": valued(),
  }),
  ...idle("one verbosity holds for the whole log", {
    vmodule: valued("debug-profile.vmodule"),
    backtrace: valued("debug-profile.backtrace"),
    debug: switched("debug-profile.print-site"),
    "vrank.log-frequency": valued(),
  }),
  ...idle("debug_startCPUProfile and debug_writeMemProfile profile a running node", {
    pprof: switched("debug-profile.pprof.enable"),
    pprofaddr: valued("debug-profile.pprof.addr"),
    pprofport: valued("debug-profile.pprof.port"),
    memprofile: valued("debug-profile.mem-profile.file-name"),
    memprofilerate: valued("debug-profile.mem-profile.rate"),
    blockprofilerate: valued("debug-profile.block-profile.rate"),
    cpuprofile: valued("debug-profile.cpu-profile.file-name"),
    trace: valued("debug-profile.trace.file-name"),
  }),
  ...idle("a node that ended is started again by knitd (AUTO_RESTART_NODE=1)", {
    "autorestart.enable": switched(),
    "autorestart.timeout": valued(),
    "autorestart.daemon.path": valued("autorestart.daemon-path"),
  }),
  ...idle("knit chooses the fastest library that loads", {
    "crypto.kzg": valued(),
  }),
  ...idle("blocks are not limited by gas", {
    targetgaslimit: valued("common.target-gaslimit"),
  }),
  ...idle("knit fetches no files", {
    docroot: valued("common.docroot"),
  }),
};
