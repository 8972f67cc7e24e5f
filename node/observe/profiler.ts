/**
 * Inspection of the running process: CPU profiles, traces, heap snapshots, stacks and delays of the event loop. Files
 * are new ones that Chrome's developer tools read; an existing file is never overwritten.
 */
import type { FileHandle } from "node:fs/promises";
import type { Session } from "node:inspector/promises";
import { type ELDHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { getHeapSnapshot } from "node:v8";
import { collectGarbage } from "../runtime/collect-garbage.ts";
import { createFile, MAX_RECORDING_MS, Recording } from "./recording.ts";

/** Inspection of the process. Files have mode 0600; a file that cannot be created rejects with the system's error. */
export interface Profiler extends AsyncDisposable {
  /** CPU profiles, in the format of Chrome's developer tools. */
  readonly cpu: Pick<Recording, "start" | "stop" | "record">;
  /** Traces of the runtime's events: compilation, garbage collection, thread pool, files. */
  readonly trace: Pick<Recording, "start" | "stop" | "record">;
  /** Delays of the event loop, by which work on the main thread blocks other work. */
  readonly delays: LoopDelays;
  /** Writes a heap snapshot. The process is blocked meanwhile. */
  heap(file: string): Promise<void>;
  /** Runs the garbage collector. */
  collect(): void;
}

const SAMPLE_MICROSECONDS = 1000;

/** Opens the inspection of the process. Nothing runs before the first call. */
export function openProfiler(): Profiler {
  const cpu = new Recording({ name: "CPU profiling", begin: beginProfile, end: endProfile });
  const trace = new Recording({ name: "trace", begin: beginTrace, end: endTrace });
  const delays = new LoopDelays();
  return {
    cpu,
    trace,
    delays,
    heap: async (path) => {
      await using file = await createFile(path);
      await file.writeFile(getHeapSnapshot());
    },
    collect: collectGarbage,
    [Symbol.asyncDispose]: async () => {
      delays[Symbol.dispose]();
      await Promise.all([cpu[Symbol.asyncDispose](), trace[Symbol.asyncDispose]()]);
    },
  };
}

async function beginProfile(session: Session): Promise<void> {
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: SAMPLE_MICROSECONDS });
  await session.post("Profiler.start");
}

async function endProfile(session: Session, file: FileHandle): Promise<void> {
  const { profile } = await session.post("Profiler.stop");
  await file.writeFile(JSON.stringify(profile));
}

const TRACE_CATEGORIES = [
  "v8",
  "node.perf",
  "node.environment",
  "node.fs.async",
  "node.threadpoolwork.async",
];
/** Maximum number of events of a trace; later ones are left out. */
const MAX_EVENTS = 500_000;
const traceEvents = new WeakMap<Session, object[]>();

async function beginTrace(session: Session): Promise<void> {
  const events: object[] = [];
  traceEvents.set(session, events);
  session.on("NodeTracing.dataCollected", ({ params }) => {
    events.push(...params.value.slice(0, MAX_EVENTS - events.length));
  });
  await session.post("NodeTracing.start", { traceConfig: { includedCategories: TRACE_CATEGORIES } });
}

async function endTrace(session: Session, file: FileHandle): Promise<void> {
  const complete = new Promise((resolve) => session.once("NodeTracing.tracingComplete", resolve));
  await session.post("NodeTracing.stop");
  await complete;
  await file.writeFile(JSON.stringify({ traceEvents: traceEvents.get(session) }));
}

/** Samples the delay of the event loop every 10 ms while the rate is above 0. */
export class LoopDelays implements Disposable {
  readonly #closing = new AbortController();
  #histogram: ELDHistogram | undefined;

  /** Starts new samples for a rate above 0, and stops without deleting them otherwise. */
  setRate(rate: number): void {
    this.#histogram?.disable();
    if (rate <= 0) return;
    this.#histogram = monitorEventLoopDelay({ resolution: 10 });
    this.#histogram.enable();
  }

  /** Samples for a number of seconds, at most ten minutes, and writes the distribution. */
  async record(path: string, seconds: number): Promise<void> {
    this.setRate(1);
    const { signal } = this.#closing;
    const ms = Math.min(seconds * 1000, MAX_RECORDING_MS);
    await setTimeout(ms, undefined, { signal }).catch(() => undefined);
    await this.write(path).finally(() => this.setRate(0));
  }

  /** Writes the distribution of the delays, in nanoseconds; without samples the count is 0. */
  async write(path: string): Promise<void> {
    await using file = await createFile(path);
    const { count = 0, min, max, mean, stddev, percentiles } = this.#histogram ?? {};
    const values = count === 0 ? {} : { min, max, mean, stddev, percentiles: [...(percentiles ?? [])] };
    await file.writeFile(JSON.stringify({ unit: "nanoseconds", count, ...values }));
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
    this.setRate(0);
  }
}
