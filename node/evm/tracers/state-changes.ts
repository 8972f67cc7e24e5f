/**
 * The accounts and slots that a transaction changes, for state differences. Only frames and writes are observed, and code
 * is kept only where it can change: accounts that are merely read cost nothing.
 */
import type { Address, Hash } from "../../bytes/brands.ts";
import { equalBytes } from "../../bytes/compare.ts";
import { mapKey } from "../../bytes/hex.ts";
import type { World } from "../../state/world/world.ts";
import { isCreation, type Tracer } from "../tracer.ts";

/** A value before a transaction and after it. */
export interface BeforeAndAfter<T> {
  readonly before: T;
  readonly after: T;
}

/** An account's amounts; the balance is in peb. */
export interface AccountAmounts {
  readonly balance: bigint;
  readonly nonce: bigint;
}

/** A changed account. */
export interface AccountChange {
  readonly address: Address;
  /** Undefined on the side where there is no account. */
  readonly amounts: BeforeAndAfter<AccountAmounts | undefined>;
  /** Undefined for code that is the same. */
  readonly code: BeforeAndAfter<Uint8Array> | undefined;
  /** Changed slots by key. */
  readonly slots: ReadonlyMap<bigint, BeforeAndAfter<bigint>>;
}

/** A tracer with its result. */
export interface StateChanges {
  readonly tracer: Tracer;
  /** Notes an account that the transaction may change outside of frames. Call it before the transaction. */
  readonly record: (address: Address) => void;
  /** Returns the changes against the current world. Call it after the transaction and before the next one. */
  readonly changes: () => AccountChange[];
}

interface Snapshot {
  readonly address: Address;
  readonly amounts: AccountAmounts | undefined;
  readonly codeHash: Hash;
  code: Uint8Array;
  readonly slots: Map<bigint, bigint>;
}

const NO_BYTES = new Uint8Array(0);
/** Size of a result's account without code and slots, and of a slot, in bytes. */
const [ACCOUNT_BYTES, SLOT_BYTES] = [400, 250];

/** Creates a tracer of one transaction on `world`. `take` receives the bytes that the tracer keeps and may throw. */
export function createStateChanges(world: World, take: (bytes: number) => void): StateChanges {
  const seen = new Map<string, Snapshot>();
  const look = (address: Address): Snapshot => {
    const name = mapKey(address);
    const known = seen.get(name);
    if (known !== undefined) return known;
    take(ACCOUNT_BYTES);
    const account = snapshotOf(world, address);
    seen.set(name, account);
    return account;
  };
  const keepCode = (address: Address): void => {
    const account = look(address);
    if (account.code.length > 0 || !equalBytes(account.codeHash, world.codeHash(address))) return;
    account.code = world.code(address);
    take(2 * account.code.length);
  };
  return {
    record: keepCode,
    tracer: {
      enter: (start) => {
        look(start.from);
        look(start.to);
        if (start.kind === "SELFDESTRUCT") keepCode(start.from);
        if (isCreation(start)) keepCode(start.to);
      },
      storageWrite: (address, key) => {
        const { slots } = look(address);
        if (slots.has(key)) return;
        take(SLOT_BYTES);
        slots.set(key, world.originalSlot(address, key));
      },
    },
    changes: () => [...seen.values()].flatMap((before) => changeOf(before, world) ?? []),
  };
}

function snapshotOf(world: World, address: Address): Snapshot {
  return {
    address: Uint8Array.from(address),
    amounts: amountsOf(world, address),
    codeHash: world.codeHash(address),
    code: NO_BYTES,
    slots: new Map(),
  };
}

function amountsOf(world: World, address: Address): AccountAmounts | undefined {
  const account = world.account(address);
  return account && { balance: account.balance, nonce: account.nonce };
}

/** Returns the differences between an account and its snapshot; undefined for none. */
function changeOf(
  { address, amounts: before, codeHash, code, slots }: Snapshot,
  world: World,
): AccountChange | undefined {
  const after = amountsOf(world, address);
  const changed = changedSlots(slots, (key) => world.slot(address, key));
  const isSameCode = equalBytes(codeHash, world.codeHash(address));
  const isSame = before?.balance === after?.balance && before?.nonce === after?.nonce;
  if (isSame && isSameCode && changed.size === 0) return undefined;
  return {
    address,
    amounts: { before, after },
    code: isSameCode ? undefined : { before: code, after: world.code(address) },
    slots: changed,
  };
}

function changedSlots(
  slots: ReadonlyMap<bigint, bigint>,
  current: (key: bigint) => bigint,
): Map<bigint, BeforeAndAfter<bigint>> {
  const changed = new Map<bigint, BeforeAndAfter<bigint>>();
  for (const [key, before] of slots) {
    const after = current(key);
    if (before !== after) changed.set(key, { before, after });
  }
  return changed;
}
