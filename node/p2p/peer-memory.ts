/**
 * Memory budget of waiting messages, received and sent, of all peers. Each queue reports what it holds. When
 * the budget is exhausted, the peer with the most bytes, weighted by the time for which it has accepted
 * nothing, is disconnected.
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

  /** Opens an account. `drop` disconnects its peer and releases its bytes before it returns. */
  open(drop: () => void): MemoryShare {
    const account: Account = { drop, added: 0, sending: 0, sendingSinceMs: undefined };
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
    const now = this.#now();
    let heaviest: Account | undefined;
    let most = 0;
    for (const account of this.#accounts) {
      const seconds = (now - (account.sendingSinceMs ?? now)) / 1000;
      const weight = (account.added + account.sending) * (1 + seconds);
      if (weight <= most) continue;
      heaviest = account;
      most = weight;
    }
    return heaviest;
  }
}
