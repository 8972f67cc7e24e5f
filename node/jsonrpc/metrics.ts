/** Metrics of JSON-RPC. */
import type { Counter, Histogram, Metrics } from "../observe/metrics.ts";
import type { CallListener, CallOutcome, DispatchBudget } from "./dispatch-budget.ts";
import type { SubscriptionLimit } from "./subscriptions.ts";

/** Buckets from calls that read memory up to the deadline of a reader thread. */
const SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];

/** Declares the metrics of all listeners that share a budget. Values are read when they are scraped. */
export function declareRpcMetrics(
  metrics: Metrics,
  budget: DispatchBudget,
  subscriptions: SubscriptionLimit,
): void {
  metrics.gauge({ name: "rpc/counts/total", help: "Calls since the start.", read: () => budget.total });
  metrics.gauge({
    name: "rpc/counts/success",
    help: "Calls since the start without an error response.",
    read: () => budget.total - budget.errors - budget.pending,
  });
  metrics.gauge({
    name: "rpc/counts/errors",
    help: "Calls since the start with an error response.",
    read: () => budget.errors,
  });
  metrics.gauge({ name: "rpc/counts/pending", help: "Messages in progress.", read: () => budget.pending });
  metrics.gauge({
    name: "ws/counts/subscription/request",
    help: "Subscriptions started since the start of the node.",
    read: () => subscriptions.begun,
  });
  metrics.gauge({
    name: "ws/counts/unsubscription/request",
    help: "Calls since the start of the node that end a subscription.",
    read: () => subscriptions.ended,
  });
  metrics.gauge({
    name: "ws/counts/connections/total",
    help: "Open WebSocket connections.",
    read: () => subscriptions.connections,
  });
  metrics.gauge({
    name: "knit_rpc_subscriptions",
    help: "Subscriptions of all connections.",
    read: () => subscriptions.used,
  });
  metrics.gauge({
    name: "knit_rpc_subscription_bytes",
    help: "Measured memory of the subscriptions of all connections.",
    read: () => subscriptions.shares.used,
  });
  metrics.gauge({
    name: "knit_rpc_unsent_bytes",
    help: "Bytes of responses and notifications that clients have not read.",
    read: () => budget.unsent.used,
  });
}

/**
 * Declares the metrics by method and returns the listener that counts. Unregistered methods share one label.
 */
export function declareCallMetrics(metrics: Metrics): CallListener {
  const calls = metrics.counters({
    name: "knit_rpc_calls_total",
    help: "Calls by method and outcome: ok, failed, reverted, bad_parameters, no_method, too_large, no_memory, too_many, defect.",
    labels: ["method", "outcome"],
  });
  const seconds = metrics.histograms({
    name: "knit_rpc_call_duration_seconds",
    help: "Duration of calls, from reading a call to its response.",
    labels: ["method"],
    buckets: SECONDS,
  });
  const series = new Map<string, CallSeries>();
  return (method, outcome, ms) => {
    let own = series.get(method);
    if (own === undefined) {
      own = { seconds: seconds.of(method), ended: new Map() };
      series.set(method, own);
    }
    let ended = own.ended.get(outcome);
    if (ended === undefined) {
      ended = calls.of(method, outcome);
      own.ended.set(outcome, ended);
    }
    ended.add(1);
    own.seconds.observe(ms / 1000);
  };
}

/** The series of one method, kept so that no label is built per call. */
interface CallSeries {
  readonly seconds: Histogram;
  readonly ended: Map<CallOutcome, Counter>;
}
