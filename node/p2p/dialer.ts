/**
 * Keeps static peers connected: dials each until it is there, again when it is lost, with a wait that doubles
 * from failure to failure. At most 16 dials run at once. Knows no sockets: it is given `dial`.
 */
import { mapKey } from "../bytes/hex.ts";
import type { Clock } from "../observe/clock.ts";
import type { NodeUrl } from "./node-url.ts";
import type { P2pTimings } from "./timings.ts";

/** A peer that a dial gave. */
export interface Dialled {
  readonly gone: Promise<void>;
  /** Disconnects it. */
  leave(): void;
}

/** What the dialer needs from outside. */
export interface DialerSurroundings {
  /** Connects and sets a session up; rejects when that fails. `gone` resolves when the peer is gone again. */
  readonly dial: (url: NodeUrl) => Promise<Dialled>;
  /** Told of every dial that gave no peer, and how many in a row there were. */
  readonly failed: (url: NodeUrl, failures: number, error: Error) => undefined;
  isPeer(id: Uint8Array): boolean;
  readonly ownId: Uint8Array;
  readonly timings: P2pTimings;
  readonly clock: Clock;
  /** Between 0 and 1. */
  readonly chance: () => number;
}

interface Entry {
  readonly url: NodeUrl;
  failures: number;
  timer: NodeJS.Timeout | undefined;
  /** Being dialled, or connected by a dial of ours. */
  busy: boolean;
}

const MOST_DIALS = 16;

/** The static peers. Disposing it stops all dialling. */
export class Dialer implements Disposable {
  readonly #outside: DialerSurroundings;
  readonly #entries = new Map<string, Entry>();
  readonly #waiting = new Set<Entry>();
  #running = 0;

  constructor(surroundings: DialerSurroundings) {
    this.#outside = surroundings;
  }

  /** Adds a node and dials it soon; nothing changes when its id is there already. */
  add(url: NodeUrl): void {
    const key = mapKey(url.id);
    if (this.#entries.has(key) || key === mapKey(this.#outside.ownId)) return;
    const entry: Entry = { url, failures: 0, timer: undefined, busy: false };
    this.#entries.set(key, entry);
    if (url.host !== undefined && url.tcpPort !== 0) this.#begin(entry);
  }

  /** Forgets a node; false when it was not there. */
  remove(id: Uint8Array): boolean {
    const entry = this.#entries.get(mapKey(id));
    if (entry === undefined) return false;
    clearTimeout(entry.timer);
    this.#waiting.delete(entry);
    return this.#entries.delete(mapKey(id));
  }

  /** A peer is gone: if it is a static one that had come to us, it is dialled. */
  lost(id: Uint8Array): void {
    const entry = this.#entries.get(mapKey(id));
    if (entry !== undefined && !entry.busy) this.#later(entry, this.#backOff(1));
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#entries.values()) clearTimeout(timer);
    this.#entries.clear();
    this.#waiting.clear();
  }

  #kept(entry: Entry): boolean {
    return this.#entries.get(mapKey(entry.url.id)) === entry;
  }

  #later(entry: Entry, delayMs: number): void {
    clearTimeout(entry.timer);
    if (this.#kept(entry)) entry.timer = setTimeout(() => this.#begin(entry), delayMs);
  }

  #begin(entry: Entry): void {
    if (!this.#kept(entry) || entry.busy || this.#outside.isPeer(entry.url.id)) return;
    if (this.#running >= MOST_DIALS) this.#waiting.add(entry);
    else void this.#run(entry);
  }

  async #run(entry: Entry): Promise<void> {
    const { dial, failed, clock, timings } = this.#outside;
    entry.busy = true;
    this.#running++;
    const connected = await dial(entry.url).catch((error: Error) =>
      failed(entry.url, entry.failures + 1, error),
    );
    this.#running--;
    this.#beginWaiting();
    if (!this.#kept(entry)) connected?.leave();
    const started = clock.now();
    await connected?.gone;
    const steady = connected !== undefined && clock.now() - started >= timings.steadyMs;
    entry.failures = steady ? 1 : entry.failures + 1;
    entry.busy = false;
    this.#later(entry, this.#backOff(entry.failures));
  }

  #beginWaiting(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#begin(next);
  }

  /** Doubles from failure to failure, and is spread so that two nodes that dial each other do not keep colliding. */
  #backOff(failures: number): number {
    const { redialFirstMs, redialMostMs } = this.#outside.timings;
    const wait = Math.min(redialMostMs, redialFirstMs * 2 ** Math.min(20, Math.max(0, failures - 1)));
    return wait * (0.75 + this.#outside.chance() / 2);
  }
}
