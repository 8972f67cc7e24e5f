/**
 * Gasless transactions that the pool has or had a short time ago (`kaiax/gasless/impl/tx_counter.go@v2.2.2`): how many
 * wait and how many are executable, and which have been there for too long.
 */
import type { Clock } from "../runtime/clock.ts";

/** Place of a transaction in the pool; undefined when it has left. */
export type PoolPlace = "queued" | "pending" | undefined;

interface Known {
  readonly addedAt: number;
  promotedAt: number | undefined;
  place: PoolPlace;
  isUnexecutable: boolean;
}

/** Time after which a transaction leaves the pool. */
const MAX_STAY_MS = 10_000;
/** Time for which a transaction that has come in is refused when it comes again. */
const COOLDOWN_MS = 30_000;
const MAX_KNOWN = 16_384;

/** The transactions by map key of their hashes. */
export class KnownTransactions {
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isFull(): boolean {
    return this.#known.size >= MAX_KNOWN;
  }

  get queued(): number {
    return this.#count(({ place }) => place === "queued");
  }

  get pending(): number {
    return this.#count(({ place }) => place === "pending");
  }

  /** Those executable that no proposer has marked. */
  get executable(): number {
    return this.#count(({ place, isUnexecutable }) => place === "pending" && !isUnexecutable);
  }

  /** Time since the oldest came in; 0 for none. */
  get oldestMs(): number {
    const [oldest] = [...this.#known.values()].map(({ addedAt }) => addedAt).sort((a, b) => a - b);
    return oldest === undefined ? 0 : this.#clock.now() - oldest;
  }

  /** True while a transaction may not come in again. */
  isCooling(key: string): boolean {
    const known = this.#known.get(key);
    return known !== undefined && this.#since(known) < COOLDOWN_MS;
  }

  /** Notes that a transaction came in, or has become executable. */
  place(key: string, place: PoolPlace): void {
    const now = this.#clock.now();
    const known = this.#known.get(key) ?? {
      addedAt: now,
      promotedAt: undefined,
      place,
      isUnexecutable: false,
    };
    known.place = place;
    if (place === "pending") known.promotedAt ??= now;
    this.#known.set(key, known);
  }

  markUnexecutable(key: string): void {
    const known = this.#known.get(key);
    if (known !== undefined) known.isUnexecutable = true;
  }

  /** Forgets the oldest, and returns those whose time in the pool is over. */
  expire(): readonly string[] {
    const now = this.#clock.now();
    const over: string[] = [];
    for (const [key, known] of this.#known) {
      const { place, addedAt, promotedAt = addedAt } = known;
      const since = place === "pending" ? promotedAt : addedAt;
      if (place !== undefined && now - since >= MAX_STAY_MS) over.push(key);
      if (this.#since(known) >= COOLDOWN_MS) this.#known.delete(key);
    }
    return over;
  }

  /** Notes the places of all. */
  follow(placeOf: (key: string) => PoolPlace): void {
    for (const key of this.#known.keys()) this.place(key, placeOf(key));
  }

  #since({ addedAt, promotedAt = addedAt }: Known): number {
    return this.#clock.now() - promotedAt;
  }

  #count(counts: (known: Known) => boolean): number {
    let count = 0;
    for (const known of this.#known.values()) if (counts(known)) count++;
    return count;
  }
}
