/**
 * Bytes that wait in memory for peers, shared by all connections: half requests, or answers that nobody has taken
 * yet. When they pass the limit, whoever holds most is dropped, so that a few greedy peers cannot crowd out the rest.
 */

/** One connection. */
export interface Holder {
  /** It held most when there was too much: it must let go of everything. Not called for what holds nothing. */
  dropped(): void;
}

/** See the file's header. */
export class ByteShares {
  /** Bytes that may be held. */
  readonly max: number;
  readonly #shares = new Map<Holder, number>();
  #used = 0;

  constructor(max: number) {
    this.max = max;
  }

  /** Bytes held by all. */
  get used(): number {
    return this.#used;
  }

  /** Says how much a holder holds now; 0 when it has let go. */
  hold(holder: Holder, bytes: number): void {
    this.#used += bytes - (this.#shares.get(holder) ?? 0);
    if (bytes === 0) this.#shares.delete(holder);
    else this.#shares.set(holder, bytes);
    while (this.#used > this.max) this.#dropLargest();
  }

  #dropLargest(): void {
    let largest: Holder | undefined;
    let most = 0;
    for (const [holder, bytes] of this.#shares) {
      if (bytes <= most) continue;
      largest = holder;
      most = bytes;
    }
    if (largest === undefined) return;
    this.#used -= most;
    this.#shares.delete(largest);
    largest.dropped();
  }
}
