/**
 * Work of many strangers in fair order: that of the owner first whose work would end first if all had equal shares, and
 * of its accounts the same one (weighted fair queueing in two levels, Demers, Keshav and Shenker 1989). Work is expected
 * to take as long as its account's usually does. Who executes it tells what it took.
 */
import { RecentMap } from "./recent-map.ts";

/** Has waiting work in a level. */
interface Member {
  /** Virtual time of the level at which the next work may start. */
  start: number;
  /** Milliseconds that the next work takes as far as one can tell. */
  expected: number;
  /** About the median of the milliseconds of its work; undefined before the first. */
  usual: number | undefined;
  /** Milliseconds that were charged, but are not paid yet. */
  owed: number;
}

/** Lowest median, and the highest one that the first work of a member gives. */
const MIN_USUAL_MS = 0.1;
const MAX_FIRST_USUAL_MS = 1;
/** Factor by which the median moves towards each new value. */
const STEP = 1.5;
/** A member pays so many times the expected at once, or this part of what it owes, or what is above the maximum. */
const EXPECTED_TIMES = 2;
const OWED_PART = 1 / 64;
const MAX_OWED_MS = 100;
/** Time that a member keeps of what it could have had. */
const MAX_CREDIT_MS = 30;

const aMember = (): Member => ({ start: 0, expected: 0, usual: undefined, owed: 0 });

/** Members that are served by their claim to time, and of equal claims the shortest work first. */
class Level<T extends Member> {
  /** Members with waiting work. */
  readonly waiting = new Set<T>();
  /** Virtual time: what each member has had since the beginning, were all served at once. New ones start here. */
  #virtual = 0;

  /** Lets a member in that had no waiting work: what it has not used of its share lately it still has. */
  enter(member: T): void {
    const credit = member.usual === undefined ? 0 : MAX_CREDIT_MS;
    member.start = Math.max(member.start, this.#virtual - credit);
  }

  add(member: T): void {
    if (this.waiting.has(member)) return;
    this.enter(member);
    this.waiting.add(member);
  }

  /** Notes that work of the member begins now. */
  begin(member: T): void {
    this.#virtual = Math.max(this.#virtual, member.start);
  }

  /**
   * Charges milliseconds of work that began to its member, which pays later what is far above the expected: a short
   * request that the system or a collection of garbage interrupted would otherwise have the next one wait until all
   * others have had as much, which is seconds.
   */
  charge(member: T, ms: number): void {
    const usual = Math.max(member.usual ?? Math.min(ms, MAX_FIRST_USUAL_MS), MIN_USUAL_MS);
    const due = member.owed + ms;
    const promptly = EXPECTED_TIMES * Math.max(usual, member.expected);
    const paid = Math.min(due, Math.max(promptly, OWED_PART * due, due - MAX_OWED_MS));
    member.owed = due - paid;
    member.usual = ms > usual ? Math.min(ms, usual * STEP) : Math.max(ms, usual / STEP);
    member.expected = member.usual;
    member.start += paid;
    this.#virtual += paid / (this.waiting.size + (this.waiting.has(member) ? 0 : 1));
  }

  /** The member whose waiting work would end first, of those that count; undefined when there is none. */
  first(counts: (member: T) => boolean = () => true): T | undefined {
    let first: T | undefined;
    for (const member of this.waiting)
      if (first === undefined || member.start + member.expected < first.start + first.expected)
        if (counts(member)) first = member;
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

/** A connection, or whatever else stands for who asked. */
export interface Client {
  /** Name of the owner, who may have more connections; a client without one is its own. */
  readonly owner?: string | undefined;
}

/** Owners whose names are remembered: one that is forgotten has a new share. */
const MAX_OWNERS = 8192;

/** The waiting work of all accounts. */
export class FairQueue<Work> {
  readonly #owners = new Level<Owner<Work>>();
  readonly #names = new RecentMap<Owner<Work>>(MAX_OWNERS);
  readonly #accounts = new WeakMap<Client, FairAccount<Work>>();
  #size = 0;

  /**
   * Creates an account. Accounts with the same name of an owner, such as connections of one address, have the share of
   * one; an account without is an owner of its own.
   */
  open(ownerName?: string): FairAccount<Work> {
    return { ...aMember(), owner: this.#owner(ownerName), waiting: [] };
  }

  /** Returns the account of a client, which is opened the first time. */
  accountOf(client: Client): FairAccount<Work> {
    const account = this.#accounts.get(client) ?? this.open(client.owner);
    this.#accounts.set(client, account);
    return account;
  }

  /** Number of works that wait. */
  get size(): number {
    return this.#size;
  }

  /** True when no work waits. */
  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** Adds work that takes about so many milliseconds, or as long as its account's usually does when that is more. */
  add(account: FairAccount<Work>, work: Work, expectedMs = 0): void {
    account.waiting.push(work);
    this.#size++;
    account.expected = Math.max(account.expected, expectedMs);
    account.owner.expected = Math.max(account.owner.expected, expectedMs);
    account.owner.accounts.add(account);
    this.#owners.add(account.owner);
  }

  /** Adds work that began and was broken off, before the other work of its account. */
  putBack(account: FairAccount<Work>, work: Work): void {
    this.add(account, work);
    account.waiting.unshift(...account.waiting.splice(-1));
  }

  /**
   * Removes and returns the oldest work of the account that comes first, of the owner that does, to begin now. Throws
   * when none waits.
   */
  take(): Work {
    const account = this.#owners.first()?.accounts.first();
    if (account === undefined) throw new RangeError("nothing waits");
    return this.#takeAt(account, 0);
  }

  /** Same as `take` for work that fits; undefined when none does. */
  takeFitting(fits: (work: Work) => boolean): Work | undefined {
    const hasFitting = ({ waiting }: FairAccount<Work>): boolean => waiting.some(fits);
    const owner = this.#owners.first(({ accounts }) => accounts.first(hasFitting) !== undefined);
    const account = owner?.accounts.first(hasFitting);
    return account === undefined ? undefined : this.#takeAt(account, account.waiting.findIndex(fits));
  }

  /** Removes waiting work. Returns false when it does not wait. */
  remove(account: FairAccount<Work>, work: Work): boolean {
    const at = account.waiting.indexOf(work);
    if (at < 0) return false;
    account.waiting.splice(at, 1);
    this.#settle(account);
    return true;
  }

  /**
   * Returns the newest waiting work of the owner with the most, as `weigh` counts it, and of its accounts likewise. Throws
   * when none waits.
   */
  newestOfMost(weigh: (work: Work) => number = () => 1): Work {
    const weightOf = ({ waiting }: FairAccount<Work>): number =>
      waiting.reduce((sum, work) => sum + weigh(work), 0);
    let most = -1;
    let accounts: readonly FairAccount<Work>[] = [];
    for (const each of this.waiting()) {
      const weight = each.reduce((sum, account) => sum + weightOf(account), 0);
      if (weight >= most) [most, accounts] = [weight, each];
    }
    const [first, ...others] = accounts;
    if (first === undefined) throw new RangeError("nothing waits");
    const { waiting } = others.reduce((a, b) => (weightOf(b) >= weightOf(a) ? b : a), first);
    return waiting[waiting.length - 1] as Work; // accounts in a level have some
  }

  /** Notes that work begins of an account whose work did not have to wait. */
  beginAtOnce(account: FairAccount<Work>): void {
    this.#owners.enter(account.owner);
    account.owner.accounts.enter(account);
    this.#begin(account);
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

  #takeAt(account: FairAccount<Work>, index: number): Work {
    const [work] = account.waiting.splice(index, 1) as [Work]; // accounts in a level have some
    this.#settle(account);
    this.#begin(account);
    return work;
  }

  #begin(account: FairAccount<Work>): void {
    this.#owners.begin(account.owner);
    account.owner.accounts.begin(account);
  }

  /** Counts work that is taken out, and forgets an account without waiting work, and its owner when it was the last. */
  #settle(account: FairAccount<Work>): void {
    this.#size--;
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
