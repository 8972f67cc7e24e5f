/** Free space on the database's disk. Writers ask first: an engine that met a full disk cannot go on. */
import { stat, statfs } from "node:fs/promises";
import type { Log } from "./log.ts";

/** A watch over the disk. Disposing it ends the watch; pending waits for room do not end. */
export interface DiskSpace extends Disposable {
  /** Bytes free at the last check. */
  readonly free: number;
  /** True from the time when less than the minimum is free until a quarter more than it is. */
  readonly isLow: boolean;
  /** Resolves when there is room: at once unless it is low. */
  room(): Promise<void>;
  /**
   * Measures the room for a file in a directory, which may be on another disk; undefined while there is
   * enough.
   */
  shortage(directory: string): Promise<Shortage | undefined>;
}

/** Free bytes, and the bytes that must be free for a file to grow beside the database. */
export interface Shortage {
  readonly free: number;
  readonly needed: number;
}

/** Directory, limits and interval of the watch. */
export interface DiskSpaceOptions {
  readonly directory: string;
  /** Minimum of free bytes; 0 for none. */
  readonly minBytes: number;
  readonly log: Log;
  readonly everyMs?: number;
  /** Measures the free bytes of a directory; asks the system by default. */
  readonly freeBytes?: (directory: string) => Promise<number>;
}

const EVERY_MS = 1_000;
/** Factor above the minimum at which writing goes on. */
const MARGIN = 1.25;

/** Opens the watch after a first check. Rejects when the directory is absent. */
export async function openDiskSpace(options: DiskSpaceOptions): Promise<DiskSpace> {
  const watch = new Watch(options);
  await watch.look();
  watch.start(options.everyMs ?? EVERY_MS);
  return watch;
}

/** Returns the bytes free for this user on the disk of a directory. */
export async function freeBelow(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

class Watch implements DiskSpace {
  readonly #options: DiskSpaceOptions;
  #timer: NodeJS.Timeout | undefined;
  /** Present while the disk is low. */
  #waiting: PromiseWithResolvers<void> | undefined;
  free = 0;

  constructor(options: DiskSpaceOptions) {
    this.#options = options;
  }

  get isLow(): boolean {
    return this.#waiting !== undefined;
  }

  room(): Promise<void> {
    return this.#waiting?.promise ?? Promise.resolve();
  }

  async shortage(directory: string): Promise<Shortage | undefined> {
    const { directory: own, minBytes, freeBytes = freeBelow } = this.#options;
    const [there, here] = await Promise.all([stat(directory), stat(own)]);
    if (there.dev !== here.dev) return undefined;
    const [free, needed] = [await freeBytes(own), minBytes * MARGIN]; // blocks are to go on
    return free < needed ? { free, needed } : undefined;
  }

  start(everyMs: number): void {
    const { log, directory } = this.#options;
    this.#timer = setInterval(() => {
      this.look().catch((error: unknown) => log.warn({ error, directory }, "cannot measure free disk space"));
    }, everyMs);
    this.#timer.unref();
  }

  async look(): Promise<void> {
    const { directory, minBytes, log, freeBytes = freeBelow } = this.#options;
    const free = await freeBytes(directory);
    this.free = free;
    if (this.#waiting === undefined) {
      if (free >= minBytes) return;
      this.#waiting = Promise.withResolvers();
      log.error({ free, least: minBytes, directory }, "disk is nearly full: no blocks are written");
    } else if (free >= minBytes * MARGIN) {
      this.#waiting.resolve();
      this.#waiting = undefined;
      log.info({ free, directory }, "disk has free space again: blocks are written");
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
