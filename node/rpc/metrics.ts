/** What operators watch of JSON-RPC. */
import type { Metrics } from "../observe/metrics.ts";
import type { DispatchBudget } from "./dispatch.ts";

/** Declares the metrics of all listeners that share a budget: read when they are scraped. */
export function declareRpcMetrics(metrics: Metrics, budget: DispatchBudget): void {
  metrics.gauge({ name: "rpc/counts/total", help: "Calls since the start", read: () => budget.total });
  metrics.gauge({
    name: "rpc/counts/success",
    help: "Calls since the start that were not answered with an error",
    read: () => budget.total - budget.errors - budget.pending,
  });
  metrics.gauge({
    name: "rpc/counts/errors",
    help: "Calls since the start that were answered with an error",
    read: () => budget.errors,
  });
  metrics.gauge({
    name: "rpc/unsent/bytes",
    help: "Answers and notifications that peers have not taken yet",
    read: () => budget.unsent.used,
  });
  metrics.gauge({ name: "rpc/counts/pending", help: "Messages under way", read: () => budget.pending });
}
