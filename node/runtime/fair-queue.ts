/**
 * Work of many strangers in fair order: that of the owner first whose work would end first if all had equal shares, and
 * of its accounts the same one (weighted fair queueing in two levels, Demers, Keshav and Shenker 1989). Work is expected
 * to take as long as the one before of its account. Who executes it tells what it took.
 */
import { RecentMap } from "./recent-map.ts";

/** Has waiting work in a level. Times are milliseconds. */
interface Member {
  /** Virtual time of the level at which the next work may start. */
  start: number;
  /** What the next work takes as far as one can tell. */
  expected: number;
  /** About the median of what work took; undefined before the first. */
  usual: number | undefined;
  /** Charged, but not yet paid. */
  owed: number;
}

/** Median that is not asked about, and the highest that the first work of a member may give. */
const LEAST_USUAL_MS = 0.1;
const FIRST_USUAL_MS = 0.5;
/** Factor by which the median moves towards each new value. */
const STEP = 1.5;
/** A member pays so many times its usual work at once, or this part of what it owes. */
const USUAL_TIMES = 2;
const OWED_PART = 1 / 64;

const aMember = (): Member => ({ start: 0, expected: 0, usual: undefined, owed: 0 });

/** Members that are served by their claim to time, and of equal claims the shortest work first. */
class Level<T extends Member> {
  /** Members with waiting work. */
  readonly waiting = new Set<T>();
  /** Virtual time: what each waiting member would have had, were all served at once. An idle member restarts here. */
  #virtual = 0;

  /** Notes that work of the member begins now. */
  begin(member: T): void {
    this.#virtual = Math.max(this.#virtual, member.start);
  }

  /**
   * Charges milliseconds of work that began to its member, which pays by and by what is far above its usual: a short
   * request that the system or a collection of garbage interrupted would otherwise have the next one wait until all
   * others have had as much, which is seconds.
   */
  charge(member: T, ms: number): void {
    const usual = Math.max(member.usual ?? Math.min(ms, FIRST_USUAL_MS), LEAST_USUAL_MS);
    const due = member.owed + ms;
    const paid = Math.min(due, Math.max(USUAL_TIMES * usual, OWED_PART * due));
    member.owed = due - paid;
    member.usual = ms > usual ? Math.min(ms, usual * STEP) : Math.max(ms, usual / STEP);
    member.expected = member.usual;
    member.start = Math.max(member.start, this.#virtual) + paid;
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

/** One or more accounts that together have the share of one. */
interface Owner<Work> extends Member {
  readonly accounts: Level<FairAccount<Work>>;
}

/** Account of one connection or peer. */
export interface FairAccount<Work> extends Member {
  readonly owner: Owner<Work>;
  /** Its waiting work, the oldest first. */
  readonly waiting: Work[];
}

/** Owners whose names are remembered: one that is forgotten has its share anew. */
const MAX_OWNERS = 8192;

/** The waiting work of all accounts. */
export class FairQueue<Work> {
  readonly #owners = new Level<Owner<Work>>();
  readonly #names = new RecentMap<Owner<Work>>(MAX_OWNERS);

  /**
   * Creates an account. Accounts with the same name of an owner, such as connections of one address, have the share of
   * one; an account without is an owner of its own.
   */
  open(ownerName?: string): FairAccount<Work> {
    return { ...aMember(), owner: this.#owner(ownerName), waiting: [] };
  }

  /** True when no work waits. */
  get isEmpty(): boolean {
    return this.#owners.waiting.size === 0;
  }

  /** Adds work that takes about so many milliseconds, or as long as the one before when that is more. */
  add(account: FairAccount<Work>, work: Work, expectedMs = 0): void {
    account.waiting.push(work);
    account.expected = Math.max(account.expected, expectedMs);
    account.owner.accounts.add(account);
    this.#owners.add(account.owner);
  }

  /** Removes and returns the oldest work of the account that comes first, of the owner that does. Throws when none waits. */
  take(): Work {
    const account = this.#owners.first().accounts.first();
    const work = account.waiting.shift() as Work; // accounts in a level have some
    this.#settle(account);
    return work;
  }

  /** Removes waiting work. Returns false when it does not wait. */
  remove(account: FairAccount<Work>, work: Work): boolean {
    const at = account.waiting.indexOf(work);
    if (at < 0) return false;
    account.waiting.splice(at, 1);
    this.#settle(account);
    return true;
  }

  /** Notes that work of the account begins now. */
  begin(account: FairAccount<Work>): void {
    this.#owners.begin(account.owner);
    account.owner.accounts.begin(account);
  }

  /** Charges work that began to the account and its owner. */
  charge(account: FairAccount<Work>, ms: number): void {
    this.#owners.charge(account.owner, ms);
    account.owner.accounts.charge(account, ms);
  }

  /** Accounts with waiting work, by their owners. */
  *waiting(): Generator<readonly FairAccount<Work>[]> {
    for (const owner of this.#owners.waiting) yield [...owner.accounts.waiting];
  }

  /** Forgets an account without waiting work, and its owner when it was the last. */
  #settle(account: FairAccount<Work>): void {
    const { owner } = account;
    if (account.waiting.length === 0) owner.accounts.waiting.delete(account);
    if (owner.accounts.waiting.size === 0) this.#owners.waiting.delete(owner);
  }

  #owner(name: string | undefined): Owner<Work> {
    const known = name === undefined ? undefined : this.#names.get(name);
    if (known !== undefined) return known;
    const owner: Owner<Work> = { ...aMember(), accounts: new Level() };
    if (name !== undefined) this.#names.set(name, owner);
    return owner;
  }
}
