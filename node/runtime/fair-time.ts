/**
 * Main-thread time that many strangers share: one slice of each event-loop turn for all of them, so that blocks and
 * other work proceed under any load. Work beyond the slice waits for a later turn: of the owner first whose work would
 * end first if all had equal shares, and of its accounts the same one (weighted fair queueing in two levels, Demers,
 * Keshav and Shenker 1989). Work is expected to take as long as the one before of its account, or as its bytes take.
 */
import { SLICE_MS, type Work } from "./scheduler.ts";

/** Account of one peer or connection. */
export interface TimeShare {
  /**
   * Runs the work at once, or in a later turn when the slice is used up. Work of one account runs in order.
   * Errors of the work are thrown or rejected. Of asynchronous work the part before the first `await` counts.
   */
  run<T>(work: () => T | Promise<T>): T | Promise<T>;
  /**
   * Begins synchronous work when there is time and nobody waits; it ends when the result is disposed of. Returns
   * undefined when the work must wait.
   */
  begin(): Disposable | undefined;
  /** Runs the work on so many bytes in a later turn. It must not throw. */
  wait(work: () => void, bytes: number): void;
  /** True when the slice of this turn is used up. */
  readonly isOver: boolean;
  /** Ends the account; work that waits is still run. */
  close(): void;
}

/** Milliseconds that a byte of a request may take: 500 kB of JSON with as many objects as it can hold take about 20. */
const MS_A_BYTE = 1 / 25_000;

const NO_TURN: Disposable = { [Symbol.dispose]: () => undefined };

/** Account without a limit. */
export const UNLIMITED_TIME: TimeShare = {
  run: (work) => work(),
  begin: () => NO_TURN,
  wait: (work) => work(),
  isOver: false,
  close: () => undefined,
};

/** Clocks for tests. */
export interface FairTimeOptions {
  readonly sliceMs?: number;
  /** Returns milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Calls back in the next turn of the event loop. */
  readonly onNextTurn?: (callback: () => void) => void;
}

/** Has waiting work in a queue. */
interface Queued {
  /** Virtual time of the queue at which the next work may start. */
  start: number;
  /** Milliseconds that the next work takes as far as one can tell. */
  expected: number;
}

/** A queue whose members are served by their claim to time, and of equal claims the shortest work first. */
class FairQueue<T extends Queued> {
  /** Members with waiting work. */
  readonly waiting = new Set<T>();
  /** Virtual time: what each waiting member would have had, were all served at once. An idle member restarts here. */
  #virtual = 0;

  /** Notes that work of the member begins now. */
  begin(member: T): void {
    this.#virtual = Math.max(this.#virtual, member.start);
  }

  /** Charges milliseconds of the work that began last to its member. */
  charge(member: T, ms: number): void {
    member.start = this.#virtual + ms;
    member.expected = ms;
    this.#virtual += ms / (this.waiting.size + 1);
  }

  add(member: T): void {
    if (this.waiting.has(member)) return;
    member.start = Math.max(member.start, this.#virtual);
    this.waiting.add(member);
  }

  /** The member whose waiting work would end first. */
  first(): T {
    let first: T | undefined;
    for (const member of this.waiting)
      if (first === undefined || member.start + member.expected < first.start + first.expected)
        first = member;
    if (first === undefined) throw new RangeError("nothing waits");
    return first;
  }
}

interface Account extends Queued {
  readonly owner: Owner;
  readonly waiting: (() => void)[];
}

/** One or more accounts that together have the share of one. */
interface Owner extends Queued {
  readonly accounts: FairQueue<Account>;
  /** Number of open accounts. */
  open: number;
}

const anOwner = (): Owner => ({ start: 0, expected: 0, accounts: new FairQueue(), open: 0 });

/** The time slice of one kind of work and the accounts that wait for it. */
export class FairTime {
  readonly #sliceMs: number;
  readonly #now: () => number;
  readonly #onNextTurn: (callback: () => void) => void;
  readonly #queue = new FairQueue<Owner>();
  /** Owners with a name. */
  readonly #owners = new Map<string, Owner>();
  /** Start of the work in this turn; undefined before it. */
  #since: number | undefined;
  readonly #onTurn = (): void => this.#turn();

  constructor(work: Work, options: FairTimeOptions = {}) {
    this.#sliceMs = options.sliceMs ?? SLICE_MS[work];
    this.#now = options.now ?? (() => performance.now());
    this.#onNextTurn = options.onNextTurn ?? ((callback) => void setImmediate(callback));
  }

  /**
   * Opens an account. Accounts with the same name of an owner, such as connections of one address, have the share of
   * one; an account without is an owner of its own.
   */
  open(ownerName?: string): TimeShare {
    const owner = this.#owner(ownerName);
    owner.open++;
    const account: Account = { start: 0, expected: 0, owner, waiting: [] };
    const isFree = (): boolean => this.#queue.waiting.size === 0 && this.#hasTime();
    const isOver = (): boolean => !this.#hasTime();
    return {
      run: <T>(work: () => T | Promise<T>): T | Promise<T> => {
        if (isFree()) return this.#charge(account, work);
        return new Promise<T>((resolve, reject) => {
          this.#wait(account, 0, () => {
            try {
              resolve(this.#charge(account, work));
            } catch (error) {
              reject(error);
            }
          });
        });
      },
      begin: () => (isFree() ? this.#begin(account) : undefined),
      wait: (work, bytes) => this.#wait(account, bytes * MS_A_BYTE, () => this.#charge(account, work)),
      get isOver() {
        return isOver();
      },
      close: () => {
        owner.open--;
        if (owner.open === 0 && ownerName !== undefined) this.#owners.delete(ownerName);
      },
    };
  }

  #owner(name: string | undefined): Owner {
    if (name === undefined) return anOwner();
    const owner = this.#owners.get(name) ?? anOwner();
    this.#owners.set(name, owner);
    return owner;
  }

  #hasTime(): boolean {
    const now = this.#now();
    if (this.#since === undefined) this.#beginTurn(now);
    return now - (this.#since ?? now) < this.#sliceMs;
  }

  #beginTurn(now: number): void {
    this.#since = now;
    this.#onNextTurn(this.#onTurn);
  }

  #turn(): void {
    this.#since = undefined;
    while (this.#queue.waiting.size > 0 && this.#hasTime()) this.#first()();
  }

  #charge<T>(account: Account, work: () => T): T {
    using _work = this.#begin(account);
    return work();
  }

  /** Begins work of an account, which is charged when the result is disposed of. */
  #begin(account: Account): Disposable {
    const { owner } = account;
    this.#queue.begin(owner);
    owner.accounts.begin(account);
    const began = this.#now();
    return {
      [Symbol.dispose]: () => {
        const ms = this.#now() - began;
        this.#queue.charge(owner, ms);
        owner.accounts.charge(account, ms);
      },
    };
  }

  #wait(account: Account, expectedMs: number, work: () => void): void {
    account.waiting.push(work);
    account.expected = Math.max(account.expected, expectedMs);
    account.owner.accounts.add(account);
    this.#queue.add(account.owner);
    this.#hasTime(); // there is a next turn
  }

  /** Removes and returns the oldest work of the account that comes first, of the owner that does. */
  #first(): () => void {
    const owner = this.#queue.first();
    const account = owner.accounts.first();
    const work = account.waiting.shift();
    if (work === undefined) throw new RangeError("an account without pending work");
    if (account.waiting.length === 0) owner.accounts.waiting.delete(account);
    if (owner.accounts.waiting.size === 0) this.#queue.waiting.delete(owner);
    return work;
  }
}
