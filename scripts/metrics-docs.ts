/** Writes docs/metrics.md from the declarations: `node scripts/metrics-docs.ts`. What it lists is what is scraped. */
import { writeFileSync } from "node:fs";
import { declareChainMetrics, declareInsertMetrics } from "../node/chain/metrics.ts";
import { declareNodeMetrics } from "../node/compose/metrics.ts";
import { openReadiness } from "../node/compose/readiness.ts";
import { declareEngineMetrics } from "../node/consensus/bft/metrics.ts";
import { declareDraftMetrics } from "../node/consensus/draft-metrics.ts";
import { createBudget } from "../node/jsonrpc/dispatch-budget.ts";
import { declareCallMetrics, declareRpcMetrics } from "../node/jsonrpc/metrics.ts";
import { createMetrics, type Metrics } from "../node/observe/metrics.ts";
import { processMetrics } from "../node/observe/process-metrics.ts";
import { declareDiscoveryMetrics, declareP2pMetrics } from "../node/p2p/metrics.ts";
import { declareProtocolMetrics } from "../node/protocol/metrics.ts";
import { declareTrafficMetrics } from "../node/protocol/traffic-metrics.ts";
import { declareExposureMetrics } from "../node/transport/exposure.ts";
import {
  declarePoolMetrics,
  declareThrottlerGauges,
  declareThrottlerMetrics,
} from "../node/txpool/metrics.ts";

/** Where the page is. */
export const METRICS_DOCS = "docs/metrics.md";

/** Declares what a node declares. Nothing is read while the page is written, and listeners hear nothing. */
export function declareAll(metrics: Metrics): void {
  const unread = { onHead: () => undefined, onInserted: () => undefined, nodeCache: {} } as never; // see above
  declareNodeMetrics(metrics, unread, unread);
  declareChainMetrics(metrics, unread, unread);
  declareInsertMetrics(metrics, unread, unread);
  declarePoolMetrics(metrics, unread);
  declareThrottlerMetrics(metrics);
  declareThrottlerGauges(metrics, unread);
  declareP2pMetrics(metrics, unread, unread);
  declareDiscoveryMetrics(metrics, unread);
  declareProtocolMetrics(metrics, { peers: unread, behind: unread });
  declareTrafficMetrics(metrics);
  declareEngineMetrics(metrics, unread);
  declareDraftMetrics(metrics);
  declareRpcMetrics(metrics, createBudget(), unread);
  declareCallMetrics(metrics);
  declareExposureMetrics(metrics, unread);
  const network = { seeksPeers: false, protocol: unread };
  openReadiness({ state: { ready: Promise.resolve(), migration: unread }, network, disk: unread }, metrics);
}

const INTRODUCTION = `# Metrics

<!-- Written by scripts/metrics-docs.ts from the declarations. Do not edit. -->

\`--metrics --prometheus\` serves these on port 61001 (\`--prometheusport\`) of all interfaces; \`knit dev\` does so on loopback.

| path | tells |
|---|---|
| \`/metrics\` | everything |
| \`/metrics/own\` | the same without what is there for the Go node's dashboards alone |
| \`/healthz\` | 200 while the process works |
| \`/readyz\` | 200 when clients can be sent here, else 503; \`{"ready":false,"reasons":["syncing"]}\` |

Reasons that keep clients away: \`starting\` (the state is made ready, or no peer was heard yet), \`syncing\` (blocks are missing), \`too-few-peers\` (peers are configured and none is there), \`disk-low\` (less is free than \`--db.min-free\`: no blocks are written until there is room). \`migrating\` is told too and keeps nobody away: blocks and calls go on.

Names that begin with \`knit_\` keep Prometheus' rules: base units, counters end in \`_total\`. Those that begin with \`klaytn_\` are the Go node's, for dashboards made for it, and gauges as there, whatever they count. The rest is what every Node.js process tells.

\`promtool check metrics\` passes on a scrape of \`/metrics/own\`. On one of \`/metrics\` it has one complaint, "metric names should be written in 'snake_case' not 'camelCase'", of the names below that the Go node spells so (\`klaytn_p2p_PeerCountGauge\`): it looks at nothing but the name there, so that only another name would please it, and dashboards ask for this one. It ends with code 3 there, as on a scrape of the Go node itself (Kaia v2.2.1), of which it has 65 complaints, 27 of them this one: whoever judges scrapes takes \`/metrics/own\`. Where a type alone offends, in names that end in \`_total\`, \`_count\` or \`_gauge\`, none is told: those are \`untyped\`, which no query notices.

What the Go node has besides and is not here: what this node does not do (prefetching, snapshots, bridges, fetchers of chain data, staking facts and receipts of the downloader, a cache of each kind of row), what is not kept apart (reads and updates of accounts and slots, which take less time than looking at the clock, and the commit of slots, which is that of accounts), and what its engine counts of its own (allocations, iterators, a database of its own for each kind of row: \`knit_disk_use_bytes\` tells them apart).
`;

/** The whole page. */
export async function metricsDocs(): Promise<string> {
  const metrics = createMetrics();
  declareAll(metrics);
  const all = metrics.declared.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const own = all.filter(({ name }) => name.startsWith("knit_"));
  const others = all.filter(({ name }) => !name.startsWith("knit_"));
  const ofProcess = (await processMetrics()).declared().map((row) => ({ ...row, labels: [] }));
  const sections = [
    ["Our own", own],
    ["The Go node's", others],
    ["Of the process", ofProcess],
  ] as const;
  return [INTRODUCTION, ...sections.map(([title, rows]) => section(title, rows))].join("\n");
}

interface MetricRow {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
}

function section(title: string, rows: readonly MetricRow[]): string {
  const lines = rows.map(({ name, type, help, labels }) => {
    const labelled = labels.length === 0 ? "" : ` {${labels.join(", ")}}`;
    return `| \`${name}${labelled}\` | ${type} | ${help} |`;
  });
  return `## ${title}\n\n| name | type | says |\n|---|---|---|\n${lines.join("\n")}\n`;
}

if (import.meta.main) writeFileSync(new URL(`../${METRICS_DOCS}`, import.meta.url), await metricsDocs());
