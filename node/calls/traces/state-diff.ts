/** Changed accounts in the form of OpenEthereum's `stateDiff`. */
import { toHex } from "../../bytes/hex.ts";
import { toQuantity } from "../../bytes/integer.ts";
import { wordBytes } from "../../bytes/word.ts";
import type { AccountChange, BeforeAndAfter } from "../../evm/tracers/state-changes.ts";

/** A value that is the same, new, gone or changed. */
export type ValueDiff =
  | "="
  | { readonly "+": string }
  | { readonly "-": string }
  | { readonly "*": { readonly from: string; readonly to: string } };

/** The differences of an account. */
export interface AccountDiff {
  readonly balance: ValueDiff;
  readonly nonce: ValueDiff;
  readonly code: ValueDiff;
  /** Changed slots by key. A slot of an account that stays is changed from zero or to zero, never new or gone. */
  readonly storage: Readonly<Record<string, ValueDiff>>;
}

/** Differences by address. */
export type StateDiff = Readonly<Record<string, AccountDiff>>;

type Sides = BeforeAndAfter<string | undefined>;

/** Formats changed accounts. */
export function stateDiff(changes: readonly AccountChange[]): StateDiff {
  return Object.fromEntries(changes.map((change) => [toHex(change.address), accountDiff(change)]));
}

function accountDiff({ amounts, code, slots }: AccountChange): AccountDiff {
  const { before, after } = amounts;
  /** Leaves out the side without an account. */
  const sides = (from: string, to: string): Sides => ({
    before: before === undefined ? undefined : from,
    after: after === undefined ? undefined : to,
  });
  const quantities = (from = 0n, to = 0n): Sides => sides(toQuantity(from), toQuantity(to));
  const [oldCode, newCode] = code === undefined ? ["0x", "0x"] : [toHex(code.before), toHex(code.after)];
  return {
    balance: valueDiff(quantities(before?.balance, after?.balance)),
    nonce: valueDiff(quantities(before?.nonce, after?.nonce)),
    code: valueDiff(sides(oldCode, newCode)),
    storage: Object.fromEntries(
      [...slots].map(([key, values]) => [
        word(key),
        valueDiff(sides(word(values.before), word(values.after))),
      ]),
    ),
  };
}

function valueDiff({ before, after }: Sides): ValueDiff {
  if (before === after || (before === undefined && after === undefined)) return "=";
  if (before === undefined) return { "+": after ?? "" };
  if (after === undefined) return { "-": before };
  return { "*": { from: before, to: after } };
}

function word(value: bigint): string {
  return toHex(wordBytes(value));
}
