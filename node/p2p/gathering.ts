/**
 * Connections of multichannel peers, collected until there is one for every listening port. An incomplete set
 * is closed after a timeout, and the oldest set when too many are incomplete.
 */
import type { NodeId } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";

/** Maximum number of peers with an incomplete set. */
const MAX_INCOMPLETE = 64;

/** Options of the collection. */
export interface GatheringOptions<T> {
  readonly timeoutMs: number;
  /** Closes an unused connection. */
  readonly close: (connection: T) => void;
}

interface IncompleteSet<T> {
  readonly connections: (T | undefined)[];
  readonly timer: NodeJS.Timeout;
}

/** Incomplete sets of connections by node id. Disposing it closes them. */
export class Gathering<T> implements Disposable {
  readonly #options: GatheringOptions<T>;
  readonly #waiting = new Map<string, IncompleteSet<T>>();

  constructor(options: GatheringOptions<T>) {
    this.#options = options;
  }

  /**
   * Adds the connection that a node opened to one of `ports` listening ports. Returns all connections in
   * order of ports once the set is complete.
   */
  put(id: NodeId, connection: T, at: { readonly port: number; readonly ports: number }): T[] | undefined {
    const key = mapKey(id);
    const waiting = this.#waiting.get(key) ?? this.#begin(key, at.ports);
    const before = waiting.connections[at.port];
    if (before !== undefined) this.#options.close(before); // replaced by a new dial
    waiting.connections[at.port] = connection;
    const there = waiting.connections.filter((each) => each !== undefined);
    if (there.length < at.ports) return undefined;
    this.#forget(key);
    return there;
  }

  [Symbol.dispose](): void {
    for (const key of this.#waiting.keys()) this.#giveUp(key);
  }

  #begin(key: string, ports: number): IncompleteSet<T> {
    const [oldest] = this.#waiting.keys();
    if (oldest !== undefined && this.#waiting.size >= MAX_INCOMPLETE) this.#giveUp(oldest);
    const timer = setTimeout(() => this.#giveUp(key), this.#options.timeoutMs);
    const waiting = { timer, connections: Array.from({ length: ports }, (): T | undefined => undefined) };
    this.#waiting.set(key, waiting);
    return waiting;
  }

  #giveUp(key: string): void {
    for (const connection of this.#forget(key)) if (connection !== undefined) this.#options.close(connection);
  }

  #forget(key: string): (T | undefined)[] {
    const waiting = this.#waiting.get(key);
    clearTimeout(waiting?.timer);
    this.#waiting.delete(key);
    return waiting?.connections ?? [];
  }
}
