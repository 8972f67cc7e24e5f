/**
 * Watches what the process takes of the memory that it may, and what live objects take of the heap of its main thread.
 * When either becomes tight, caches release what can be read again; when it is nearly used up, calls that may need much
 * are refused until there is room again, and the caller that holds most loses its connection.
 */
import { readFileSync } from "node:fs";
import { getHeapStatistics } from "node:v8";
import type { Log } from "./log.ts";

/** A watch over the process's memory. Disposing it ends the watch. */
export interface MemoryWatch extends Disposable {
  /** Bytes at the last look; without a limit nobody looks, and these are of now. */
  readonly used: number;
  /** Bytes; `undefined`: there is no limit, and nothing is ever short. */
  readonly limit: number | undefined;
  /** Number of times that parts released memory. */
  readonly sheds: number;
  /** True while nothing may begin that may need much. */
  readonly isShort: boolean;
  /** Adds a function that releases what can be read again; it is called again while memory stays tight. */
  onTight(shed: () => void): void;
  /** Adds something that drops the dearest holder; called at each look while memory is short. */
  onShort(drop: () => void): void;
}

/** Limits and interval of the watch. */
export interface MemoryWatchOptions {
  readonly limit: number | undefined;
  readonly log: Log;
  /** Left out: the system is asked. */
  readonly usedBytes?: () => number;
  /** The used share of the heap, 0 to 1. Left out: the engine is asked. */
  readonly heapShare?: () => number;
  /** Frees what nothing holds any more; it may take a tenth of a second. */
  readonly collect: () => void;
  readonly everyMs?: number;
}

const EVERY_MS = 200;
/** Shares of the limit: above the first, parts release memory; above the third, calls are refused until the second. */
const TIGHT = 0.8;
const CALM_AGAIN = 0.85;
const SHORT = 0.9;
/** Looks between two sheddings. */
const REST_LOOKS = 25;

/** Looks once before it returns, and from then on where there is a limit. */
export function openMemoryWatch(options: MemoryWatchOptions): MemoryWatch {
  const watch = new Watch(options);
  if (options.limit !== undefined) watch.start(options.everyMs ?? EVERY_MS);
  return watch;
}

/**
 * Resident memory of the process that is no page of a file, which the system takes back by itself. All resident memory
 * where the system does not tell them apart.
 */
export function ownMemory(): number {
  try {
    const kib = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1];
    if (kib !== undefined) return Number(kib) * 1024;
  } catch {
    // not Linux
  }
  return process.memoryUsage.rss();
}

/**
 * Share of the old objects' space of this thread that is in use. Near its limit the engine collects often, so that
 * little of it is garbage.
 */
export function usedHeap(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used / limit;
}

class Watch implements MemoryWatch {
  readonly limit: number | undefined;
  readonly #options: MemoryWatchOptions;
  readonly #usedBytes: () => number;
  readonly #sheds: (() => void)[] = [];
  readonly #drops: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #looksToRest = 0;
  #used = 0;
  sheds = 0;
  isShort = false;

  constructor(options: MemoryWatchOptions) {
    this.#options = options;
    this.#usedBytes = options.usedBytes ?? ownMemory;
    this.limit = options.limit;
  }

  onTight(shed: () => void): void {
    this.#sheds.push(shed);
  }

  onShort(drop: () => void): void {
    this.#drops.push(drop);
  }

  get used(): number {
    return this.limit === undefined ? this.#usedBytes() : this.#used;
  }

  start(everyMs: number): void {
    this.look();
    this.#timer = setInterval(() => this.look(), everyMs);
    this.#timer.unref();
  }

  look(): void {
    const { limit = Number.POSITIVE_INFINITY, heapShare = usedHeap } = this.#options;
    this.#used = this.#usedBytes();
    const part = Math.max(this.#used / limit, heapShare());
    if (part < TIGHT) this.#looksToRest = 0;
    else if (this.#looksToRest > 0) this.#looksToRest--;
    else this.#shed();
    if (part >= SHORT && this.isShort) for (const drop of this.#drops) drop();
    if (this.isShort ? part >= CALM_AGAIN : part < SHORT) return;
    this.isShort = !this.isShort;
    this.#tell();
  }

  #shed(): void {
    this.#looksToRest = REST_LOOKS;
    this.sheds++;
    for (const shed of this.#sheds) shed();
    this.#options.collect();
  }

  #tell(): void {
    const { log } = this.#options;
    const heap = `${Math.round(100 * (this.#options.heapShare ?? usedHeap)())} %`;
    const fields = { used: this.#used, limit: this.limit, heap };
    if (this.isShort) log.warn(fields, "memory is nearly full: expensive calls are refused");
    else log.info(fields, "memory is available again: all calls are served");
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
