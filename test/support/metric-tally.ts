/** Metrics whose meters and timers tell at once how often and how much, not as a mean of the last minute. */
import { type Counter, createMetrics, type Metrics, type Timer } from "../../node/observe/metrics.ts";

/** The metrics, and what was added to each meter; of a timer, how often it was told of something. */
export interface MetricTally {
  readonly metrics: Metrics;
  sum(name: string): number;
}

/** Makes them, all at nothing. */
export function metricTally(): MetricTally {
  const sums = new Map<string, number>();
  const note = (name: string, amount: number): void => void sums.set(name, (sums.get(name) ?? 0) + amount);
  const real = createMetrics();
  const metrics: Metrics = {
    gauge: (options) => real.gauge(options),
    counter: (options) => real.counter(options),
    histogram: (options) => real.histogram(options),
    meter: ({ name }): Counter => ({ add: (amount) => note(name, amount) }),
    readMeter: (options) => real.readMeter(options),
    timer: ({ name }): Timer => ({ observe: () => note(name, 1) }),
    values: (type, options) => real.values(type, options),
    counters: (options) => real.counters(options),
    histograms: (options) => real.histograms(options),
    declared: real.declared,
    render: (shown) => real.render(shown),
    contentType: real.contentType,
  };
  return { metrics, sum: (name) => sums.get(name) ?? 0 };
}
