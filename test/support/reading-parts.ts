/** Dependencies of methods that scan or run contracts, without reader threads. */
import { chainReading, storeReading } from "../../node/calls/chain-reading.ts";
import { searchLogs } from "../../node/calls/log-search.ts";
import { chainLogSource } from "../../node/calls/log-source.ts";
import type { Chain } from "../../node/chain/chain.ts";
import type { Governance } from "../../node/governance/governance.ts";
import type { PendingVotes } from "../../node/governance/pending-votes.ts";
import { createMetrics } from "../../node/observe/metrics.ts";
import type { Profiler } from "../../node/observe/profiler.ts";
import { estimateOnHead } from "../../node/rpc/calls.ts";
import type { NodeRegistryDeps } from "../../node/rpc/node-registry.ts";
import type { Migration } from "../../node/state/migration/migration.ts";
import type { Store } from "../../node/store/store.ts";
import type { PprofServer } from "../../node/transport/pprof-server.ts";

/** Dependencies of methods that scan or run contracts, without reader threads. */
export function readingParts(
  chain: Chain,
  maxLogs: number,
  store?: Store,
): Pick<
  NodeRegistryDeps,
  | "logs"
  | "calls"
  | "debug"
  | "process"
  | "traceBlock"
  | "migration"
  | "nodeCache"
  | "setHead"
  | "estimateGas"
  | "searchLogs"
  | "governance"
  | "ballots"
  | "rewardbase"
  | "proofs"
  | "supply"
  | "nodeConfig"
  | "receiptWait"
  | "addressIndex"
> {
  const calls = {
    open: () => chainReading(chain),
    limits: { upperGas: 500_000_000n, gasCap: 0n },
    timeoutMs: 5_000,
  };
  return {
    logs: { open: () => chainLogSource(chain), limits: { maxLogs, maxRange: 0 } },
    calls,
    debug: {
      open: () => {
        if (store === undefined) throw new Error("no store here");
        return storeReading(store)();
      },
      limits: calls.limits,
      maxBytes: 25_000_000,
    },
    traceBlock: () => Promise.reject(new Error("nothing is traced here")),
    process: {
      profiler: refuseAll("profiler") as Profiler,
      metrics: createMetrics(),
      pprofServer: refuseAll("profile server") as PprofServer,
      setLogLevel: () => undefined,
      store: store ?? { property: () => undefined, compact: () => Promise.resolve() },
    },
    setHead: () => Promise.reject(new Error("nobody to take the chain back")),
    searchLogs: async (filter) => {
      using source = chainLogSource(chain);
      return JSON.stringify(searchLogs(source, filter, { maxLogs, maxRange: 0 }));
    },
    estimateGas: async (args) => estimateOnHead(calls, args),
    governance: refuseAll("governance") as Governance,
    ballots: refuseAll("ballots") as PendingVotes,
    proofs: { openTrie: () => Promise.reject(new Error("nobody to prove anything")) },
    supply: { totals: async () => undefined },
    rewardbase: () => undefined,
    nodeConfig: refuseAll("configuration"),
    addressIndex: undefined,
    receiptWait: { defaultMs: 2_000, maxMs: 60_000 },
    migration: refuseAll("migration") as Migration,
    nodeCache: { save: () => "off", status: { isSaving: false, bytes: 0, error: undefined } },
  };
}

/** Fails on use: the recorded transcripts cover these parts. */
function refuseAll(what: string): object {
  const refuse = (): never => {
    throw new Error(`this test has no ${what}`);
  };
  return new Proxy({}, { get: refuse });
}
