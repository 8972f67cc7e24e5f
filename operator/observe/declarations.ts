/** Declarations of metrics in a registry, for the generated documentation. */
import type { Registry } from "prom-client";

/** A metric. */
export interface Declaration {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labels: readonly string[];
}

/** Lists all metrics of a registry. */
export function declaredIn(registry: Registry): readonly Declaration[] {
  return registry.getMetricsAsArray().map((metric) => {
    // The library keeps the labels with the metric and leaves them out of its types.
    const {
      name,
      help,
      type,
      labelNames = [],
    } = metric as typeof metric & {
      readonly labelNames?: readonly string[];
    };
    return { name, help, type: String(type), labels: labelNames };
  });
}
