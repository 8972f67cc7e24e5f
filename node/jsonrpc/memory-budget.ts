/**
 * A memory budget that all connections share: partial requests, or answers that peers have not read. Above
 * the limit the connection with the most bytes is dropped, so that a few greedy peers cannot crowd out the
 * rest.
 */

/** One connection in the budget. */
export interface Holder {
  /**
   * Called for the largest holder when the budget is exceeded: it must release all of its bytes. Not called
   * for a holder of no bytes.
   */
  dropped(): void;
}

/** Number of small holders that fit into a quarter of the budget. */
const SMALL_HOLDERS = 1024;

function roomShare(
  bytes: number,
  { max, equalShare }: { readonly max: number; readonly equalShare: number },
): number {
  if (bytes <= max / 4 / SMALL_HOLDERS) return 1;
  return bytes <= equalShare ? 3 / 4 : 1 / 2;
}

/** Bytes by holder, within a common maximum. */
export class MemoryBudget {
  /** Maximum bytes of all holders. */
  readonly max: number;
  readonly #shares = new Map<Holder, number>();
  #used = 0;

  constructor(max: number) {
    this.max = max;
  }

  /** Bytes of all holders. */
  get used(): number {
    return this.#used;
  }

  /** Bytes of one holder. */
  of(holder: Holder): number {
    return this.#shares.get(holder) ?? 0;
  }

  /** Drops the holder with the most bytes. Returns false when nobody holds any. */
  dropLargest(): boolean {
    return this.#dropLargest();
  }

  /** Sets the bytes of a holder, 0 when it has released them; drops the largest holders above the maximum. */
  hold(holder: Holder, bytes: number): void {
    this.#used += bytes - (this.#shares.get(holder) ?? 0);
    if (bytes === 0) this.#shares.delete(holder);
    else this.#shares.set(holder, bytes);
    while (this.#used > this.max) this.#dropLargest();
  }

  /**
   * Raises the bytes of a holder to `bytes`; false when the budget is full. A holder above an equal share may
   * fill half of the budget, one up to an equal share three quarters, a small one all of it. Before a holder
   * of at most an equal share is refused, holders of more than twice as much are dropped, the largest first.
   * A connection that returns gets no more than an equal share, so dropping comes to an end.
   */
  claim(holder: Holder, bytes: number): boolean {
    const own = this.#shares.get(holder) ?? 0;
    for (;;) {
      const equalShare = this.max / (this.#shares.size + 1);
      const room = this.max * roomShare(bytes, { max: this.max, equalShare });
      if (this.#used - own + bytes <= room) break;
      if (bytes > equalShare || !this.#dropLargest(2 * equalShare)) return false;
    }
    this.hold(holder, bytes);
    return true;
  }

  #dropLargest(floor = 0): boolean {
    let largest: Holder | undefined;
    let most = floor;
    for (const [holder, bytes] of this.#shares) {
      if (bytes <= most) continue;
      largest = holder;
      most = bytes;
    }
    if (largest === undefined) return false;
    this.#used -= most;
    this.#shares.delete(largest);
    largest.dropped();
    return true;
  }
}
