/**
 * Hashes of the newest transactions that became executable, in one list for all polling clients. A reader
 * holds a position in it. Old positions expire.
 */
import type { Hash } from "../bytes/brands.ts";
import type { TxPool } from "../txpool/pool.ts";

/** Number of hashes in a page. */
const PAGE = 65_536;
const HASH_LENGTH = 32;

/**
 * Two pages of hashes outside the heap: the current one and the one before it. The list grows only while it
 * listens.
 */
export class PendingList {
  readonly #pool: Pick<TxPool, "onPending">;
  readonly #page: number;
  /** Position of the first stored hash. */
  #start = 0;
  #previous: Uint8Array | undefined;
  #current: Uint8Array | undefined;
  /** Number of hashes in `#current`. */
  #count = 0;
  #stop: (() => void) | undefined;

  constructor(pool: Pick<TxPool, "onPending">, page = PAGE) {
    this.#pool = pool;
    this.#page = page;
  }

  /** Position of the next hash. */
  get end(): number {
    return this.#start + this.#kept;
  }

  get #kept(): number {
    return (this.#previous === undefined ? 0 : this.#page) + this.#count;
  }

  /** Starts or stops listening. Stopping deletes the hashes. */
  listen(isWanted: boolean): void {
    if (isWanted === (this.#stop !== undefined)) return;
    this.#stop?.();
    this.#start = this.end;
    this.#previous = undefined;
    this.#current = undefined;
    this.#count = 0;
    this.#stop = isWanted ? this.#pool.onPending((transactions) => this.#take(transactions)) : undefined;
  }

  /**
   * Returns at most `max` hashes from a position on, valid until the next event; `undefined` when the
   * position has expired.
   */
  from(place: number, max: number): readonly Hash[] | undefined {
    const at = place - this.#start;
    if (at < 0) return undefined;
    const length = Math.max(0, Math.min(max, this.#kept - at));
    return Array.from({ length }, (_, index) => this.#hash(at + index));
  }

  #hash(at: number): Hash {
    const isOlder = this.#previous !== undefined && at < this.#page;
    const page = (isOlder ? this.#previous : this.#current) ?? new Uint8Array(0);
    const begin = (isOlder || this.#previous === undefined ? at : at - this.#page) * HASH_LENGTH;
    return page.subarray(begin, begin + HASH_LENGTH);
  }

  #take(transactions: readonly { readonly hash: Hash }[]): void {
    for (const { hash } of transactions) {
      if (this.#count === this.#page) this.#turnPage();
      this.#current ??= new Uint8Array(this.#page * HASH_LENGTH);
      this.#current.set(hash, this.#count++ * HASH_LENGTH);
    }
  }

  #turnPage(): void {
    if (this.#previous !== undefined) this.#start += this.#page;
    this.#previous = this.#current;
    this.#current = undefined;
    this.#count = 0;
  }
}
