/** Tests of docs/metrics.md and the names of metrics. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { createMetrics, type Declaration } from "../../../node/observe/metrics.ts";
import { declareAll, METRICS_DOCS, metricsDocs } from "../../../scripts/metrics-docs.ts";

function declarations(): readonly Declaration[] {
  const metrics = createMetrics();
  declareAll(metrics);
  return metrics.declared;
}

test("the page about metrics says what is declared; node scripts/metrics-docs.ts writes it anew", async () => {
  expect(readFileSync(METRICS_DOCS, "utf8")).toBe(await metricsDocs());
});

test("names of our own keep Prometheus' rules", () => {
  const own = declarations().filter(({ name }) => name.startsWith("knit_"));
  expect(own.length).toBeGreaterThan(20);
  for (const { name, type, labels } of own) {
    for (const word of [name, ...labels]) expect(word).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
    expect([name, name.endsWith("_total")]).toEqual([name, type === "counter"]);
    expect(name).not.toMatch(/_(count|sum|bucket|gauge|counter|histogram|milliseconds|ms|mb|percent)$/);
  }
});

test("every metric says in a sentence what it is", () => {
  for (const { name, help } of declarations())
    expect([name, help]).toEqual([name, expect.stringMatching(/^[A-Z0-9].*\.$/)]);
});
