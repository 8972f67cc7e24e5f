/**
 * Keeps peers connected: dials each until it is there, again when it is lost, with a wait that doubles from failure
 * to failure. Static peers are dialled for ever, found ones are given up. At most 16 dials run at once. Knows no
 * sockets: it is given `dial`.
 */
import { mapKey } from "../bytes/hex.ts";
import type { Clock } from "../runtime/clock.ts";
import type { NodeUrl } from "./node-url.ts";
import type { P2pTimings } from "./timings.ts";

/** Why a node is dialled: the operator named it, its type is wanted, or any of its type would do. */
export type DialKind = "static" | "typed" | "dynamic";

/** How many failures in a row a dialled node may have. */
const MOST_FAILURES: Readonly<Record<DialKind, number>> = {
  static: Number.POSITIVE_INFINITY,
  typed: 3,
  dynamic: 0,
};
/** A node that was given up is not taken again for this long. */
const GIVEN_UP_MS = 30_000;
/** So many of those are remembered. */
const MOST_GIVEN_UP = 1024;

/** A peer that a dial gave. */
export interface Dialled {
  readonly gone: Promise<void>;
  /** Disconnects it. */
  leave(): void;
}

/** What the dialer needs from outside. */
export interface DialerSurroundings {
  /** Connects and sets a session up; rejects when that fails. `gone` resolves when the peer is gone again. */
  readonly dial: (url: NodeUrl, kind: DialKind) => Promise<Dialled>;
  /** Told of every dial that gave no peer, and how many in a row there were. */
  readonly failed: (url: NodeUrl, kind: DialKind, failures: number, error: Error) => undefined;
  isPeer(id: Uint8Array): boolean;
  readonly ownId: Uint8Array;
  readonly timings: P2pTimings;
  readonly clock: Clock;
  /** Between 0 and 1. */
  readonly chance: () => number;
}

interface Entry {
  url: NodeUrl;
  kind: DialKind;
  failures: number;
  timer: NodeJS.Timeout | undefined;
  /** Being dialled, or connected by a dial of ours. */
  busy: boolean;
}

const MOST_DIALS = 16;

/** The peers that are dialled. Disposing it stops all dialling. */
export class Dialer implements Disposable {
  readonly #outside: DialerSurroundings;
  readonly #entries = new Map<string, Entry>();
  readonly #waiting = new Set<Entry>();
  readonly #givenUp = new Map<string, number>();
  #running = 0;

  constructor(surroundings: DialerSurroundings) {
    this.#outside = surroundings;
  }

  /**
   * Adds a node and dials it soon. Nothing changes when its id is there already; but that a found node is
   * named by the operator makes it a static one. Found nodes that were given up lately are left out.
   */
  add(url: NodeUrl, kind: DialKind = "static"): void {
    const key = mapKey(url.id);
    const found = this.#entries.get(key);
    if (found !== undefined) {
      if (kind === "static") found.kind = kind;
      return;
    }
    if (key === mapKey(this.#outside.ownId) || (kind !== "static" && this.#wasGivenUp(key))) return;
    const entry: Entry = { url, kind, failures: 0, timer: undefined, busy: false };
    this.#entries.set(key, entry);
    if (isPlaced(url)) this.#begin(entry);
  }

  /** The ids of nodes without an address: none is dialled before `place` says where it is. */
  unplaced(): Uint8Array[] {
    return [...this.#entries.values()].filter(({ url }) => !isPlaced(url)).map(({ url }) => url.id);
  }

  /** Says where a node is whose address was not known, and dials it. */
  place(url: NodeUrl): void {
    const entry = this.#entries.get(mapKey(url.id));
    if (entry === undefined || isPlaced(entry.url) || !isPlaced(url)) return;
    entry.url = url;
    this.#begin(entry);
  }

  /** How many nodes are dialled, or connected, for this reason. */
  count(kind: DialKind): number {
    return [...this.#entries.values()].filter((entry) => entry.kind === kind).length;
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
    const connected = await dial(entry.url, entry.kind).catch((error: Error) =>
      failed(entry.url, entry.kind, entry.failures + 1, error),
    );
    this.#running--;
    this.#beginWaiting();
    if (!this.#kept(entry)) connected?.leave();
    const started = clock.now();
    await connected?.gone;
    const steady = connected !== undefined && clock.now() - started >= timings.steadyMs;
    entry.failures = steady ? 1 : entry.failures + 1;
    entry.busy = false;
    if (entry.failures > MOST_FAILURES[entry.kind]) this.#giveUp(entry);
    else this.#later(entry, this.#backOff(entry.failures));
  }

  #giveUp(entry: Entry): void {
    if (!this.#kept(entry)) return;
    const key = mapKey(entry.url.id);
    this.#entries.delete(key);
    this.#givenUp.delete(key);
    this.#givenUp.set(key, this.#outside.clock.now());
    if (this.#givenUp.size > MOST_GIVEN_UP) this.#givenUp.delete(this.#givenUp.keys().next().value ?? "");
  }

  #wasGivenUp(key: string): boolean {
    const at = this.#givenUp.get(key);
    return at !== undefined && this.#outside.clock.now() - at < GIVEN_UP_MS;
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

function isPlaced({ host, tcpPort }: NodeUrl): boolean {
  return host !== undefined && tcpPort !== 0;
}
