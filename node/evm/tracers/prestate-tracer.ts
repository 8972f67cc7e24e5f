/** The accounts and slots that a transaction looks at, as they were before it, and what it makes of them. */
import { mapKey, toHex } from "../../bytes/hex.ts";
import { toQuantity } from "../../bytes/integer.ts";
import { wordBytes } from "../../bytes/word.ts";
import type { World } from "../../state/world/world.ts";
import type { FrameStart, Tracer } from "../tracer.ts";
import { accountNamed, slotNamed } from "./named.ts";

/** An account as it is shown. */
export interface PrestateAccount {
  readonly balance: string;
  readonly nonce: number;
  readonly code: string;
  readonly storage: Readonly<Record<string, string>>;
}

/** Accounts by address. */
export type Prestate = Readonly<Record<string, PrestateAccount>>;

/** What has changed: accounts before (of those that changed), and the members that are another after. */
export interface PrestateDifference {
  readonly pre: Readonly<Record<string, Partial<PrestateAccount>>>;
  readonly post: Readonly<Record<string, Partial<PrestateAccount>>>;
}

/** A transaction, as the Go node's list of what it looked at ends. */
export interface ListedTransaction {
  readonly sender: Uint8Array;
  /** Where it goes, unless code says it. */
  readonly to: Uint8Array;
  /** What the sender is shown with beyond what it had. */
  readonly paid: bigint;
}

/** A tracer and what it has seen. */
export interface PrestateTracer {
  readonly tracer: Tracer;
  /** Notes an account: its sender, fee payer and recipient, before the transaction buys its gas. */
  readonly look: (address: Uint8Array) => void;
  /** Everything looked at, but for contracts that the transaction itself created. */
  readonly result: () => Prestate;
  /**
   * What the Go node looks at, in its order: where code runs first or the transaction goes, what opcodes name and
   * create, the sender. It shows a sender whose fee somebody else pays with that part of the fee besides: it adds the
   * whole fee to what is left in the end.
   */
  readonly listed: (transaction: ListedTransaction) => Prestate;
  /** The same against the world as it is now: after the transaction, before the next. */
  readonly difference: () => PrestateDifference;
}

const SELFDESTRUCT = 0xff;

interface Seen {
  readonly address: Uint8Array;
  readonly existed: boolean;
  readonly balance: bigint;
  readonly nonce: bigint;
  readonly code: Uint8Array;
  readonly slots: Map<bigint, bigint>;
  created: boolean;
}

/** A fresh tracer for one transaction on `world`. */
export function createPrestateTracer(world: World): PrestateTracer {
  const seen = new Map<string, Seen>();
  const look = (address: Uint8Array): Seen => {
    const name = mapKey(address);
    let account = seen.get(name);
    if (account === undefined) {
      account = photograph(world, address);
      seen.set(name, account);
    }
    return account;
  };
  const order = new Set<Seen>();
  let outermost: FrameStart | undefined;
  return {
    look,
    tracer: {
      enter: (start) => {
        const { kind, to, from, isPrecompile, depth } = start;
        outermost ??= start;
        look(from);
        const target = look(to);
        if (isPrecompile || (kind !== "CREATE" && kind !== "CREATE2")) return;
        target.created = true;
        if (depth > 0) order.add(target);
      },
      step: (step) => {
        if (order.size === 0) order.add(look(step.address));
        const named = accountNamed(step);
        const account = named && look(named);
        if (account !== undefined && step.op !== SELFDESTRUCT) order.add(account);
        const key = slotNamed(step);
        if (key === undefined) return;
        const { slots } = look(step.address);
        if (!slots.has(key)) slots.set(key, world.originalSlot(step.address, key));
      },
    },
    result: () => shownAll([...seen.values()].filter(({ created, existed }) => existed || !created)),
    listed: ({ sender, to, paid }) => {
      if (order.size === 0) order.add(look(outermost?.to ?? to));
      const own = look(sender);
      const made = outermost?.kind === "CREATE" ? look(outermost.to) : undefined;
      const kept = [...order.add(own)].filter((account) => account !== made);
      return shownAll(kept.map((each) => (each === own ? { ...own, balance: own.balance + paid } : each)));
    },
    difference: () => differenceOf([...seen.values()], world),
  };
}

function shownAll(accounts: readonly Seen[]): Prestate {
  return Object.fromEntries(accounts.map((account) => [toHex(account.address), shown(account)]));
}

function photograph(world: World, address: Uint8Array): Seen {
  return {
    address: Uint8Array.from(address),
    existed: world.exists(address),
    balance: world.balance(address),
    nonce: world.nonce(address),
    code: world.code(address),
    slots: new Map(),
    created: false,
  };
}

function shown({ balance, nonce, code, slots }: Seen): PrestateAccount {
  return {
    balance: toQuantity(balance),
    nonce: Number(nonce),
    code: toHex(code),
    storage: storageShown(slots),
  };
}

function storageShown(slots: ReadonlyMap<bigint, bigint>): Record<string, string> {
  return Object.fromEntries(
    [...slots].map(([key, value]) => [toHex(wordBytes(key)), toHex(wordBytes(value))]),
  );
}

function differenceOf(accounts: readonly Seen[], world: World): PrestateDifference {
  const pre: Record<string, Partial<PrestateAccount>> = {};
  const post: Record<string, Partial<PrestateAccount>> = {};
  for (const before of accounts) {
    const { address } = before;
    const isGone = !world.exists(address) || world.isDestroyed(address);
    const after = isGone ? undefined : changes(before, world);
    if (isGone ? !before.existed : Object.keys(after ?? {}).length === 0) continue;
    const name = toHex(address);
    if (before.existed)
      pre[name] = withoutNothing(shown({ ...before, slots: changedSlots(before, world, 0) }));
    if (after !== undefined) post[name] = after;
  }
  return { pre, post };
}

/** The members that are another now. */
function changes(before: Seen, world: World): Partial<PrestateAccount> {
  const { address } = before;
  const now = shown({ ...photograph(world, address), slots: changedSlots(before, world, 1) });
  const old = shown(before);
  return {
    ...(now.balance === old.balance ? {} : { balance: now.balance }),
    ...(now.nonce === old.nonce ? {} : { nonce: now.nonce }),
    ...(now.code === old.code ? {} : { code: now.code }),
    ...(Object.keys(now.storage).length === 0 ? {} : { storage: now.storage }),
  };
}

/** Slots that are another now: their values before (0) or after (1), zeros left out. */
function changedSlots({ address, slots }: Seen, world: World, side: 0 | 1): Map<bigint, bigint> {
  const changed = new Map<bigint, bigint>();
  for (const [key, before] of slots) {
    const after = world.slot(address, key);
    const value = side === 0 ? before : after;
    if (before !== after && value !== 0n) changed.set(key, value);
  }
  return changed;
}

function withoutNothing(account: PrestateAccount): Partial<PrestateAccount> {
  const { balance, nonce, code, storage } = account;
  return {
    balance,
    ...(nonce === 0 ? {} : { nonce }),
    ...(code === "0x" ? {} : { code }),
    ...(Object.keys(storage).length === 0 ? {} : { storage }),
  };
}
