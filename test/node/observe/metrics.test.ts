/** Tests of the metrics: names, labels, meters. */
import { expect, test } from "@jest/globals";
import { createMetrics, exportedName } from "../../../node/observe/metrics.ts";
import { MinuteRate } from "../../../node/observe/minute-rate.ts";

test("registry names are exported as the Go node exports them, our own as they are", () => {
  expect(exportedName("blockchain/head/blocknumber")).toBe("klaytn_blockchain_head_blocknumber");
  expect(exportedName("p2p/PeerCountGauge")).toBe("klaytn_p2p_PeerCountGauge");
  expect(exportedName("a b.c-d=e/f")).toBe("klaytn_a_b_c_d_e_f");
  expect(exportedName("knit_blocks_total")).toBe("knit_blocks_total");
});

test("a scrape shows gauges, counters and those read on demand, with help and type", async () => {
  const metrics = createMetrics();
  let height = 5;
  metrics.gauge({ name: "blockchain/head/blocknumber", help: "newest block", read: () => height });
  const pending = metrics.gauge({ name: "tx/pool/pending/gauge", help: "executable transactions" });
  const total = metrics.counter({ name: "knit_blocks_total", help: "blocks" });
  metrics.counter({ name: "rpc/counts/total", help: "calls" });
  pending.set(3);
  total.add(2);
  total.add(1);
  height = 6;
  const text = await metrics.render();
  expect(text).toContain(
    "# HELP klaytn_blockchain_head_blocknumber newest block\n# TYPE klaytn_blockchain_head_blocknumber gauge\nklaytn_blockchain_head_blocknumber 6\n",
  );
  expect(text).toContain("# TYPE klaytn_tx_pool_pending_gauge untyped\nklaytn_tx_pool_pending_gauge 3\n");
  expect(text).toContain("# TYPE knit_blocks_total counter\nknit_blocks_total 3\n");
  expect(text).toContain("# TYPE klaytn_rpc_counts_total untyped\n"); // a gauge may not be called so
  expect(metrics.contentType).toMatch(/^text\/plain; version=0\.0\.4/);
});

test("values are told apart by labels, whose text cannot break a line", async () => {
  const metrics = createMetrics();
  const calls = metrics.counters({ name: "knit_calls_total", help: "calls", labels: ["method", "end"] });
  calls.of("a", "ok").add(1);
  calls.of("a", "bad").add(1);
  calls.of("a", "ok").add(1);
  const labels = ["x"];
  metrics.values("gauge", { name: "knit_y", help: "y", labels, read: () => [[['"\n\\'], 7]] });
  metrics.values("gauge", { name: "knit_none", help: "none", labels, read: () => [] });
  const text = await metrics.render();
  expect(text).toContain(
    'knit_calls_total{method="a",end="ok"} 2\nknit_calls_total{method="a",end="bad"} 1\n',
  );
  expect(text).toContain('knit_y{x="\\"\\n\\\\"} 7\n');
  expect(text).not.toContain("knit_none");
});

test("a histogram counts each value in every bucket that holds it, by labels too", async () => {
  const metrics = createMetrics();
  const seconds = metrics.histogram({ name: "chain/inserts", help: "time of a block", buckets: [0.1, 1] });
  for (const value of [0.05, 0.1, 0.5, 7]) seconds.observe(value);
  const labels = ["method"];
  const calls = metrics.histograms({ name: "knit_call_seconds", help: "calls", labels, buckets: [1] });
  calls.of("a").observe(2);
  const text = await metrics.render();
  expect(text).toContain('klaytn_chain_inserts_bucket{le="0.1"} 2\n');
  expect(text).toContain('klaytn_chain_inserts_bucket{le="1"} 3\n');
  expect(text).toContain('klaytn_chain_inserts_bucket{le="+Inf"} 4\n');
  expect(text).toContain("klaytn_chain_inserts_sum 7.65\nklaytn_chain_inserts_count 4\n");
  expect(text).toContain(
    'knit_call_seconds_bucket{method="a",le="1"} 0\nknit_call_seconds_bucket{method="a",le="+Inf"} 1\nknit_call_seconds_sum{method="a"} 2\nknit_call_seconds_count{method="a"} 1\n',
  );
  calls.of("a").observe(0.5);
  const later = await metrics.render();
  expect(later).toContain('knit_call_seconds_bucket{method="a",le="1"} 1\n');
  expect(later).toContain('knit_call_seconds_sum{method="a"} 2.5\nknit_call_seconds_count{method="a"} 2\n');
  expect(later).toContain("klaytn_chain_inserts_sum 7.65\nklaytn_chain_inserts_count 4\n"); // as before
});

test("a meter tells what came a second in the last minute, in steps of five seconds", () => {
  let now = 0;
  const rate = new MinuteRate(() => now);
  rate.add(600);
  now = 4_999;
  expect(rate.perSecond).toBe(0); // nothing is known yet
  now = 5_000;
  expect(rate.perSecond).toBe(120);
  now = 65_000;
  expect(rate.perSecond).toBeCloseTo(120 / Math.E, 6);
  for (let i = 0; i < 120; i++) {
    now += 5_000;
    rate.add(50);
  }
  now += 5_000;
  expect(rate.perSecond).toBeCloseTo(10, 2);
});

test("the process's own metrics are there, and metrics declared between scrapes join", async () => {
  const metrics = createMetrics();
  const first = await metrics.render();
  expect(first).toContain("process_resident_memory_bytes");
  expect(first).toContain("nodejs_eventloop_lag_p99_seconds");
  metrics.gauge({ name: "knit_late", help: "late" }).set(1);
  metrics.gauge({ name: "late", help: "late" }).set(1);
  expect(await metrics.render()).toContain("klaytn_late 1\n");
  const own = await metrics.render("own");
  expect(own).toContain("knit_late 1\n");
  expect(own).toContain("process_resident_memory_bytes");
  expect(own).not.toContain("klaytn_late");
});

test("a name cannot be declared twice", () => {
  const metrics = createMetrics();
  metrics.counter({ name: "a/b", help: "" });
  expect(() => metrics.gauge({ name: "a.b", help: "" })).toThrow("metric klaytn_a_b is declared twice");
});

test("a total that is read becomes a rate from the first scrape on", async () => {
  const metrics = createMetrics();
  let total = 1_000_000;
  metrics.readMeter({ name: "system/disk/readdata", help: "bytes", read: () => total });
  expect(await metrics.render()).toContain("klaytn_system_disk_readdata 0\n");
  total = 0; // another process, or a counter that began anew
  expect(await metrics.render()).toContain("klaytn_system_disk_readdata 0\n");
});
