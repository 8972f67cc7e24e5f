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
export type MetricsDeps = Omit<NodeDatabase, keyof AsyncDisposable> & { readonly memory: MemoryWatch };

/** Declares them: read when they are scraped. */
export function declareNodeMetrics(
  metrics: Metrics,
  { store, state, nodeCache, disk, memory }: MetricsDeps,
  use: Pick<DiskUseWatch, "newest"> & Pick<TableWatch, "hasDamage">,
): void {
  for (const name of ["build/info", "knit_build_info"]) {
    metrics.values("gauge", {
      name,
      help: "Always 1; the labels have the versions.",
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
    help: "Free bytes on the disk of the database.",
    read: () => disk.free,
  });
  metrics.gauge({
    name: "knit_disk_low",
    help: "1 while no blocks are written because the disk is nearly full.",
    read: () => Number(disk.isLow),
  });
  declareMemoryMetrics(metrics, memory);
  declareDiskTraffic(metrics);
  declareStoreMetrics(metrics, [
    { name: "chain", property: (name) => store.property(name) },
    { name: "blocks", property: (name) => store.blocks.property(name) },
    { name: "trie", property: (name) => state.figures().trie?.property(name) },
  ]);
  metrics.values("gauge", {
    name: "knit_disk_use_bytes",
    help: "Approximate bytes of table files by kind of row, measured every half minute.",
    labels: ["database", "kind"],
    read: () => use.newest().map(({ database, kind, bytes }) => [[database, kind], bytes]),
  });
  metrics.gauge({
    name: "knit_database_damaged",
    help: "1 if a table file failed its check since the start; the log has its name.",
    read: () => Number(use.hasDamage()),
  });
  declareStateMetrics(metrics, state, nodeCache.slab);
}

function declareMemoryMetrics(metrics: Metrics, memory: MemoryWatch): void {
  metrics.gauge({
    name: "knit_memory_limit_bytes",
    help: "Memory limit of the process; absent without a limit.",
    read: () => memory.limit,
  });
  metrics.gauge({
    name: "knit_memory_used_bytes",
    help: "Memory of the process without pages of files.",
    read: () => memory.used,
  });
  metrics.gauge({
    name: "knit_memory_short",
    help: "1 while calls are refused because memory is nearly full.",
    read: () => Number(memory.isShort),
  });
  metrics.counter({
    name: "knit_memory_sheds_total",
    help: "Releases of caches and idle threads under memory pressure.",
    read: () => memory.sheds,
  });
}
