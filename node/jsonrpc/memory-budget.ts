/**
 * Bytes that wait in memory for peers, shared by all connections: half requests, or answers that nobody has taken
 * yet. When they pass the limit, whoever holds most is dropped, so that a few greedy peers cannot crowd out the rest.
 */

/** One connection. */
export interface Holder {
  /** It held most when there was too much: it must let go of everything. Not called for what holds nothing. */
  dropped(): void;
}

/** So many holders of very little fit into a quarter of all. */
const SMALL_HOLDERS = 1024;

function roomShare(
  bytes: number,
  { max, equalShare }: { readonly max: number; readonly equalShare: number },
): number {
  if (bytes <= max / 4 / SMALL_HOLDERS) return 1;
  return bytes <= equalShare ? 3 / 4 : 1 / 2;
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

  /**
   * Raises a holder's share to `bytes`; false when there is no room: half of all for a holder of more than an equal share,
   * three quarters up to that, all for a holder of very little. Before one of an equal share at most is refused, holders
   * of more than twice as much are dropped, the largest first. Those that come again get no more than an equal share, so
   * dropping comes to an end.
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
