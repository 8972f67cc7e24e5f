/**
 * The jobs of Prometheus that the Prometheus Operator makes of PodMonitors and ServiceMonitors, as far as ours use them.
 * The targets are found by the API server, and have the labels of its v0.85.0 (generatePodMonitorConfig,
 * generateServiceMonitorConfig).
 */

interface Relabeling {
  readonly sourceLabels: readonly string[];
  readonly targetLabel: string;
}

interface Endpoint {
  readonly port: string;
  readonly path?: string;
  readonly interval: string;
  readonly honorLabels?: boolean;
  readonly relabelings?: readonly Relabeling[];
}

/** A PodMonitor or a ServiceMonitor. */
export interface Monitor {
  readonly kind: string;
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly podMetricsEndpoints?: readonly Endpoint[];
    readonly endpoints?: readonly Endpoint[];
  };
}

/** The access to the API server, and the change of intervals. */
export interface ScrapeOptions {
  readonly kubeconfig: string;
  readonly interval: (given: string) => string;
}

type Rule = Readonly<Record<string, string | readonly string[]>>;

/** The jobs of a monitor, one for each of its endpoints. */
export function scrapeJobs(monitor: Monitor, { kubeconfig, interval }: ScrapeOptions): readonly object[] {
  const { kind, metadata, spec } = monitor;
  const isOfPods = kind === "PodMonitor";
  return (spec.podMetricsEndpoints ?? spec.endpoints ?? []).map((endpoint, index) => ({
    job_name: `${kind}/${metadata.namespace}/${metadata.name}/${index}`,
    kubernetes_sd_configs: [
      {
        role: isOfPods ? "pod" : "endpointslice",
        kubeconfig_file: kubeconfig,
        namespaces: { names: [metadata.namespace] },
      },
    ],
    scrape_interval: interval(endpoint.interval),
    scrape_timeout: interval(endpoint.interval),
    metrics_path: endpoint.path ?? "/metrics",
    honor_labels: endpoint.honorLabels ?? false,
    relabel_configs: [
      ...selectedBy(isOfPods ? "pod" : "service", spec.selector.matchLabels),
      ...(isOfPods ? podRules(metadata, endpoint) : serviceRules(endpoint)),
      { action: "drop", source_labels: ["__meta_kubernetes_pod_phase"], regex: "(Failed|Succeeded)" },
      { target_label: "endpoint", replacement: endpoint.port },
      ...(endpoint.relabelings ?? []).map(({ sourceLabels, targetLabel }) => from(sourceLabels, targetLabel)),
    ],
  }));
}

/** Keeps what has all of these labels. */
function selectedBy(what: string, labels: Readonly<Record<string, string>>): readonly Rule[] {
  return Object.entries(labels).map(([name, value]) => {
    const label = name.replaceAll(/[^a-zA-Z0-9_]/g, "_");
    const sources = ["label", "labelpresent"].map((kind) => `__meta_kubernetes_${what}_${kind}_${label}`);
    return { action: "keep", source_labels: sources, regex: `(${value});true` };
  });
}

function podRules({ namespace, name }: Monitor["metadata"], { port }: Endpoint): readonly Rule[] {
  return [
    { action: "keep", source_labels: ["__meta_kubernetes_pod_container_port_name"], regex: port },
    ...PLACE,
    { target_label: "job", replacement: `${namespace}/${name}` },
  ];
}

function serviceRules({ port }: Endpoint): readonly Rule[] {
  return [
    { action: "keep", source_labels: ["__meta_kubernetes_endpointslice_port_name"], regex: port },
    ...PLACE,
    from(["__meta_kubernetes_service_name"], "service"),
    from(["__meta_kubernetes_service_name"], "job"),
  ];
}

function from(source_labels: readonly string[], target_label: string): Rule {
  return { source_labels, target_label };
}

const PLACE: readonly Rule[] = [
  from(["__meta_kubernetes_namespace"], "namespace"),
  from(["__meta_kubernetes_pod_container_name"], "container"),
  from(["__meta_kubernetes_pod_name"], "pod"),
];
