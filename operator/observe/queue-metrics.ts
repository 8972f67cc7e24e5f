/** Metrics of work queues and controllers, with the names and labels of client-go and controller-runtime. */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Result of a run: done, to be repeated later, or failed. */
export type WorkResult = "success" | "requeue_after" | "error";

/** Recorder of a queue's events. */
export interface QueueMetrics {
  /** Records an added key. */
  countAddition(): void;
  /** Records the start of a run and the wait before it. */
  observeStart(waitedSeconds: number): void;
  /** Records the end of a run. */
  observeEnd(seconds: number, result: WorkResult): void;
  /** Records a retry after a failure. */
  countRetry(): void;
}

const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60];

/**
 * Declares the metrics; `depths` returns waiting keys by queue. Returns a factory of recorders by queue name.
 */
export function declareQueueMetrics(
  registers: Registry[],
  depths: () => Readonly<Record<string, number>>,
): (name: string) => QueueMetrics {
  const queues = queueMetrics(registers, depths);
  const controllers = controllerMetrics(registers);
  return (name) => ({
    countAddition: () => queues.adds.inc({ name }),
    observeStart(waited) {
      queues.waits.observe({ name }, waited);
      controllers.active.inc({ controller: name });
    },
    observeEnd(seconds, result) {
      queues.works.observe({ name }, seconds);
      controllers.times.observe({ controller: name }, seconds);
      controllers.results.inc({ controller: name, result });
      if (result === "error") controllers.errors.inc({ controller: name });
      controllers.active.dec({ controller: name });
    },
    countRetry: () => queues.retries.inc({ name }),
  });
}

function queueMetrics(registers: Registry[], depths: () => Readonly<Record<string, number>>) {
  const named = (name: string, help: string) => ({ name, help, labelNames: ["name"], registers });
  const depth: Gauge = new Gauge({
    ...named("workqueue_depth", "Requests that wait in the queue."),
    collect: () => {
      for (const [name, value] of Object.entries(depths())) depth.set({ name }, value);
    },
  });
  const durations = (name: string, help: string): Histogram =>
    new Histogram({ ...named(name, help), buckets: BUCKETS });
  return {
    adds: new Counter(named("workqueue_adds_total", "Requests added to the queue.")),
    retries: new Counter(named("workqueue_retries_total", "Requests added again after a failure.")),
    waits: durations("workqueue_queue_duration_seconds", "Time that requests waited in the queue."),
    works: durations("workqueue_work_duration_seconds", "Time that requests were processed."),
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
    results: new Counter(named("reconcile_total", "Reconciliations by result.", "result")),
    errors: new Counter(named("reconcile_errors_total", "Reconciliations that failed.")),
    times: new Histogram({
      ...named("reconcile_time_seconds", "Duration of reconciliations."),
      buckets: BUCKETS,
    }),
    active: new Gauge(named("active_workers", "Reconciliations in progress.")),
  };
}
