/** Writes docs/metrics.md from the declarations: `node scripts/metrics-docs.ts`. What it lists is what is scraped. */
import { writeFileSync } from "node:fs";
import { declareAuctionMetrics } from "../node/auction/metrics.ts";
import { declareChainMetrics, declareInsertMetrics } from "../node/chain/metrics.ts";
import { declareForkMetrics } from "../node/compose/fork-watch.ts";
import { declareNodeMetrics } from "../node/compose/metrics.ts";
import { openReadiness } from "../node/compose/readiness.ts";
import { declareEngineMetrics } from "../node/consensus/bft/metrics.ts";
import { declareDraftMetrics } from "../node/consensus/draft-metrics.ts";
import { declareGaslessMetrics } from "../node/gasless/metrics.ts";
import { createBudget } from "../node/jsonrpc/dispatch-budget.ts";
import { declareCallMetrics, declareRpcMetrics } from "../node/jsonrpc/metrics.ts";
import { createMetrics, type Metrics, processMetrics } from "../node/observe/metrics.ts";
import { declareDiscoveryMetrics, declareP2pMetrics } from "../node/p2p/metrics.ts";
import { declareProtocolMetrics } from "../node/protocol/metrics.ts";
import { declareTrafficMetrics } from "../node/protocol/traffic-metrics.ts";
import { declareExposureMetrics } from "../node/transport/exposure.ts";
import {
  declarePoolMetrics,
  declareThrottlerGauges,
  declareThrottlerMetrics,
} from "../node/txpool/metrics.ts";

/** Path of the page. */
export const METRICS_DOCS = "docs/metrics.md";

/** Declares what a node declares. Nothing is read while the page is written, and listeners hear nothing. */
export function declareAll(metrics: Metrics): void {
  const unread = { onHead: () => undefined, onInserted: () => undefined, nodeCache: {} } as never; // see above
  declareNodeMetrics(metrics, unread, unread);
  declareChainMetrics(metrics, unread, unread);
  declareForkMetrics(metrics, unread);
  declareInsertMetrics(metrics, unread, unread);
  declarePoolMetrics(metrics, unread);
  declareThrottlerMetrics(metrics);
  declareThrottlerGauges(metrics, unread);
  declareAuctionMetrics(metrics, unread);
  declareGaslessMetrics(metrics, unread);
  declareP2pMetrics(metrics, unread, unread);
  declareDiscoveryMetrics(metrics, unread);
  declareProtocolMetrics(metrics, { peers: unread, behind: unread });
  declareTrafficMetrics(metrics);
  declareEngineMetrics(metrics, unread);
  declareDraftMetrics(metrics);
  declareRpcMetrics(metrics, createBudget(), unread);
  declareCallMetrics(metrics);
  declareExposureMetrics(metrics, unread);
  const network = { seeksPeers: false, protocol: { synced: Promise.resolve() } as never };
  const state = { ready: Promise.resolve(), migration: unread };
  openReadiness(
    { options: unread, chain: unread, clock: unread, state, network, disk: unread, signing: () => undefined },
    metrics,
  );
}

const INTRODUCTION = `# Metrics

<!-- Written by scripts/metrics-docs.ts from the declarations. Do not edit. -->

\`--metrics --prometheus\` serves metrics on port 61001 (\`--prometheusport\`) of all interfaces; \`knit dev\` serves them on loopback.

| path | response |
|---|---|
| \`/metrics\` | all metrics |
| \`/metrics/own\` | all metrics except those for dashboards of the Go node |
| \`/healthz\` | 200 while the process works |
| \`/readyz\` | 200 if clients can use the node, otherwise 503: \`{"ready":false,"reasons":["syncing"]}\` |

Reasons for 503:

- \`starting\`: the state is being prepared, or no peer has responded yet.
- \`syncing\`: blocks are missing.
- \`too-few-peers\`: peers are configured and none is connected.
- \`stale-head\`: an endpoint with configured peers has had no new block for a minute, or for ten times
  \`--block-generation-interval\` if that is longer.
- \`listening\`: a validator with a new signing record listens for another node with its key.
- \`below-min-height\`: the chain has not reached \`--consensus.min-height\`.
- \`doppelganger\`: another node signs with this node's key; this node has stopped signing ([network.md](network.md#two-nodes-with-one-key)).
- \`disk-low\`: less than \`--db.min-free\` is free; the node writes no blocks until there is space.
- \`unknown-fork\`: the next block has a fork that this version has no rules for ([running.md](running.md#forks-of-later-versions)).

\`unknown-fork-soon\` (such a fork within 86,400 blocks) and \`migrating\` are also reported but do not cause 503: blocks and calls continue.

Names with the prefix \`knit_\` follow the rules of Prometheus: base units, counters end in \`_total\`. Names with the prefix \`klaytn_\` are those of the Go node, for its dashboards; they are gauges as there. The rest are the metrics of Node.js processes.

\`promtool check metrics\` accepts a scrape of \`/metrics/own\`. For \`/metrics\` it reports one kind of error, "metric names should be written in 'snake_case' not 'camelCase'", for names of the Go node (\`klaytn_p2p_PeerCountGauge\`), and ends with code 3. On the Go node (Kaia v2.2.1) it reports 65 errors, 27 of this kind. Use \`/metrics/own\` for such checks. Metrics of the Go node whose names end in \`_total\`, \`_count\` or \`_gauge\` are \`untyped\`, because the type would be an error; queries are not affected.

Some metrics of the Go node are absent:

- metrics of functions that Knit does not have: prefetching, snapshots, bridges, fetchers of chain data, staking data and receipts of the downloader, a cache for each kind of row;
- metrics that Knit does not measure separately: reads and updates of accounts and slots, which take less time than reading the clock, and commits of slots, which are part of those of accounts;
- internal metrics of the Go node's database: allocations, iterators, a database for each kind of row (see \`knit_disk_use_bytes\`).
`;

/** The whole page. */
export async function metricsDocs(): Promise<string> {
  const metrics = createMetrics();
  declareAll(metrics);
  const all = metrics.declared.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const own = all.filter(({ name }) => name.startsWith("knit_"));
  const others = all.filter(({ name }) => !name.startsWith("knit_"));
  const ofProcess = (await processMetrics()).declarations().map((row) => ({ ...row, labels: [] }));
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
  return `## ${title}\n\n| name | type | description |\n|---|---|---|\n${lines.join("\n")}\n`;
}

if (import.meta.main) writeFileSync(new URL(`../${METRICS_DOCS}`, import.meta.url), await metricsDocs());
