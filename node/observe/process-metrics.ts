/** Metrics of the process from `prom-client`, which takes a tenth of a second to load. */

/** The process's metrics. */
export interface ProcessMetrics {
  render(): Promise<string>;
  declared(): readonly { readonly name: string; readonly help: string; readonly type: string }[];
}

/** Gauges whose names end like those of counters; their parts by kind say the same. */
const MISNAMED = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

/** Starts to collect them: processor time, memory, files, delay of the event loop, garbage collection. */
export async function processMetrics(): Promise<ProcessMetrics> {
  const { collectDefaultMetrics, Registry } = await import("prom-client");
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return {
    render: () => registry.metrics(),
    declared: () =>
      registry.getMetricsAsArray().map(({ name, help, type }) => ({ name, help, type: String(type) })),
  };
}
