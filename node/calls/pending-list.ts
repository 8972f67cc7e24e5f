/**
 * Hashes of the newest transactions that became executable, in one list for all who poll. A reader holds a place in
 * it; who comes too late finds that its place is gone.
 */
import type { TxPool } from "../txpool/pool.ts";

/** Two kept at a time, each of so many hashes. */
const PAGE = 65_536;

/** The list; it grows only while it listens. */
export class PendingList {
  readonly #pool: Pick<TxPool, "onPending">;
  readonly #page: number;
  #start = 0;
  #hashes: Uint8Array[] = [];
  #stop: (() => void) | undefined;

  constructor(pool: Pick<TxPool, "onPending">, page = PAGE) {
    this.#pool = pool;
    this.#page = page;
  }

  /** The place of what comes next. */
  get end(): number {
    return this.#start + this.#hashes.length;
  }

  /** Begins or ends listening; hashes are forgotten at the end. */
  listen(isWanted: boolean): void {
    if (isWanted === (this.#stop !== undefined)) return;
    this.#stop?.();
    this.#start = this.end;
    this.#hashes = [];
    this.#stop = isWanted ? this.#pool.onPending((transactions) => this.#take(transactions)) : undefined;
  }

  /** At most `max` hashes from a place on; `undefined` when they are no longer kept. */
  from(place: number, max: number): readonly Uint8Array[] | undefined {
    const at = place - this.#start;
    return at < 0 ? undefined : this.#hashes.slice(at, at + max);
  }

  #take(transactions: readonly { readonly hash: Uint8Array }[]): void {
    for (const { hash } of transactions) this.#hashes.push(hash);
    if (this.#hashes.length < 2 * this.#page) return;
    const gone = this.#hashes.length - this.#page;
    this.#hashes.splice(0, gone);
    this.#start += gone;
  }
}
