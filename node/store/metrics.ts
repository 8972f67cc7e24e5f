/** Metrics of the databases. The engine counts whole mebibytes and seconds. */
import type { LabelledValue, Metrics } from "../observe/metrics.ts";

/** One database: its name, and what the engine says under `leveldb.stats` and the like. */
export interface WatchedDatabase {
  readonly name: "chain" | "blocks" | "trie";
  readonly property: (name: string) => string | undefined;
}

/** The engine's counts for one level of its files. */
export interface LevelFigures {
  readonly level: number;
  readonly files: number;
  readonly bytes: number;
  readonly compactionSeconds: number;
  readonly readBytes: number;
  readonly writtenBytes: number;
}

const MEBIBYTE = 1 << 20;
const LEVELS = 7;
/** The Go node's names of the databases. */
const GO_NAMES = {
  chain: "klay/db/chaindata",
  blocks: "klay/db/chaindata/body",
  trie: "klay/db/chaindata/statetrie",
} as const;

/** Reads the table that the engine prints: a line a level that was ever in use. */
export function readStats(stats: string): readonly LevelFigures[] {
  return stats.split("\n").flatMap((line) => {
    const words = line.trim().split(/\s+/).map(Number);
    const [level, files, size, seconds, read, written] = words;
    if (words.length !== 6 || words.some(Number.isNaN)) return [];
    return [
      {
        level: level ?? 0,
        files: files ?? 0,
        bytes: (size ?? 0) * MEBIBYTE,
        compactionSeconds: seconds ?? 0,
        readBytes: (read ?? 0) * MEBIBYTE,
        writtenBytes: (written ?? 0) * MEBIBYTE,
      },
    ];
  });
}

/** Declares them: read when they are scraped. */
export function declareStoreMetrics(metrics: Metrics, databases: readonly WatchedDatabase[]): void {
  for (const { name, property } of databases) declareGoNames(metrics, GO_NAMES[name], property);
  for (const [name, help, field] of BY_LEVEL) {
    metrics.values("gauge", {
      name,
      help,
      labels: ["database", "level"],
      read: () =>
        levelsOf(databases).map((row): LabelledValue => [[row.name, String(row.level)], row[field]]),
    });
  }
  for (const [name, help, field] of IN_ALL) {
    metrics.values("counter", {
      name,
      help,
      labels: ["database"],
      read: () =>
        databases.map((one): LabelledValue => [[one.name], sum(levelsOf([one]).map((row) => row[field]))]),
    });
  }
  metrics.values("gauge", {
    name: "knit_database_memory_bytes",
    help: "Memory of the database engine.",
    labels: ["database"],
    read: () =>
      databases.map((one) => [[one.name], Number(one.property("leveldb.approximate-memory-usage") ?? 0)]),
  });
}

const BY_LEVEL = [
  ["knit_database_level_bytes", "Bytes of table files by level.", "bytes"],
  ["knit_database_level_files", "Number of table files by level.", "files"],
] as const;

const IN_ALL = [
  ["knit_database_compaction_seconds_total", "Time spent rewriting table files.", "compactionSeconds"],
  ["knit_database_compaction_read_bytes_total", "Read in order to rewrite.", "readBytes"],
  ["knit_database_compaction_written_bytes_total", "Written into table files.", "writtenBytes"],
] as const;

/** The Go node's metrics of each level; its durations are nanoseconds. */
const GO_LEVEL = [
  ["size", "Bytes in table files of level", (row: LevelFigures) => row.bytes],
  ["tables", "Table files of level", (row: LevelFigures) => row.files],
  ["read", "Bytes read since the start to rewrite files of level", (row: LevelFigures) => row.readBytes],
  ["write", "Bytes written since the start into files of level", (row: LevelFigures) => row.writtenBytes],
  [
    "duration",
    "Nanoseconds since the start spent on rewriting files of level",
    (row: LevelFigures) => row.compactionSeconds * 1e9,
  ],
] as const;

/** A second, over the last minute. */
const GO_COMPACTION = [
  ["time", "Nanoseconds spent on rewriting files", (row: LevelFigures) => row.compactionSeconds * 1e9],
  ["read", "Bytes read in order to rewrite files", (row: LevelFigures) => row.readBytes],
  ["write", "Bytes written into table files", (row: LevelFigures) => row.writtenBytes],
] as const;

function declareGoNames(metrics: Metrics, prefix: string, property: WatchedDatabase["property"]): void {
  const rows = (): readonly LevelFigures[] => readStats(property("leveldb.stats") ?? "");
  for (let level = 0; level < LEVELS; level++) {
    for (const [name, help, of] of GO_LEVEL) {
      metrics.gauge({
        name: `${prefix}/level${level}/${name}`,
        help: `${help} ${level}.`,
        read: () => rows().reduce((found, row) => (row.level === level ? of(row) : found), 0),
      });
    }
  }
  for (const [name, help, of] of GO_COMPACTION) {
    metrics.readMeter({
      name: `${prefix}/compaction/${name}`,
      help: `${help} a second, over the last minute.`,
      read: () => sum(rows().map(of)),
    });
  }
}

function levelsOf(
  databases: readonly WatchedDatabase[],
): readonly (LevelFigures & { readonly name: string })[] {
  return databases.flatMap(({ name, property }) =>
    readStats(property("leveldb.stats") ?? "").map((row) => ({ ...row, name })),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
