/** Writes docs/operator-metrics.md from the declarations: `node scripts/operator-metrics-docs.ts`. */
import { writeFileSync } from "node:fs";
import type { Declaration } from "../operator/observe/declarations.ts";
import { createGatewayMetrics } from "../operator/observe/gateway-metrics.ts";
import { createMetrics, type OperatorMetrics } from "../operator/observe/metrics.ts";

/** Where the page is. */
export const OPERATOR_METRICS_DOCS = "docs/operator-metrics.md";

/** The operator's metrics with nothing to read. */
export function unreadMetrics(): OperatorMetrics {
  return createMetrics({
    host: () => "",
    depths: () => ({}),
    nodes: () => 0,
    readyNodes: () => 0,
    leading: () => false,
    figures: () => [],
  });
}

const INTRODUCTION = `# The operator's metrics

<!-- Written by scripts/operator-metrics-docs.ts from the declarations. Do not edit. -->

The operator serves these at \`/metrics\` on port 8080 of its pod, the gateway at port 7444 of a node's pod; those of the node itself are in [metrics.md](metrics.md). Names without \`knit_\` are the ones that dashboards for controllers and for Node.js know.

- \`name\` and \`controller\` are \`node\` or \`network\`, the two kinds that are worked on; \`result\` is \`success\`, \`requeue_after\` or \`error\`.
- \`node\` is a replica: the name of its Node, with \`-m1\` and so on from the second on. A value that is not known has no line: a node that does not answer has no height. Above 5,000 replicas the rest is left out.
- \`code\`, \`method\` and \`host\` are those of a request to the API server, \`outcome\` of a call through a gateway is \`answered\` or the hop that failed.
`;

/** The whole page. */
export function operatorMetricsDocs(): string {
  const operator = unreadMetrics().declared();
  const gateway = createGatewayMetrics().declared();
  const sections: readonly (readonly [string, readonly Declaration[]])[] = [
    ["Nodes", operator.filter(({ name }) => name.startsWith("knit_node_"))],
    ["The operator", operator.filter((row) => !row.name.startsWith("knit_node_") && !isOfProcess(row))],
    ["The gateway", gateway.filter((row) => !isOfProcess(row))],
    ["Of either process", operator.filter(isOfProcess)],
  ];
  return [INTRODUCTION, ...sections.map(([title, rows]) => section(title, rows))].join("\n");
}

function isOfProcess({ name }: Declaration): boolean {
  return /^(process|nodejs)_/.test(name);
}

function section(title: string, rows: readonly Declaration[]): string {
  const lines = rows
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, type, help, labels }) => {
      const labelled = labels.length === 0 ? "" : ` {${labels.join(", ")}}`;
      return `| \`${name}${labelled}\` | ${type} | ${help} |`;
    });
  return `## ${title}\n\n| name | type | says |\n|---|---|---|\n${lines.join("\n")}\n`;
}

if (import.meta.main) {
  writeFileSync(new URL(`../${OPERATOR_METRICS_DOCS}`, import.meta.url), operatorMetricsDocs());
}
