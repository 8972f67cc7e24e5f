/**
 * The program's metrics. Rooms declare theirs here under the Go node's registry names
 * (`blockchain/head/blocknumber`, exported as `klaytn_blockchain_head_blocknumber`), so that dashboards
 * made for it keep working. Values are plain numbers; `prom-client`, which takes a tenth of a second to
 * load, is loaded by the first scrape and only collects and writes them.
 */
import type { Metric, Registry } from "prom-client";

/** A value that may rise and fall. */
export interface Gauge {
  set(value: number): void;
}

/** A value that only rises. */
export interface Counter {
  add(amount: number): void;
}

/** A distribution over fixed buckets. */
export interface Histogram {
  observe(value: number): void;
}

/** A metric's registry name and what it says. */
export interface MetricOptions {
  readonly name: string;
  readonly help: string;
}

/** A gauge is set by its user, or read when it is scraped. */
export interface GaugeOptions extends MetricOptions {
  readonly read?: () => number;
}

/** Upper bounds of the buckets, ascending. */
export interface HistogramOptions extends MetricOptions {
  readonly buckets: readonly number[];
}

/** Where metrics are declared and read. A name can be declared once. */
export interface Metrics {
  gauge(options: GaugeOptions): Gauge;
  counter(options: MetricOptions): Counter;
  histogram(options: HistogramOptions): Histogram;
  /** All metrics and those of the process in the Prometheus text format. */
  render(): Promise<string>;
  readonly contentType: string;
}

/** The registry's form of a name as Prometheus sees it. */
export function exportedName(name: string): string {
  return `klaytn_${name.replace(/[ .\-=/]/g, "_")}`;
}

/** An empty set of metrics. */
export function createMetrics(): Metrics {
  const collectors = new Map<string, Collector>();
  let registry: Promise<Registry> | undefined;
  const declare = (collector: Collector) => {
    if (collectors.has(collector.name)) throw new Error(`metric ${collector.name} is declared twice`);
    collectors.set(collector.name, collector);
  };
  return {
    gauge({ read, ...options }) {
      let value = 0;
      declare(single("gauge", options, read ?? (() => value)));
      return { set: (next) => void (value = next) };
    },
    counter(options) {
      let value = 0;
      declare(single("counter", options, () => value));
      return { add: (amount) => void (value += amount) };
    },
    histogram(options) {
      const buckets = createBuckets(options);
      declare(buckets.collector);
      return buckets;
    },
    async render() {
      registry ??= openRegistry();
      const target = await registry;
      for (const collector of collectors.values()) {
        // The registry asks a metric for nothing but its name and get(), which a collector has.
        if (!target.getSingleMetric(collector.name)) target.registerMetric(collector as unknown as Metric);
      }
      return target.metrics();
    },
    contentType: "text/plain; version=0.0.4; charset=utf-8",
  };
}

interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** What a prom-client registry collects from. */
interface Collector {
  readonly name: string;
  get(): { name: string; help: string; type: string; values: Sample[]; aggregator: string };
}

async function openRegistry(): Promise<Registry> {
  const { collectDefaultMetrics, Registry: PromRegistry } = await import("prom-client");
  const registry = new PromRegistry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

function single(type: string, options: MetricOptions, read: () => number): Collector {
  const name = exportedName(options.name);
  return {
    name,
    get: () => ({
      name,
      help: options.help,
      type,
      values: [{ labels: {}, value: read() }],
      aggregator: "sum",
    }),
  };
}

function createBuckets({
  name: registryName,
  help,
  buckets,
}: HistogramOptions): Histogram & { collector: Collector } {
  const name = exportedName(registryName);
  const counts = buckets.map(() => 0);
  let sum = 0;
  let count = 0;
  const values = (): Sample[] => {
    let upTo = 0;
    const rows = buckets.map((le, index) => {
      upTo += counts[index] ?? 0;
      return { metricName: `${name}_bucket`, labels: { le }, value: upTo };
    });
    return [
      ...rows,
      { metricName: `${name}_bucket`, labels: { le: "+Inf" }, value: count },
      { metricName: `${name}_sum`, labels: {}, value: sum },
      { metricName: `${name}_count`, labels: {}, value: count },
    ];
  };
  return {
    observe(value) {
      const index = buckets.findIndex((bound) => value <= bound);
      if (index >= 0) counts[index] = (counts[index] ?? 0) + 1;
      sum += value;
      count += 1;
    },
    collector: { name, get: () => ({ name, help, type: "histogram", values: values(), aggregator: "sum" }) },
  };
}
