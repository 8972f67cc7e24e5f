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
  const queues = queueMetrics(registers, depths);
  const controllers = controllerMetrics(registers);
  return (name) => ({
    added: () => queues.adds.inc({ name }),
    began(waited) {
      queues.waits.observe({ name }, waited);
      controllers.active.inc({ controller: name });
    },
    ended(seconds, result) {
      queues.works.observe({ name }, seconds);
      controllers.times.observe({ controller: name }, seconds);
      controllers.results.inc({ controller: name, result });
      if (result === "error") controllers.errors.inc({ controller: name });
      controllers.active.dec({ controller: name });
    },
    retried: () => queues.retries.inc({ name }),
  });
}

function queueMetrics(registers: Registry[], depths: () => Readonly<Record<string, number>>) {
  const named = (name: string, help: string) => ({ name, help, labelNames: ["name"], registers });
  const depth: Gauge = new Gauge({
    ...named("workqueue_depth", "Names that wait to be worked on."),
    collect: () => {
      for (const [name, value] of Object.entries(depths())) depth.set({ name }, value);
    },
  });
  const durations = (name: string, help: string): Histogram =>
    new Histogram({ ...named(name, help), buckets: BUCKETS });
  return {
    adds: new Counter(named("workqueue_adds_total", "Names that came into the queue.")),
    retries: new Counter(named("workqueue_retries_total", "Names that came again because they failed.")),
    waits: durations("workqueue_queue_duration_seconds", "How long names waited."),
    works: durations("workqueue_work_duration_seconds", "How long names were worked on."),
  };
}

function controllerMetrics(registers: Registry[]) {
  const named = (word: string, help: string, ...more: string[]) => ({
    name: `controller_runtime_${word}`,
    help,
    labelNames: ["controller", ...more],
    registers,
  });
  return {
    results: new Counter(named("reconcile_total", "Pieces of work by how they ended.", "result")),
    errors: new Counter(named("reconcile_errors_total", "Pieces of work that failed.")),
    times: new Histogram({
      ...named("reconcile_time_seconds", "How long a piece of work took."),
      buckets: BUCKETS,
    }),
    active: new Gauge(named("active_workers", "Pieces of work that are being done.")),
  };
}
