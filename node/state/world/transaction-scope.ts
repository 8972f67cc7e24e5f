/** State of one transaction and the journal that reverts its changes. */
import type { Account } from "../../model/account.ts";
import type { EventLog } from "../../model/receipt.ts";
import type { WorldAccount, WorldSlot } from "./world-entry.ts";

/** The state of one transaction; `number` tells it from others of the same world. */
export interface TransactionScope {
  readonly number: number;
  readonly logs: EventLog[];
  /** Values by `wordName` of the key, by the name of the account. */
  readonly transients: Map<string, Map<string, bigint>>;
  refund: number;
}

/** One change, as it has to be taken back. */
export type Change =
  | { readonly kind: "account"; readonly entry: WorldAccount; readonly account: Account | undefined }
  | { readonly kind: "slot"; readonly slot: WorldSlot; readonly value: bigint }
  | { readonly kind: "destroyed"; readonly entry: WorldAccount }
  | { readonly kind: "created"; readonly entry: WorldAccount }
  | { readonly kind: "warm"; readonly met: { warmIn: number } }
  | {
      readonly kind: "transient";
      readonly values: Map<string, bigint>;
      readonly name: string;
      readonly value: bigint;
    }
  | { readonly kind: "refund"; readonly refund: number }
  | { readonly kind: "log" }
  | ({ readonly kind: "swept"; readonly entry: WorldAccount } & Readonly<SweptMembers>);

/** Members that an account loses when it disappears at the end of a transaction. */
type SweptMembers = Pick<WorldAccount, "account" | "destroyed" | "incarnation" | "slots">;

/** The scope of a transaction that begins. */
export function newScope(number: number): TransactionScope {
  return { number, logs: [], transients: new Map(), refund: 0 };
}

/** The account that a change leaves different; `undefined` for changes that are the transaction's own. */
export function changedEntry(change: Change): WorldAccount | undefined {
  if (change.kind === "account" || change.kind === "destroyed") return change.entry;
  return change.kind === "slot" ? change.slot.owner : undefined;
}

/** Takes one change back; the newest first. */
export function undo(change: Change, scope: TransactionScope): void {
  switch (change.kind) {
    case "account":
      change.entry.account = change.account;
      break;
    case "slot":
      change.slot.value = change.value;
      break;
    case "destroyed":
      change.entry.destroyed = false;
      break;
    case "created":
      change.entry.createdIn = 0;
      break;
    case "warm":
      change.met.warmIn = 0;
      break;
    case "transient":
      change.values.set(change.name, change.value);
      break;
    case "refund":
      scope.refund = change.refund;
      break;
    case "log":
      scope.logs.pop();
      break;
    case "swept":
      restore(change.entry, change);
  }
}

function restore(entry: WorldAccount, { account, destroyed, incarnation, slots }: SweptMembers): void {
  entry.account = account;
  entry.destroyed = destroyed;
  entry.incarnation = incarnation;
  entry.slots = slots;
}
