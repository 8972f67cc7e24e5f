/**
 * Memory of messages from and to all peers that wait, as one budget. Comes in: what the queues of each peer hold. When
 * the budget is used up, the peer that holds most, weighted with how long it has not taken what is sent to it, is
 * disconnected.
 */

/** Bytes where nobody plans. */
const USUAL_BYTES = 256 * 2 ** 20;

/** What a waiting message takes besides its payload: queue entry, typed array, buffer and backing store. */
export const MESSAGE_OVERHEAD = 512;

/** The account of one peer. */
export interface MemoryShare {
  /** Counts bytes of this peer; negative ones are released. */
  add(bytes: number): void;
  /** Counts a message to be sent. Its payload counts once, however many peers it waits for. */
  hold(payload: Uint8Array): void;
  release(payload: Uint8Array): void;
  /** Releases what was added. Messages to be sent are released one by one. */
  close(): void;
}

interface Account {
  readonly drop: () => void;
  added: number;
  sending: number;
  /** Time since when something to be sent has always waited; undefined: nothing waits. */
  sendingSinceMs: number | undefined;
}

/** The budget and its accounts. */
export class PeerMemory {
  /** Bytes that may be held. */
  readonly max: number;
  readonly #now: () => number;
  readonly #accounts = new Set<Account>();
  /** Messages that wait, by payload. */
  readonly #payloads = new Map<Uint8Array, number>();
  #used = 0;

  /** `now` gives milliseconds of a clock that is never set back. */
  constructor(max: number = USUAL_BYTES, now: () => number = () => performance.now()) {
    this.max = max;
    this.#now = now;
  }

  /** Bytes held for all peers. */
  get used(): number {
    return this.#used;
  }

  /** True when more than half of the budget is used: peers are read more slowly. */
  get isTight(): boolean {
    return this.#used > this.max / 2;
  }

  /** A new account; `drop` disconnects its peer, and releases everything of it before it returns. */
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
