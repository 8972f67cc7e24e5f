/**
 * Time that passes when nothing is left to do: takes the place of the process's timers and clocks, so that minutes of
 * several nodes pass in a second, in the same order each time. Every event belongs to a life; when a life has ended,
 * as in a crash, its timers never run.
 */
import { syncBuiltinESMExports } from "node:module";
import timersPromises from "node:timers/promises";
import { Agenda } from "../bft/agenda.ts";

/** A part of the simulation that can end at any moment, such as a process. */
export interface Life {
  isOver: boolean;
}

type Callback = (...values: unknown[]) => void;

/** Milliseconds since the epoch at which every simulation begins. */
const EPOCH = 1_700_000_000_000;
/** Greatest time that a look at the clock takes, in milliseconds: work takes time, so slices end. */
const LOOK_MS = 0.02;

/** The time of one simulation; it begins with `install`. */
export class VirtualTime {
  #agenda = new Agenda<() => void>();
  readonly #random: () => number;
  readonly #yield = setImmediate;
  #now = 0;
  #life: Life | undefined;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Milliseconds since the simulation began. */
  get now(): number {
    return this.#now;
  }

  /** The life to which the running event belongs. */
  get life(): Life | undefined {
    return this.#life;
  }

  /** Runs `callback` as an event of `life` after some milliseconds, unless the life has ended. */
  after(ms: number, life: Life | undefined, callback: () => void): () => void {
    return this.at(this.#now + Math.max(0, ms), life, callback);
  }

  /** Runs `callback` as an event of `life` at a time; events of one time run in the order of the calls. */
  at(when: number, life: Life | undefined, callback: () => void): () => void {
    let isCancelled = false;
    this.#agenda.add(when, () => {
      if (isCancelled || life?.isOver === true) return;
      this.#life = life;
      callback();
    });
    return () => {
      isCancelled = true;
    };
  }

  /** Resolves in an event of `life`. */
  wait(ms: number, life: Life | undefined = this.#life): Promise<void> {
    return new Promise((resolve) => void this.after(ms, life, resolve));
  }

  /**
   * Runs events until the promise settles, and settles as it does. Rejects when no event is left, or at the end of
   * `limitMs` milliseconds.
   */
  async run<T>(promise: Promise<T>, limitMs: number): Promise<T> {
    let isSettled = false;
    promise.then(
      () => (isSettled = true),
      () => (isSettled = true),
    );
    const end = this.#now + limitMs;
    for (;;) {
      await new Promise((resolve) => this.#yield(resolve)); // all that follows from the last event is done
      if (isSettled) return promise;
      const next = this.#agenda.take();
      if (next === undefined) throw new Error("nothing is left to do");
      if (next.time > end) throw new Error(`no end after ${limitMs} ms`);
      this.#now = Math.max(this.#now, next.time);
      this.#life = undefined;
      next.what();
    }
  }

  /** Forgets all events to come, and begins at 0 again. */
  clear(): void {
    this.#agenda = new Agenda();
    this.#now = 0;
    this.#life = undefined;
  }

  /** Replaces the timers, clocks and random numbers of this process, for good. */
  install(): void {
    const start = (ms: number, callback: Callback, values: unknown[], repeats: boolean): Timer =>
      new Timer(this, repeats, ms, () => callback(...values));
    const wait = (ms: number, value: unknown, options: { readonly signal?: AbortSignal } = {}) =>
      new Promise((resolve, reject) => {
        const { signal } = options;
        if (signal?.aborted === true) return reject(signal.reason as Error);
        const cancel = this.after(ms, this.#life, () => resolve(value));
        signal?.addEventListener("abort", () => {
          cancel();
          reject(signal.reason as Error);
        });
      });
    Object.assign(globalThis, {
      setTimeout: (callback: Callback, ms = 0, ...values: unknown[]) => start(ms, callback, values, false),
      setInterval: (callback: Callback, ms = 0, ...values: unknown[]) => start(ms, callback, values, true),
      setImmediate: (callback: Callback, ...values: unknown[]) => start(0, callback, values, false),
      clearTimeout: stopTimer,
      clearInterval: stopTimer,
      clearImmediate: stopTimer,
    });
    Object.assign(timersPromises, {
      setTimeout: (ms: number, value?: unknown, options?: object) => wait(ms, value, options),
      setImmediate: (value?: unknown, options?: object) => wait(0, value, options),
    });
    syncBuiltinESMExports();
    performance.now = () => (this.#now += this.#random() * LOOK_MS);
    Date.now = () => Math.floor(EPOCH + this.#now);
    Math.random = this.#random;
  }
}

/** A timer of the simulation, as far as the nodes use those of Node.js. */
class Timer {
  readonly #time: VirtualTime;
  readonly #life: Life | undefined;
  readonly #ms: number;
  readonly #repeats: boolean;
  readonly #callback: () => void;
  #cancel: () => void = () => undefined;

  constructor(time: VirtualTime, repeats: boolean, ms: number, callback: () => void) {
    this.#time = time;
    this.#life = time.life;
    this.#ms = Math.max(repeats ? 1 : 0, ms);
    this.#repeats = repeats;
    this.#callback = callback;
    this.refresh();
  }

  refresh(): this {
    this.stop();
    this.#cancel = this.#time.after(this.#ms, this.#life, () => {
      if (this.#repeats) this.refresh();
      this.#callback();
    });
    return this;
  }

  stop(): void {
    this.#cancel();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

function stopTimer(timer: unknown): void {
  if (timer instanceof Timer) timer.stop();
}
