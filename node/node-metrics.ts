/** What is measured of a node beside its rooms' own: which build it is, its disk, its databases and its state. */
import { arch } from "node:process";
import { programVersion } from "./config/version.ts";
import type { NodeDatabase } from "./database.ts";
import type { DiskUseWatch } from "./disk-use.ts";
import type { Metrics } from "./observe/metrics.ts";
import { declareStateMetrics } from "./state/metrics.ts";
import { declareStoreMetrics } from "./store/metrics.ts";

/** Declares them: read when they are scraped. */
export function declareNodeMetrics(
  metrics: Metrics,
  { store, state, nodeCache, disk }: Omit<NodeDatabase, keyof AsyncDisposable>,
  use: Pick<DiskUseWatch, "newest">,
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
  declareStateMetrics(metrics, state, nodeCache.slab);
}
