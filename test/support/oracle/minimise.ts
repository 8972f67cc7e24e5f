/**
 * Makes a case that two implementations judge differently smaller, as long as they still differ: accounts, storage and
 * pieces of code are left out one after another. The transaction's bytes stay, since they are signed.
 */
import type { SuiteAccount } from "../suite-world.ts";
import type { TransitionCase } from "./case.ts";

/** Returns a smaller case for which `differs` still holds. */
export async function minimise(
  one: TransitionCase,
  differs: (smaller: TransitionCase) => Promise<boolean>,
): Promise<TransitionCase> {
  let least = one;
  for (let found = true; found; ) {
    found = false;
    for (const smaller of smallerThan(least)) {
      if (!(await differs(smaller))) continue;
      least = smaller;
      found = true;
      break;
    }
  }
  return least;
}

function* smallerThan(one: TransitionCase): Generator<TransitionCase> {
  const { pre } = one;
  for (const address of Object.keys(pre)) {
    const { [address]: account, ...others } = pre;
    yield { ...one, pre: others };
    for (const change of account === undefined ? [] : smallerAccounts(account))
      yield { ...one, pre: { ...pre, [address]: change } };
  }
}

function* smallerAccounts(account: SuiteAccount): Generator<SuiteAccount> {
  for (const slot of Object.keys(account.storage)) {
    const { [slot]: _, ...storage } = account.storage;
    yield { ...account, storage };
  }
  const digits = account.code.slice(2);
  for (let size = digits.length >> 1; size >= 1; size >>= 1) {
    const length = 2 * Math.ceil(size / 2);
    for (let at = 0; at < digits.length; at += length)
      yield { ...account, code: `0x${digits.slice(0, at)}${digits.slice(at + length)}` };
  }
}
