/** Lets threads of less urgent work step back when the machine has more to do than cores. Only Linux has priorities of threads. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { availableParallelism, getPriority, setPriority } from "node:os";
import { basename } from "node:path";

/**
 * Steps behind the main thread, which makes blocks (`nice(2)`): at 5 a thread has about a third of the processor time of
 * an equal one that wants it as well, at 10 a tenth.
 */
const STEPS_BACK = {
  /** Threads of Node.js that collect garbage and compile. */
  collector: 5,
  /** The thread of the database that writes and merges table files. */
  merger: 10,
  /** Threads that answer calls. */
  reader: 10,
} as const;
const LOWEST = 19;

const THREADS = "/proc/self/task";
const COLLECTOR = "V8Worker";
/** The threads of the pool, which write what the main thread waits for, and the one that one of them begins. */
const POOL = "libuv-worker";
const POOL_SIZE = Number(process.env["UV_THREADPOOL_SIZE"]) || 4;
const LOOK_MS = 2_000;

/** Lowers the priority of the calling thread, which answers calls. */
export function lowerReaderPriority(): void {
  if (process.platform !== "linux") return;
  try {
    stepBack(Number(basename(readlinkSync("/proc/thread-self"))), STEPS_BACK.reader);
  } catch {
    // a sandbox without /proc, or one that forbids it: the thread is as urgent as the others
  }
}

/**
 * Lowers the priority of threads that the engines of JavaScript and of the database begin by themselves. Looks for them
 * every `everyMs`, since the database begins its thread with its first table file. Disposing ends that. Does nothing on
 * one core, where a busy main thread would leave too little for the files.
 */
export function lowerHelperPriorities(everyMs = LOOK_MS): Disposable {
  let helpers: Helpers | undefined;
  const look = (): void => {
    try {
      helpers ??= new Helpers();
      helpers.look();
    } catch {
      // as above, or a thread that has ended meanwhile
    }
  };
  const timer = setInterval(look, everyMs).unref();
  if (process.platform !== "linux" || availableParallelism() === 1) clearInterval(timer);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Threads of this process that somebody else began. */
class Helpers {
  readonly #main = nameOf(process.pid);
  /** Names of new threads: one has the name of the thread that began it until it takes its own. */
  #fresh = new Map<number, string>();
  #settled = new Set([process.pid]);
  #inPool = 0;

  look(): void {
    const threads = readdirSync(THREADS)
      .map(Number)
      .sort((a, b) => a - b);
    const before = this.#fresh;
    this.#fresh = new Map();
    this.#settled = new Set(threads.filter((thread) => this.#settled.has(thread)));
    for (const thread of threads) {
      if (this.#settled.has(thread)) continue;
      const name = nameOf(thread);
      if (before.get(thread) === name) this.#settle(thread, name);
      else this.#fresh.set(thread, name);
    }
  }

  #settle(thread: number, name: string): void {
    this.#settled.add(thread);
    if (name === COLLECTOR) stepBack(thread, STEPS_BACK.collector);
    else if (name === POOL && this.#inPool < POOL_SIZE) this.#inPool++;
    else if (name === POOL || name === this.#main) stepBack(thread, STEPS_BACK.merger);
  }
}

function nameOf(thread: number): string {
  return readFileSync(`${THREADS}/${thread}/comm`, "latin1").trim();
}

function stepBack(thread: number, steps: number): void {
  setPriority(thread, Math.min(LOWEST, getPriority(thread) + steps));
}
