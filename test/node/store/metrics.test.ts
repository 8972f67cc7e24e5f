/** Tests of the metrics of the databases. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { createMetrics } from "../../../node/observe/metrics.ts";
import { openLevelStore } from "../../../node/store/level-store.ts";
import { declareStoreMetrics, readStats } from "../../../node/store/metrics.ts";

const STATS = `                               Compactions
Level  Files Size(MB) Time(sec) Read(MB) Write(MB)
--------------------------------------------------
  0        2        1         3        4         5
  6       10      100         7        8         9
`;

test("the engine's table is read: a line a level", () => {
  expect(readStats(STATS)).toEqual([
    { level: 0, files: 2, bytes: 1 << 20, compactionSeconds: 3, readBytes: 4 << 20, writtenBytes: 5 << 20 },
    {
      level: 6,
      files: 10,
      bytes: 100 << 20,
      compactionSeconds: 7,
      readBytes: 8 << 20,
      writtenBytes: 9 << 20,
    },
  ]);
});

test("databases are told apart; of one that is not open nothing is told", async () => {
  const metrics = createMetrics();
  declareStoreMetrics(metrics, [
    { name: "chain", property: (name) => (name === "leveldb.stats" ? STATS : "77") },
    { name: "trie", property: () => undefined },
  ]);
  const text = await metrics.render();
  expect(text).toContain("klaytn_klay_db_chaindata_level6_size 104857600\n");
  expect(text).toContain("klaytn_klay_db_chaindata_statetrie_level6_size 0\n");
  expect(text).toContain('knit_database_level_files{database="chain",level="6"} 10\n');
  expect(text).toContain('knit_database_compaction_seconds_total{database="chain"} 10\n');
  expect(text).toContain('knit_database_memory_bytes{database="chain"} 77\n');
  expect(text).not.toContain('level_bytes{database="trie"');
});

test("a real database's table can be read", async () => {
  const parent = mkdtempSync(join(tmpdir(), "knit-stats-"));
  try {
    await using store = await openLevelStore(join(parent, "db"));
    const batch = store.createBatch();
    batch.put(
      Uint8Array.of(1),
      new Uint8Array(3 << 20).map((_, i) => (i * i) >> 3),
    );
    await store.write(batch, { sync: true });
    await store.compact();
    const figures = readStats(store.property("leveldb.stats") ?? "");
    expect(figures.reduce((sum, { files }) => sum + files, 0)).toBeGreaterThan(0);
  } finally {
    rmSync(parent, { recursive: true });
  }
});
