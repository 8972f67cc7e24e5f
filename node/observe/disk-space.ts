/** How much room is left where the database lies. What writes asks first: an engine that met a full disk is lost. */
import { stat, statfs } from "node:fs/promises";
import type { Log } from "./log.ts";

/** See the head of this file. Disposing it ends the looking; whoever waits for room goes on waiting. */
export interface DiskSpace extends Disposable {
  /** Bytes that were free when it was last looked. */
  readonly free: number;
  /** True from when less than the least is free until there is a quarter more than that. */
  readonly isLow: boolean;
  /** Resolves when there is room: at once unless it is low. */
  room(): Promise<void>;
  /** What a file in some directory may not grow over, asked anew; undefined while it may. Another disk may get full. */
  shortage(directory: string): Promise<Shortage | undefined>;
}

/** Bytes that are free, and that must be for a file to grow beside the database. */
export interface Shortage {
  readonly free: number;
  readonly needed: number;
}

/** What is watched and how often. */
export interface DiskSpaceOptions {
  readonly directory: string;
  /** Bytes that must be free; 0: any number will do. */
  readonly leastBytes: number;
  readonly log: Log;
  readonly everyMs?: number;
  /** Bytes that are free below a directory. Left out: the system is asked. */
  readonly freeBytes?: (directory: string) => Promise<number>;
}

const EVERY_MS = 1_000;
/** So much more than the least must be free before writing goes on. */
const MARGIN = 1.25;

/** Looks once before it resolves. Rejects when the directory is not there. */
export async function openDiskSpace(options: DiskSpaceOptions): Promise<DiskSpace> {
  const watch = new Watch(options);
  await watch.look();
  watch.start(options.everyMs ?? EVERY_MS);
  return watch;
}

/** Bytes that are free for this user where a directory lies. */
export async function freeBelow(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

class Watch implements DiskSpace {
  readonly #options: DiskSpaceOptions;
  #timer: NodeJS.Timeout | undefined;
  /** Set while it is low. */
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
    const { directory: own, leastBytes, freeBytes = freeBelow } = this.#options;
    const [there, here] = await Promise.all([stat(directory), stat(own)]);
    if (there.dev !== here.dev) return undefined;
    const [free, needed] = [await freeBytes(own), leastBytes * MARGIN]; // blocks are to go on
    return free < needed ? { free, needed } : undefined;
  }

  start(everyMs: number): void {
    const { log, directory } = this.#options;
    this.#timer = setInterval(() => {
      this.look().catch((error: unknown) =>
        log.warn({ error, directory }, "cannot tell how much disk is free"),
      );
    }, everyMs);
    this.#timer.unref();
  }

  async look(): Promise<void> {
    const { directory, leastBytes, log, freeBytes = freeBelow } = this.#options;
    const free = await freeBytes(directory);
    this.free = free;
    if (this.#waiting === undefined) {
      if (free >= leastBytes) return;
      this.#waiting = Promise.withResolvers();
      log.error({ free, least: leastBytes, directory }, "the disk is nearly full: no blocks are written");
    } else if (free >= leastBytes * MARGIN) {
      this.#waiting.resolve();
      this.#waiting = undefined;
      log.info({ free, directory }, "there is room on the disk again: blocks go on");
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
