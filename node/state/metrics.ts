/** Metrics of the state. */
import type { Metrics } from "../observe/metrics.ts";
import type { State } from "./state.ts";
import type { Slab } from "./trie/slab.ts";
import type { Flushes } from "./trie/trie-store.ts";

/** Declares them: read when they are scraped. Without a slab no trie nodes are kept. */
export function declareStateMetrics(metrics: Metrics, state: State, slab: Slab | undefined): void {
  const gauge = (name: string, help: string, read: () => number): void =>
    void metrics.gauge({ name, help, read });
  const counter = (name: string, help: string, read: () => number): void =>
    void metrics.counter({ name, help, read });
  counter("knit_trie_cache_hits_total", "Trie nodes found in memory.", () => slab?.hits ?? 0);
  counter("knit_trie_cache_misses_total", "Trie nodes not found in memory.", () => slab?.misses ?? 0);
  declareGoNames(metrics, state, slab);
  gauge("knit_trie_cache_bytes", "Memory for clean trie nodes.", () => slab?.size ?? 0);
  gauge(
    "knit_trie_dirty_bytes",
    "Changed trie nodes that wait to be written.",
    () => state.figures().dirtyBytes,
  );
  gauge("knit_trie_behind_blocks", "Blocks that the trie on disk is behind the newest.", () => {
    return state.number - (state.figures().flushedTo ?? -1);
  });
  gauge("knit_state_oldest_block", "Oldest block whose state can be read.", () => state.figures().oldest);
  const status = (): State["migration"]["status"] => state.migration.status;
  gauge("knit_state_migration_running", "1 while a migration is in progress.", () =>
    Number(status().isMigration),
  );
  gauge("knit_state_migration_block", "Block whose state the migration copies.", () => status().block);
  gauge("knit_state_migration_progress_ratio", "Progress of the migration.", () => status().progress / 100);
  gauge("knit_state_migration_read_nodes", "Rows that the migration has read.", () => status().counts.read);
  gauge(
    "knit_state_migration_written_nodes",
    "Nodes that the migration has written.",
    () => status().counts.committed,
  );
  gauge("knit_state_migration_failed", "1 if the last migration failed or was stopped.", () =>
    Number(status().error !== undefined),
  );
}

function declareGoNames(metrics: Metrics, state: State, slab: Slab | undefined): void {
  const gauge = (name: string, help: string, read: () => number): void =>
    void metrics.gauge({ name, help, read });
  const meter = (name: string, help: string, read: () => number): void =>
    metrics.readMeter({ name, help: `${help} a second, over the last minute.`, read });
  const [hits, misses] = [() => slab?.hits ?? 0, () => slab?.misses ?? 0];
  meter("trie/memcache/clean/hit", "Trie nodes found in memory", hits);
  meter("trie/memcache/clean/miss", "Trie nodes not found in memory", misses);
  gauge(
    "trie/memcache/fast/get",
    "Look-ups of trie nodes in memory since the start.",
    () => hits() + misses(),
  );
  gauge(
    "trie/memcache/fast/misses",
    "Look-ups of trie nodes in memory since the start that found none.",
    misses,
  );
  gauge("trie/memcache/fast/size", "Bytes of memory for clean trie nodes.", () => slab?.size ?? 0);
  const flushes = (): Flushes => state.figures().flushes;
  gauge(
    "trie/memcache/commit/time",
    "Duration of the last write of changed trie nodes, in nanoseconds.",
    () => Math.round(flushes().lastMs * 1e6),
  );
  meter("trie/memcache/commit/nodes", "Changed trie nodes written", () => flushes().rows);
  meter("trie/memcache/commit/size", "Bytes of changed trie nodes written", () => flushes().bytes);
  gauge(
    "klay/triedb/nodessizebytes",
    "Bytes of changed trie nodes that wait to be written.",
    () => state.figures().dirtyBytes,
  );
}
