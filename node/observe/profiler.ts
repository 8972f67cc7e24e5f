/**
 * Looks into the running process: what takes its time, what fills its memory. Results go to new files that Chrome's
 * developer tools read; a file that is there is never written over.
 */
import { type FileHandle, open } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { getHeapSnapshot, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Something is under way already, or is not. */
export class ProfilerError extends Error {
  override readonly name = "ProfilerError";
  readonly code: "profiling" | "not-profiling";
  constructor(code: ProfilerError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** One for the process. Files are made with mode 0600; a failing one rejects with the system's error. */
export interface Profiler extends AsyncDisposable {
  /** Begins a CPU profile. Rejects with `ProfilerError` while one runs. */
  start(file: string): Promise<void>;
  /** Ends it and writes its file. Rejects with `ProfilerError` when none runs. */
  stop(): Promise<void>;
  /** A CPU profile of so many seconds. */
  profile(file: string, seconds: number): Promise<void>;
  /** Everything on the heap; holds the process up while it is gathered. */
  heap(file: string): Promise<void>;
  /** Frees what nothing holds any more. */
  collect(): void;
}

/** A profile that nobody ends is ended after this. */
const MAX_PROFILE_MS = 10 * 60_000;
const SAMPLE_MICROSECONDS = 1000;

interface Running {
  readonly session: Session;
  readonly file: FileHandle;
  readonly deadline: NodeJS.Timeout;
}

/** Nothing runs before the first call. */
export function openProfiler(): Profiler {
  return new InspectorProfiler();
}

class InspectorProfiler implements Profiler {
  readonly #closing = new AbortController();
  #isBusy = false;
  #running: Running | undefined;

  async start(path: string): Promise<void> {
    if (this.#isBusy) throw new ProfilerError("profiling", "CPU profiling already in progress");
    this.#isBusy = true;
    try {
      const file = await open(expandHome(path), "wx", 0o600);
      const session = new Session();
      session.connect();
      await session.post("Profiler.enable");
      await session.post("Profiler.setSamplingInterval", { interval: SAMPLE_MICROSECONDS });
      await session.post("Profiler.start");
      const deadline = globalThis.setTimeout(() => void this.stop().catch(() => undefined), MAX_PROFILE_MS);
      deadline.unref();
      this.#running = { session, file, deadline };
    } catch (error) {
      this.#isBusy = false;
      throw error;
    }
  }

  async stop(): Promise<void> {
    const running = this.#running;
    if (running === undefined) throw new ProfilerError("not-profiling", "CPU profiling not in progress");
    this.#running = undefined;
    clearTimeout(running.deadline);
    try {
      const { profile } = await running.session.post("Profiler.stop");
      await running.file.writeFile(JSON.stringify(profile));
    } finally {
      running.session.disconnect();
      await running.file.close();
      this.#isBusy = false;
    }
  }

  async profile(path: string, seconds: number): Promise<void> {
    await this.start(path);
    const own = this.#running;
    const { signal } = this.#closing;
    await setTimeout(Math.min(seconds * 1000, MAX_PROFILE_MS), undefined, { signal }).catch(() => undefined);
    if (this.#running === own) await this.stop();
  }

  async heap(path: string): Promise<void> {
    await using file = await open(expandHome(path), "wx", 0o600);
    await file.writeFile(getHeapSnapshot());
  }

  collect(): void {
    collectGarbage();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    if (this.#running !== undefined) await this.stop();
  }
}

/** Frees what nothing holds any more; holds the thread up for some 100 ms. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void; // what the flag brings
  collect();
}

function expandHome(path: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
}
