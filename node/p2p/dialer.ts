/**
 * Keeps peers connected: dials each node until it is a peer and again when it is lost, with exponential
 * back-off. Static nodes are dialled without end, discovered ones are dropped. It opens no sockets itself;
 * `dial` is a dependency.
 */
import type { NodeId } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";
import type { Clock } from "../runtime/clock.ts";
import { RecentMap } from "../runtime/recent-map.ts";
import type { NodeUrl } from "./node-url.ts";
import type { P2pTimings } from "./timings.ts";

/** Reason for a dial: named by the operator, discovered with a wanted type, or any discovered node. */
export type DialKind = "static" | "typed" | "dynamic";

/** Maximum number of failures in a row before a node is dropped. */
const MAX_FAILURES: Readonly<Record<DialKind, number>> = {
  static: Number.POSITIVE_INFINITY,
  typed: 3,
  dynamic: 0,
};
/** Milliseconds for which a dropped node is not dialled again. */
const DROPPED_MS = 30_000;
/** Maximum number of nodes remembered as dropped; half of them at least. */
const MAX_DROPPED = 2048;

/** A peer that a dial produced. */
export interface DialledPeer {
  readonly closed: Promise<void>;
  /** Disconnects the peer. */
  disconnect(): void;
}

/** Dependencies of the dialer. */
export interface DialerDeps {
  /** Connects and starts a session. Rejects when that fails. `closed` resolves when the peer has left. */
  readonly dial: (url: NodeUrl, kind: DialKind) => Promise<DialledPeer>;
  /** Called after each failed dial with the number of failures in a row. */
  readonly onFailure: (url: NodeUrl, kind: DialKind, failures: number, error: Error) => undefined;
  isPeer(id: NodeId): boolean;
  readonly ownId: NodeId;
  readonly timings: P2pTimings;
  readonly clock: Clock;
  /** Returns a random number in [0, 1). */
  readonly randomFraction: () => number;
}

interface Entry {
  url: NodeUrl;
  kind: DialKind;
  failures: number;
  timer: NodeJS.Timeout | undefined;
  /** True while the node is being dialled or connected by a dial of this node. */
  busy: boolean;
}

const MAX_DIALS = 16;

/** The nodes to keep connected. Disposing it stops all dialling. */
export class Dialer implements Disposable {
  readonly #deps: DialerDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #waiting = new Set<Entry>();
  readonly #dropped = new RecentMap<number>(MAX_DROPPED);
  #running = 0;

  constructor(deps: DialerDeps) {
    this.#deps = deps;
  }

  /**
   * Adds a node and dials it soon. A known node is left as it is, except that a discovered one becomes static
   * when the operator names it. A discovered node that was dropped recently is ignored.
   */
  add(url: NodeUrl, kind: DialKind = "static"): void {
    const key = mapKey(url.id);
    const found = this.#entries.get(key);
    if (found !== undefined) {
      if (kind === "static") found.kind = kind;
      return;
    }
    if (key === mapKey(this.#deps.ownId) || (kind !== "static" && this.#wasDropped(key))) return;
    const entry: Entry = { url, kind, failures: 0, timer: undefined, busy: false };
    this.#entries.set(key, entry);
    if (hasAddress(url)) this.#start(entry);
  }

  /** Returns the ids of nodes without a known address. They are dialled after `setAddress`. */
  unresolvedIds(): NodeId[] {
    return [...this.#entries.values()].filter(({ url }) => !hasAddress(url)).map(({ url }) => url.id);
  }

  /** Sets the address of a node that has none yet, and dials it. */
  setAddress(url: NodeUrl): void {
    const entry = this.#entries.get(mapKey(url.id));
    if (entry === undefined || hasAddress(entry.url) || !hasAddress(url)) return;
    entry.url = url;
    this.#start(entry);
  }

  /** Returns the number of nodes that are dialled or connected for this reason. */
  count(kind: DialKind): number {
    return [...this.#entries.values()].filter((entry) => entry.kind === kind).length;
  }

  /** Removes a node. Returns false for an unknown one. */
  remove(id: NodeId): boolean {
    const entry = this.#entries.get(mapKey(id));
    if (entry === undefined) return false;
    clearTimeout(entry.timer);
    this.#waiting.delete(entry);
    return this.#entries.delete(mapKey(id));
  }

  /** Dials a static node again whose inbound connection has ended. */
  redial(id: NodeId): void {
    const entry = this.#entries.get(mapKey(id));
    if (entry !== undefined && !entry.busy) this.#dialAfter(entry, this.#backOff(1));
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#entries.values()) clearTimeout(timer);
    this.#entries.clear();
    this.#waiting.clear();
  }

  #isCurrent(entry: Entry): boolean {
    return this.#entries.get(mapKey(entry.url.id)) === entry;
  }

  #dialAfter(entry: Entry, delayMs: number): void {
    clearTimeout(entry.timer);
    if (this.#isCurrent(entry)) entry.timer = setTimeout(() => this.#start(entry), delayMs);
  }

  #start(entry: Entry): void {
    if (!this.#isCurrent(entry) || entry.busy || this.#deps.isPeer(entry.url.id)) return;
    if (this.#running >= MAX_DIALS) this.#waiting.add(entry);
    else void this.#run(entry);
  }

  async #run(entry: Entry): Promise<void> {
    const { dial, onFailure, clock, timings } = this.#deps;
    entry.busy = true;
    this.#running++;
    const connected = await dial(entry.url, entry.kind).catch((error: Error) =>
      onFailure(entry.url, entry.kind, entry.failures + 1, error),
    );
    this.#running--;
    this.#startNext();
    if (!this.#isCurrent(entry)) connected?.disconnect();
    const started = clock.now();
    await connected?.closed;
    const steady = connected !== undefined && clock.now() - started >= timings.steadyMs;
    entry.failures = steady ? 1 : entry.failures + 1;
    entry.busy = false;
    if (entry.failures > MAX_FAILURES[entry.kind]) this.#giveUp(entry);
    else this.#dialAfter(entry, this.#backOff(entry.failures));
  }

  #giveUp(entry: Entry): void {
    if (!this.#isCurrent(entry)) return;
    const key = mapKey(entry.url.id);
    this.#entries.delete(key);
    this.#dropped.set(key, this.#deps.clock.now());
  }

  #wasDropped(key: string): boolean {
    const at = this.#dropped.get(key);
    return at !== undefined && this.#deps.clock.now() - at < DROPPED_MS;
  }

  /** Dials waiting nodes while there are free places; one that has become a peer meanwhile takes none. */
  #startNext(): void {
    for (const next of this.#waiting) {
      if (this.#running >= MAX_DIALS) return;
      this.#waiting.delete(next);
      this.#start(next);
    }
  }

  /**
   * Returns the back-off in milliseconds. It doubles with each failure and is spread at random, so that two
   * nodes that dial each other do not keep colliding.
   */
  #backOff(failures: number): number {
    const { minRedialMs: redialFirstMs, maxRedialMs: redialMostMs } = this.#deps.timings;
    const wait = Math.min(redialMostMs, redialFirstMs * 2 ** Math.min(20, Math.max(0, failures - 1)));
    return wait * (0.75 + this.#deps.randomFraction() / 2);
  }
}

function hasAddress({ host, tcpPort }: NodeUrl): boolean {
  return host !== undefined && tcpPort !== 0;
}
