/** The accounts and slots that a transaction accesses, as they were before it, in the form of the Go node's `prestateTracer`. */
import type { Address } from "../../bytes/brands.ts";
import { mapKey, toHex } from "../../bytes/hex.ts";
import { toQuantity } from "../../bytes/integer.ts";
import { wordBytes } from "../../bytes/word.ts";
import type { World } from "../../state/world/world.ts";
import { type FrameStart, isCreation, type Tracer } from "../tracer.ts";
import { accountOperand, slotOperand } from "./opcode-operands.ts";

/** An account's state. */
export interface PrestateAccount {
  readonly balance: string;
  readonly nonce: number;
  readonly code: string;
  readonly storage: Readonly<Record<string, string>>;
}

/** Account states by address. */
export type Prestate = Readonly<Record<string, PrestateAccount>>;

/** Facts about the transaction for the Go node's list of accessed accounts. */
export interface ListedTransaction {
  readonly sender: Address;
  /** The recipient when no code runs. */
  readonly to: Address;
  /** Amount that is added to the sender's balance, in peb. */
  readonly paid: bigint;
}

/** A tracer with its results. */
export interface PrestateTracer {
  readonly tracer: Tracer;
  /** Records the sender, fee payer or recipient before the transaction buys its gas. */
  readonly record: (address: Address) => void;
  /** Returns everything accessed, except contracts that the transaction created. */
  readonly result: () => Prestate;
  /**
   * Returns the accesses in the Go node's order: the account whose code runs first or the recipient, accounts
   * that opcodes name and create, the sender. The sender of a fee-delegated transaction has the fee payer's
   * part added to its balance, because the Go node adds the whole fee to the final balance.
   */
  readonly goList: (transaction: ListedTransaction) => Prestate;
}

const SELFDESTRUCT = 0xff;

interface AccountSnapshot {
  readonly address: Address;
  readonly existed: boolean;
  readonly balance: bigint;
  readonly nonce: bigint;
  readonly code: Uint8Array;
  readonly slots: Map<bigint, bigint>;
  created: boolean;
}

/** Size of a result's account without code and slots, and of a slot, in bytes. */
const [ACCOUNT_BYTES, SLOT_BYTES] = [120, 140];

/** Creates a tracer for one transaction on `world`. `take` receives the bytes that the tracer keeps and may throw. */
export function createPrestateTracer(world: World, take: (bytes: number) => void): PrestateTracer {
  const seen = new Map<string, AccountSnapshot>();
  const look = (address: Address): AccountSnapshot => {
    const name = mapKey(address);
    let account = seen.get(name);
    if (account === undefined) {
      account = snapshotOf(world, address);
      take(ACCOUNT_BYTES + 2 * account.code.length);
      seen.set(name, account);
    }
    return account;
  };
  const order = new Set<AccountSnapshot>();
  let outermost: FrameStart | undefined;
  return {
    record: look,
    tracer: {
      enter: (start) => {
        const { to, from, isPrecompile, depth } = start;
        outermost ??= start;
        look(from);
        const target = look(to);
        if (isPrecompile || !isCreation(start)) return;
        target.created = true;
        if (depth > 0) order.add(target);
      },
      step: (step) => {
        if (order.size === 0) order.add(look(step.address));
        const named = accountOperand(step);
        const account = named && look(named);
        if (account !== undefined && step.op !== SELFDESTRUCT) order.add(account);
        const key = slotOperand(step);
        if (key === undefined) return;
        const { slots } = look(step.address);
        if (slots.has(key)) return;
        take(SLOT_BYTES);
        slots.set(key, world.originalSlot(step.address, key));
      },
    },
    result: () => shownAll([...seen.values()].filter(({ created, existed }) => existed || !created)),
    goList: ({ sender, to, paid }) => {
      if (order.size === 0) order.add(look(outermost?.to ?? to));
      const own = look(sender);
      const made = outermost?.kind === "CREATE" ? look(outermost.to) : undefined;
      const kept = [...order.add(own)].filter((account) => account !== made);
      return shownAll(kept.map((each) => (each === own ? { ...own, balance: own.balance + paid } : each)));
    },
  };
}

function shownAll(accounts: readonly AccountSnapshot[]): Prestate {
  return Object.fromEntries(accounts.map((account) => [toHex(account.address), toPrestateAccount(account)]));
}

function snapshotOf(world: World, address: Address): AccountSnapshot {
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

function toPrestateAccount({ balance, nonce, code, slots }: AccountSnapshot): PrestateAccount {
  return {
    balance: toQuantity(balance),
    nonce: Number(nonce),
    code: toHex(code),
    storage: storageJson(slots),
  };
}

function storageJson(slots: ReadonlyMap<bigint, bigint>): Record<string, string> {
  return Object.fromEntries(
    [...slots].map(([key, value]) => [toHex(wordBytes(key)), toHex(wordBytes(value))]),
  );
}
