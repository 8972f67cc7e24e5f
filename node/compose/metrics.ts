/** Metrics of the whole node: build, disk, databases and state. */
import { arch } from "node:process";
import { programVersion } from "../config/version.ts";
import { declareDiskTraffic } from "../observe/disk-traffic.ts";
import type { MemoryWatch } from "../observe/memory-watch.ts";
import type { Metrics } from "../observe/metrics.ts";
import { declareStateMetrics } from "../state/metrics.ts";
import { declareStoreMetrics } from "../store/metrics.ts";
import type { NodeDatabase } from "./database.ts";
import type { DiskUseWatch } from "./disk-use.ts";
import type { TableWatch } from "./table-watch.ts";

/** Parts of the node that are measured. */
export type MeasuredParts = Omit<NodeDatabase, keyof AsyncDisposable> & { readonly memory: MemoryWatch };

/** Declares them: read when they are scraped. */
export function declareNodeMetrics(
  metrics: Metrics,
  { store, state, nodeCache, disk, memory }: MeasuredParts,
  use: Pick<DiskUseWatch, "newest"> & Pick<TableWatch, "hasDamage">,
): void {
  for (const name of ["build/info", "knit_build_info"]) {
    metrics.values("gauge", {
      name,
      help: "Always 1: the labels say what runs.",
      labels: ["version", "cpu_arch", "node_version"],
      read: () => [[[programVersion(), arch, process.versions.node], 1]],
    });
  }
  metrics.gauge({
    name: "system/memory/inuse",
    help: "Bytes of objects on the heap.",
    read: () => process.memoryUsage().heapUsed,
  });
  metrics.gauge({
    name: "knit_disk_free_bytes",
    help: "Room on the disk of the database.",
    read: () => disk.free,
  });
  metrics.gauge({
    name: "knit_disk_low",
    help: "1 while so little is free that no blocks are written.",
    read: () => Number(disk.isLow),
  });
  declareMemoryMetrics(metrics, memory);
  declareDiskTraffic(metrics);
  declareStoreMetrics(metrics, [
    { name: "chain", property: (name) => store.property(name) },
    { name: "trie", property: (name) => state.figures().trie?.property(name) },
  ]);
  metrics.values("gauge", {
    name: "knit_disk_use_bytes",
    help: "Table files by the kind of their rows, roughly, looked up every half minute.",
    labels: ["database", "kind"],
    read: () => use.newest().map(({ database, kind, bytes }) => [[database, kind], bytes]),
  });
  metrics.gauge({
    name: "knit_database_damaged",
    help: "1 when a table file failed its check since the start: the log names it.",
    read: () => Number(use.hasDamage()),
  });
  declareStateMetrics(metrics, state, nodeCache.slab);
}

function declareMemoryMetrics(metrics: Metrics, memory: MemoryWatch): void {
  metrics.gauge({
    name: "knit_memory_limit_bytes",
    help: "What the process may take; absent where there is no limit.",
    read: () => memory.limit,
  });
  metrics.gauge({
    name: "knit_memory_used_bytes",
    help: "What it takes, without pages of files.",
    read: () => memory.used,
  });
  metrics.gauge({
    name: "knit_memory_short",
    help: "1 while so much is taken that calls are refused.",
    read: () => Number(memory.isShort),
  });
  metrics.counter({
    name: "knit_memory_sheds_total",
    help: "Releases of caches and idle threads under memory pressure.",
    read: () => memory.sheds,
  });
}
