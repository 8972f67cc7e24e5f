/** Writes the Grafana dashboards of the chart from rows of panels: `node scripts/dashboards.ts`. */
import { mkdirSync, writeFileSync } from "node:fs";

/** Directory of the dashboards. */
export const DASHBOARDS = "charts/knit-operator/dashboards";

/** A panel: its title, the unit of its values, and queries with the texts of their legends. */
interface Panel {
  readonly title: string;
  readonly unit: "none" | "short" | "s" | "bytes" | "percentunit" | "ops" | "Bps" | "bool_yes_no";
  readonly queries: readonly (readonly [expr: string, legend: string])[];
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  /** Variables by name: the query of their values. */
  readonly variables: Readonly<Record<string, string>>;
  readonly panels: readonly Panel[];
}

const IN_NETWORK = 'namespace="$namespace",network="$network"';
const OF_NODE = 'namespace="$namespace",node="$node"';

/** The processes of the operator: names of its other series are those of every controller. */
const LEADER = 'leader_election_master_status{name="knit-operator",namespace="$namespace"}';

/** Series of the operator alone, whatever else of these names is in Prometheus. */
function ofOperator(expr: string): string {
  return `${expr} and on (namespace, pod) ${LEADER}`;
}

/** One panel with one query. */
function panel(title: string, unit: Panel["unit"], expr: string, legend: string): Panel {
  return { title, unit, queries: [[expr, legend]] };
}

/** The dashboards, one row each. */
export const dashboards: readonly Dashboard[] = [
  {
    uid: "knit-network",
    title: "Knit: network",
    variables: {
      namespace: "label_values(knit_network_ready, namespace)",
      network: 'label_values(knit_network_ready{namespace="$namespace"}, network)',
    },
    panels: [
      panel("Ready", "bool_yes_no", `knit_network_ready{${IN_NETWORK}}`, "ready"),
      panel("Makes blocks", "bool_yes_no", `knit_network_producing{${IN_NETWORK}}`, "producing"),
      panel("Tolerates a failure", "bool_yes_no", `knit_network_fault_tolerant{${IN_NETWORK}}`, "tolerant"),
      panel("Height", "none", `knit_network_height{${IN_NETWORK}}`, "height"),
      panel("Ready nodes by type", "short", `sum by (type) (knit_node_ready{${IN_NETWORK}})`, "{{type}}"),
      panel("Blocks behind", "short", `knit_node_lag_blocks{${IN_NETWORK}}`, "{{node}}"),
      panel("Peers", "short", `knit_node_peers{${IN_NETWORK}}`, "{{node}}"),
      panel("Missing peers", "short", `knit_node_peers_missing{${IN_NETWORK}}`, "{{node}}"),
      panel(
        "Used part of volumes",
        "percentunit",
        `knit_node_disk_used_bytes{${IN_NETWORK}} / knit_node_disk_capacity_bytes{${IN_NETWORK}}`,
        "{{node}}",
      ),
      panel("Maintenance in progress", "short", `knit_node_maintenance{${IN_NETWORK}}`, "{{node}}"),
    ],
  },
  {
    uid: "knit-node",
    title: "Knit: node",
    variables: {
      namespace: "label_values(knit_ready, namespace)",
      node: 'label_values(knit_ready{namespace="$namespace"}, node)',
    },
    panels: [
      panel("Ready", "bool_yes_no", `knit_ready{${OF_NODE}}`, "ready"),
      panel("Reasons for not being ready", "short", `knit_readiness_reason{${OF_NODE}}`, "{{reason}}"),
      panel("Age of the newest block", "s", `knit_head_age_seconds{${OF_NODE}}`, "age"),
      panel("Blocks", "ops", `rate(knit_blocks_total{${OF_NODE}}[5m])`, "blocks"),
      panel("Calls", "ops", `sum by (outcome) (rate(knit_rpc_calls_total{${OF_NODE}}[5m]))`, "{{outcome}}"),
      panel(
        "Duration of calls, 99 percent",
        "s",
        `histogram_quantile(0.99, sum by (le) (rate(knit_rpc_call_duration_seconds_bucket{${OF_NODE}}[5m])))`,
        "p99",
      ),
      {
        title: "Memory",
        unit: "bytes",
        queries: [
          [`knit_memory_used_bytes{${OF_NODE}}`, "used"],
          [`knit_memory_limit_bytes{${OF_NODE}}`, "limit"],
        ],
      },
      panel("Free disk", "bytes", `knit_disk_free_bytes{${OF_NODE}}`, "free"),
      {
        title: "Traffic with peers",
        unit: "Bps",
        queries: [
          [`rate(knit_p2p_received_bytes_total{${OF_NODE}}[5m])`, "received"],
          [`rate(knit_p2p_sent_bytes_total{${OF_NODE}}[5m])`, "sent"],
        ],
      },
      panel("Processor", "none", `rate(process_cpu_seconds_total{${OF_NODE}}[5m])`, "{{container}}"),
      panel(
        "Certificate of the gateway ends in",
        "s",
        `knit_gateway_certificate_expiration_timestamp_seconds{${OF_NODE}} - time()`,
        "left",
      ),
    ],
  },
  {
    uid: "knit-operator",
    title: "Knit: operator",
    variables: { namespace: 'label_values(leader_election_master_status{name="knit-operator"}, namespace)' },
    panels: [
      panel("Leader", "short", LEADER, "{{pod}}"),
      {
        title: "Nodes",
        unit: "short",
        queries: [
          ['max(knit_operator_nodes{namespace="$namespace"})', "all"],
          ['max(knit_operator_ready_nodes{namespace="$namespace"})', "ready"],
        ],
      },
      panel("Waiting keys", "short", `sum by (name) (${ofOperator("workqueue_depth")})`, "{{name}}"),
      panel(
        "Reconciliations",
        "ops",
        `sum by (controller, result) (${ofOperator("rate(controller_runtime_reconcile_total[5m])")})`,
        "{{controller}} {{result}}",
      ),
      panel(
        "Duration of reconciliations, 99 percent",
        "s",
        `histogram_quantile(0.99, sum by (le, controller) (${ofOperator("rate(controller_runtime_reconcile_time_seconds_bucket[5m])")}))`,
        "{{controller}}",
      ),
      panel(
        "Requests to the API server",
        "ops",
        `sum by (code, method) (${ofOperator("rate(rest_client_requests_total[5m])")})`,
        "{{method}} {{code}}",
      ),
      panel(
        "Fields that the definitions lack",
        "short",
        'max(knit_operator_definition_missing_fields{namespace="$namespace"})',
        "fields",
      ),
      panel("Memory", "bytes", ofOperator("process_resident_memory_bytes"), "{{pod}}"),
    ],
  },
];

/** Formats a dashboard as Grafana reads it. */
export function dashboardText({ uid, title, variables, panels }: Dashboard): string {
  const datasource = { type: "prometheus", uid: "${datasource}" };
  const list = [
    { name: "datasource", label: "Data source", type: "datasource", query: "prometheus" },
    ...Object.entries(variables).map(([name, query]) => ({
      name,
      type: "query",
      datasource,
      query: { query, refId: name },
      refresh: 2,
      sort: 1,
    })),
  ];
  const dashboard = {
    uid,
    title,
    tags: ["knit"],
    schemaVersion: 39,
    time: { from: "now-6h", to: "now" },
    refresh: "30s",
    templating: { list },
    panels: panels.map(({ title: name, unit, queries }, index) => ({
      id: index + 1,
      type: "timeseries",
      title: name,
      datasource,
      gridPos: { h: 8, w: 12, x: (index % 2) * 12, y: Math.floor(index / 2) * 8 },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      options: { legend: { displayMode: "list", placement: "bottom", showLegend: true } },
      targets: queries.map(([expr, legendFormat], place) => ({
        refId: String.fromCharCode(65 + place),
        datasource,
        expr,
        legendFormat,
      })),
    })),
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
}

if (import.meta.main) {
  mkdirSync(DASHBOARDS, { recursive: true });
  for (const dashboard of dashboards)
    writeFileSync(`${DASHBOARDS}/${dashboard.uid}.json`, dashboardText(dashboard));
}
