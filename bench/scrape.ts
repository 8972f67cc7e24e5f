/**
 * One scrape of the metrics with calls of 1,000 methods counted, each in two outcomes, 14 lines a method, of which a
 * tenth were called since the scrape before: milliseconds until its bytes are there, in the middle and at most, those
 * of processor time, and how many bytes. `node bench/scrape.ts`
 */

import { declareCallMetrics } from "../node/jsonrpc/metrics.ts";
import { createMetrics } from "../node/observe/metrics.ts";
import { median, report, roundTo } from "./support/figures.ts";

const METHODS = 1_000;
const SCRAPES = 50;
/** Methods that are called between two scrapes. */
const CALLED = METHODS / 10;

const metrics = createMetrics();
const onCall = declareCallMetrics(metrics);
for (let i = 0; i < METHODS; i++) {
  onCall(`chain_method${i}`, "ok", i / 100);
  onCall(`chain_method${i}`, "failed", i);
}
await metrics.render(); // loads what collects the process's own
const times: number[] = [];
const cpuTimes: number[] = [];
let bytes = 0;
for (let i = 0; i < SCRAPES; i++) {
  for (let j = 0; j < CALLED; j++) onCall(`chain_method${(i * CALLED + j) % METHODS}`, "ok", j);
  const [started, before] = [performance.now(), process.cpuUsage()];
  bytes = Buffer.from(await metrics.render()).length;
  times.push(performance.now() - started);
  const { user, system } = process.cpuUsage(before);
  cpuTimes.push((user + system) / 1000);
}
const started = performance.now();
for (let i = 0; i < 1_000_000; i++) onCall("chain_method7", "ok", 1);
const perCallNs = Math.round(performance.now() - started);
report({
  row: "scrape",
  methods: METHODS,
  bytes,
  medianMs: roundTo(median(times)),
  mostMs: roundTo(Math.max(...times)),
  medianCpuMs: roundTo(median(cpuTimes)),
  perCallNs,
});
