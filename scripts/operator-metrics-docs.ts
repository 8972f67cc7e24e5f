/** Writes docs/operator-metrics.md from the declarations: `node scripts/operator-metrics-docs.ts`. */
import { writeFileSync } from "node:fs";
import type { Declaration } from "../operator/observe/declarations.ts";
import { createGatewayMetrics } from "../operator/observe/gateway-metrics.ts";
import { createMetrics, type OperatorMetrics } from "../operator/observe/metrics.ts";

/** Path of the page. */
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
    networks: () => [],
    missingFields: () => undefined,
    missingNamespaces: () => 0,
  });
}

const INTRODUCTION = `# The operator's metrics

<!-- Written by scripts/operator-metrics-docs.ts from the declarations. Do not edit. -->

The operator serves these metrics at \`/metrics\` on port 8080 of its pod, the gateway on port 7444 of the pod of a node. Those of the node are in [metrics.md](metrics.md). Names without \`knit_\` are the usual ones of controllers and of Node.js.

- \`name\` and \`controller\` are the reconciled kind, \`node\` or \`network\`; \`result\` is \`success\`, \`requeue_after\` or \`error\`.
- \`node\` is a replica: the name of its Node, with \`-m1\` and so on for the second and further ones. An unknown value has no line: a node that does not respond has no height. Replicas above 5,000 are omitted.
- \`code\`, \`method\` and \`host\` describe a request to the API server. \`outcome\` of a call through a gateway is \`answered\` or the hop that failed.
`;

/** The whole page. */
export function operatorMetricsDocs(): string {
  const operator = unreadMetrics().declarations();
  const gateway = createGatewayMetrics().declarations();
  const sections: readonly (readonly [string, readonly Declaration[]])[] = [
    ["Nodes", operator.filter(({ name }) => name.startsWith("knit_node_"))],
    ["Networks", operator.filter(({ name }) => name.startsWith("knit_network_"))],
    ["The operator", operator.filter((row) => !/^knit_(node|network)_/.test(row.name) && !isOfProcess(row))],
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
  return `## ${title}\n\n| name | type | description |\n|---|---|---|\n${lines.join("\n")}\n`;
}

if (import.meta.main) {
  writeFileSync(new URL(`../${OPERATOR_METRICS_DOCS}`, import.meta.url), operatorMetricsDocs());
}
