/**
 * Connections of peers that open several: each waits until there is one for every port of ours. What stays incomplete
 * is closed after a time, and when too many wait the oldest go.
 */
import { mapKey } from "../bytes/hex.ts";

/** How many peers may wait for the rest of their connections. */
const MOST_WAITING = 64;

/** How connections are gathered. */
export interface GatheringTerms<T> {
  readonly timeoutMs: number;
  /** Closes a connection that is not wanted any more. */
  readonly close: (connection: T) => void;
}

interface Waiting<T> {
  readonly connections: (T | undefined)[];
  readonly timer: NodeJS.Timeout;
}

/** The waiting connections. Disposing it closes them. */
export class Gathering<T> implements Disposable {
  readonly #terms: GatheringTerms<T>;
  readonly #waiting = new Map<string, Waiting<T>>();

  constructor(terms: GatheringTerms<T>) {
    this.#terms = terms;
  }

  /** Adds the connection of a node to one of `ports` ports of ours. All of them, in order, once the last is there. */
  put(id: Uint8Array, connection: T, at: { readonly port: number; readonly ports: number }): T[] | undefined {
    const key = mapKey(id);
    const waiting = this.#waiting.get(key) ?? this.#begin(key, at.ports);
    const before = waiting.connections[at.port];
    if (before !== undefined) this.#terms.close(before); // the node dials anew
    waiting.connections[at.port] = connection;
    const there = waiting.connections.filter((each) => each !== undefined);
    if (there.length < at.ports) return undefined;
    this.#forget(key);
    return there;
  }

  [Symbol.dispose](): void {
    for (const key of this.#waiting.keys()) this.#giveUp(key);
  }

  #begin(key: string, ports: number): Waiting<T> {
    const [oldest] = this.#waiting.keys();
    if (oldest !== undefined && this.#waiting.size >= MOST_WAITING) this.#giveUp(oldest);
    const timer = setTimeout(() => this.#giveUp(key), this.#terms.timeoutMs);
    const waiting = { timer, connections: Array.from({ length: ports }, (): T | undefined => undefined) };
    this.#waiting.set(key, waiting);
    return waiting;
  }

  #giveUp(key: string): void {
    for (const connection of this.#forget(key)) if (connection !== undefined) this.#terms.close(connection);
  }

  #forget(key: string): (T | undefined)[] {
    const waiting = this.#waiting.get(key);
    clearTimeout(waiting?.timer);
    this.#waiting.delete(key);
    return waiting?.connections ?? [];
  }
}
