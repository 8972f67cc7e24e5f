/**
 * A memory budget that all connections share: partial requests, or answers that peers have not read. Above
 * the limit the largest connection of the address with the most bytes is dropped, so that a few greedy peers, or many
 * connections of one, cannot crowd out the rest.
 */

/** One connection in the budget. */
export interface Holder {
  /** Name of the client whose connections are counted together; a connection without one is a client of its own. */
  readonly owner?: string | undefined;
  /**
   * Called for the largest holder when the budget is exceeded: it must release all of its bytes. Not called
   * for a holder of no bytes.
   */
  onDrop(): void;
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
  /** Bytes of all connections of an owner; a holder without one is its own. */
  readonly #owners = new Map<string | Holder, number>();
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

  /** Drops the largest holder of the owner with the most bytes. Returns false when nobody holds any. */
  dropLargest(): boolean {
    const [owner] = largest(this.#owners);
    return this.#drop(largest(this.#sharesOf(owner))[0]);
  }

  /** Sets the bytes of a holder, 0 when it has released them; drops the largest holders above the maximum. */
  hold(holder: Holder, bytes: number): void {
    this.#set(holder, bytes);
    while (this.#used > this.max) this.dropLargest();
  }

  /**
   * Raises the bytes of a holder to `bytes`; false when the budget is full. A holder above an equal share may
   * fill half of the budget, one up to an equal share three quarters, a small one all of it. Before a holder
   * of at most an equal share is refused, holders of more than twice as much are dropped, the largest first; then,
   * for an owner of at most an equal share of owners, those of one with more by several holders.
   * A connection that returns gets no more than an equal share, so dropping comes to an end.
   */
  claim(holder: Holder, bytes: number): boolean {
    const own = this.#shares.get(holder) ?? 0;
    for (;;) {
      const equalShare = this.max / (this.#shares.size + 1);
      const room = this.max * roomShare(bytes, { max: this.max, equalShare });
      if (this.#used - own + bytes <= room) break;
      if (bytes > equalShare || !this.#dropGreedy(holder, bytes - own, equalShare)) return false;
    }
    this.hold(holder, bytes);
    return true;
  }

  /**
   * Raises the bytes of a holder to `bytes`. In a full budget those of owners with more are dropped, the largest first;
   * false when its own owner would have the most.
   */
  displace(holder: Holder, bytes: number): boolean {
    const more = bytes - this.of(holder);
    const total = (this.#owners.get(ownerOf(holder)) ?? 0) + more;
    while (this.#used + more > this.max) {
      if (largest(this.#owners)[1] <= total) return false;
      this.dropLargest();
    }
    this.#set(holder, bytes);
    return true;
  }

  #dropGreedy(claimant: Holder, more: number, equalShare: number): boolean {
    const [holder, bytes] = largest(this.#shares);
    if (bytes > 2 * equalShare) return this.#drop(holder);
    const total = this.#owners.get(ownerOf(claimant));
    const ownerShare = this.max / (this.#owners.size + (total === undefined ? 1 : 0));
    const [owner, most] = largest(this.#owners);
    if (most <= ownerShare || (total ?? 0) + more > ownerShare) return false;
    const shares = this.#sharesOf(owner);
    return shares.length > 1 && this.#drop(largest(shares)[0]);
  }

  #sharesOf(owner: string | Holder | undefined): [Holder, number][] {
    return [...this.#shares].filter(([holder]) => ownerOf(holder) === owner);
  }

  /** Returns false when there is no holder. */
  #drop(holder: Holder | undefined): boolean {
    if (holder === undefined) return false;
    this.#set(holder, 0);
    holder.onDrop();
    return true;
  }

  #set(holder: Holder, bytes: number): void {
    const more = bytes - (this.#shares.get(holder) ?? 0);
    const owner = ownerOf(holder);
    const total = (this.#owners.get(owner) ?? 0) + more;
    this.#used += more;
    if (bytes === 0) this.#shares.delete(holder);
    else this.#shares.set(holder, bytes);
    if (total === 0) this.#owners.delete(owner);
    else this.#owners.set(owner, total);
  }
}

function ownerOf(holder: Holder): string | Holder {
  return holder.owner ?? holder;
}

/** Returns the key with the most bytes, undefined when there is none. */
function largest<K>(shares: Iterable<readonly [K, number]>): [key: K | undefined, bytes: number] {
  let key: K | undefined;
  let most = 0;
  for (const [each, bytes] of shares) {
    if (bytes <= most) continue;
    key = each;
    most = bytes;
  }
  return [key, most];
}
