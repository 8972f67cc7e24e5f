import { expect, test } from "@jest/globals";
import { createMetrics, exportedName } from "../../../node/observe/metrics.ts";

test("registry names are exported as the Go node exports them", () => {
  expect(exportedName("blockchain/head/blocknumber")).toBe("klaytn_blockchain_head_blocknumber");
  expect(exportedName("p2p/PeerCountGauge")).toBe("klaytn_p2p_PeerCountGauge");
  expect(exportedName("a b.c-d=e/f")).toBe("klaytn_a_b_c_d_e_f");
});

test("a scrape shows gauges, counters and those read on demand, with help and type", async () => {
  const metrics = createMetrics();
  let height = 5;
  metrics.gauge({ name: "blockchain/head/blocknumber", help: "newest block", read: () => height });
  const pending = metrics.gauge({ name: "tx/pool/pending/gauge", help: "executable transactions" });
  const total = metrics.counter({ name: "rpc/counts/total", help: "calls" });
  pending.set(3);
  total.add(2);
  total.add(1);
  height = 6;
  const text = await metrics.render();
  expect(text).toContain(
    "# HELP klaytn_blockchain_head_blocknumber newest block\n# TYPE klaytn_blockchain_head_blocknumber gauge\nklaytn_blockchain_head_blocknumber 6\n",
  );
  expect(text).toContain("klaytn_tx_pool_pending_gauge 3\n");
  expect(text).toContain("# TYPE klaytn_rpc_counts_total counter\nklaytn_rpc_counts_total 3\n");
  expect(metrics.contentType).toMatch(/^text\/plain; version=0\.0\.4/);
});

test("a histogram counts each value in every bucket that holds it", async () => {
  const metrics = createMetrics();
  const seconds = metrics.histogram({ name: "chain/inserts", help: "time of a block", buckets: [0.1, 1] });
  for (const value of [0.05, 0.1, 0.5, 7]) seconds.observe(value);
  const text = await metrics.render();
  expect(text).toContain('klaytn_chain_inserts_bucket{le="0.1"} 2\n');
  expect(text).toContain('klaytn_chain_inserts_bucket{le="1"} 3\n');
  expect(text).toContain('klaytn_chain_inserts_bucket{le="+Inf"} 4\n');
  expect(text).toContain("klaytn_chain_inserts_sum 7.65\n");
  expect(text).toContain("klaytn_chain_inserts_count 4\n");
});

test("the process's own metrics are there, and metrics declared between scrapes join", async () => {
  const metrics = createMetrics();
  expect(await metrics.render()).toContain("process_resident_memory_bytes");
  metrics.gauge({ name: "late", help: "late" }).set(1);
  expect(await metrics.render()).toContain("klaytn_late 1\n");
});

test("a name cannot be declared twice", () => {
  const metrics = createMetrics();
  metrics.counter({ name: "a/b", help: "" });
  expect(() => metrics.gauge({ name: "a.b", help: "" })).toThrow("metric klaytn_a_b is declared twice");
});
