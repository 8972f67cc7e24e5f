/**
 * Memory budget of waiting messages, received and sent, of all peers. Each queue reports what it holds. When
 * the budget is exhausted, the peer with the most bytes, weighted by the time for which it has accepted
 * nothing, is disconnected, of the owner whose peers have the most.
 */

/** Default budget, in bytes. */
const DEFAULT_BYTES = 256 * 2 ** 20;

/** Bytes of a waiting message besides its payload: queue entry, typed array, buffer and backing store. */
export const MESSAGE_OVERHEAD = 512;

/** Account of one peer. */
export interface MemoryShare {
  /** Adds bytes to the account; a negative number releases them. */
  add(bytes: number): void;
  /** Counts a queued message. A payload that several peers share counts once. */
  hold(payload: Uint8Array): void;
  release(payload: Uint8Array): void;
  /** Releases everything that `add` counted. Queued messages are released one by one. */
  close(): void;
}

interface Account {
  /** Name of the owner; undefined when the peer is its own. */
  readonly owner: string | undefined;
  readonly drop: () => void;
  added: number;
  sending: number;
  /** Start of the period in which a message has always been queued; undefined while the queue is empty. */
  sendingSinceMs: number | undefined;
}

/** The budget and its accounts. */
export class PeerMemory {
  /** Size of the budget, in bytes. */
  readonly max: number;
  readonly #now: () => number;
  readonly #accounts = new Set<Account>();
  /** Number of queued messages by payload. */
  readonly #payloads = new Map<Uint8Array, number>();
  #used = 0;

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(max: number = DEFAULT_BYTES, now: () => number = () => performance.now()) {
    this.max = max;
    this.#now = now;
  }

  /** Bytes in use by all peers. */
  get used(): number {
    return this.#used;
  }

  /** True when more than half of the budget is in use. Inboxes then hold one message at a time. */
  get isTight(): boolean {
    return this.#used > this.max / 2;
  }

  /**
   * Opens an account. `drop` disconnects its peer and releases its bytes before it returns. Accounts with the same name
   * of an owner, such as peers of one address, count together; an account without is an owner of its own.
   */
  open(drop: () => void, owner?: string): MemoryShare {
    const account: Account = { owner, drop, added: 0, sending: 0, sendingSinceMs: undefined };
    this.#accounts.add(account);
    return {
      add: (bytes) => {
        if (!this.#accounts.has(account)) return;
        account.added += bytes;
        this.#count(bytes);
      },
      hold: (payload) => this.#hold(account, payload),
      release: (payload) => this.#release(account, payload),
      close: () => {
        if (this.#accounts.delete(account)) this.#used -= account.added;
      },
    };
  }

  #hold(account: Account, payload: Uint8Array): void {
    if (account.sending === 0) account.sendingSinceMs = this.#now();
    account.sending += payload.length + MESSAGE_OVERHEAD;
    const messages = this.#payloads.get(payload) ?? 0;
    this.#payloads.set(payload, messages + 1);
    this.#count(MESSAGE_OVERHEAD + (messages === 0 ? payload.length : 0));
  }

  #release(account: Account, payload: Uint8Array): void {
    account.sending -= payload.length + MESSAGE_OVERHEAD;
    if (account.sending === 0) account.sendingSinceMs = undefined;
    const messages = this.#payloads.get(payload) ?? 0;
    if (messages > 1) this.#payloads.set(payload, messages - 1);
    else this.#payloads.delete(payload);
    this.#used -= MESSAGE_OVERHEAD + (messages > 1 ? 0 : payload.length);
  }

  #count(bytes: number): void {
    this.#used += bytes;
    while (this.#used > this.max) {
      const account = this.#heaviest();
      if (account === undefined) return;
      this.#accounts.delete(account);
      this.#used -= account.added;
      account.drop();
    }
  }

  #heaviest(): Account | undefined {
    const weights = [...this.#accounts].map((account) => ({ account, weight: this.#weight(account) }));
    const owned = new Map<string | Account, number>();
    const ofOwner = (account: Account): number => owned.get(account.owner ?? account) ?? 0;
    for (const { account, weight } of weights) owned.set(account.owner ?? account, ofOwner(account) + weight);
    const most = Math.max(...owned.values());
    const heaviest = weights.filter(({ account, weight }) => weight > 0 && ofOwner(account) === most);
    return heaviest.sort((a, b) => b.weight - a.weight)[0]?.account;
  }

  #weight({ added, sending, sendingSinceMs }: Account): number {
    const seconds = sendingSinceMs === undefined ? 0 : (this.#now() - sendingSinceMs) / 1000;
    return (added + sending) * (1 + seconds);
  }
}
