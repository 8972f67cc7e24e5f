/** Metrics of work queues and controllers, under the names and with the labels that dashboards for controllers know. */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** How a piece of work ended: done for now, to be done again later, or failed. */
export type WorkResult = "success" | "requeue_after" | "error";

/** What a queue tells. */
export interface QueueMetrics {
  /** A name came that did not wait yet. */
  added(): void;
  /** Work on a name began after it had waited so long. */
  began(waitedSeconds: number): void;
  /** It ended. */
  ended(seconds: number, result: WorkResult): void;
  /** A name is to be worked on again because it failed. */
  retried(): void;
}

const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60];

/** Declares them; `depths` are names that wait, by queue. Gives what a queue of a name tells its work to. */
export function declareQueueMetrics(
  registers: Registry[],
  depths: () => Readonly<Record<string, number>>,
): (name: string) => QueueMetrics {
  const counter = (name: string, help: string, ...labelNames: string[]): Counter =>
    new Counter({ name, help, labelNames, registers });
  const histogram = (name: string, help: string, label: string): Histogram =>
    new Histogram({ name, help, labelNames: [label], buckets: BUCKETS, registers });
  const depth: Gauge = new Gauge({
    name: "workqueue_depth",
    help: "Names that wait to be worked on.",
    labelNames: ["name"],
    registers,
    collect: () => {
      for (const [name, value] of Object.entries(depths())) depth.set({ name }, value);
    },
  });
  const adds = counter("workqueue_adds_total", "Names that came into the queue.", "name");
  const retries = counter("workqueue_retries_total", "Names that came again because they failed.", "name");
  const waits = histogram("workqueue_queue_duration_seconds", "How long names waited.", "name");
  const works = histogram("workqueue_work_duration_seconds", "How long names were worked on.", "name");
  const results = counter(
    "controller_runtime_reconcile_total",
    "Pieces of work by how they ended.",
    "controller",
    "result",
  );
  const errors = counter(
    "controller_runtime_reconcile_errors_total",
    "Pieces of work that failed.",
    "controller",
  );
  const times = histogram(
    "controller_runtime_reconcile_time_seconds",
    "How long a piece of work took.",
    "controller",
  );
  const active = new Gauge({
    name: "controller_runtime_active_workers",
    help: "Pieces of work that are being done.",
    labelNames: ["controller"],
    registers,
  });
  return (name) => ({
    added: () => adds.inc({ name }),
    began(waited) {
      waits.observe({ name }, waited);
      active.inc({ controller: name });
    },
    ended(seconds, result) {
      works.observe({ name }, seconds);
      times.observe({ controller: name }, seconds);
      results.inc({ controller: name, result });
      if (result === "error") errors.inc({ controller: name });
      active.dec({ controller: name });
    },
    retried: () => retries.inc({ name }),
  });
}
