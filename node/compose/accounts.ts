/** The node's accounts as its options want them: unlocked ones, held development keys, the reward base. */

import type { Accounts } from "../accounts/accounts.ts";
import { developmentKeys } from "../accounts/development-keys.ts";
import { openAccounts } from "../accounts/open-accounts.ts";
import type { Address } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import { addressOfKey } from "../crypto/secp256k1.ts";
import type { Log } from "../observe/log.ts";
import { OptionError } from "../options/error.ts";
import type { AccountReference } from "../options/kinds.ts";
import { readBoundedText } from "../runtime/bounded-file.ts";
import type { NodeOptions } from "./options.ts";

/** Maximum bytes of a file of passwords. */
const MAX_PASSWORD_BYTES = 1024 * 1024;

/** A funded account of a development chain, as `0x` texts. */
export interface DevelopmentAccount {
  readonly address: string;
  readonly privateKey: string;
}

/** Opens the keystore and unlocks what the options name. Throws `AccountsError` or `OptionError`. */
export async function openNodeAccounts(options: NodeOptions, log: Log): Promise<Accounts> {
  const { lightKdf, keyFileVersion, unlock, passwordFile } = options.accounts;
  const accounts = await openAccounts({ directory: options.paths.keystore, lightKdf, keyFileVersion, log });
  try {
    for (const key of await keysOf(options)) accounts.hold(key);
    const passwords = passwordFile === undefined ? [] : await readPasswords(passwordFile);
    for (const [i, reference] of unlock.entries()) {
      const address = accountAddress(accounts, reference);
      await accounts.unlock(address, passwords[Math.min(i, passwords.length - 1)] ?? "", 0);
      log.info({ address: toHex(address) }, "unlocked account");
    }
    return accounts;
  } catch (error) {
    await accounts[Symbol.asyncDispose]();
    throw error;
  }
}

async function readPasswords(path: string): Promise<string[]> {
  try {
    return (await readBoundedText(path, MAX_PASSWORD_BYTES))
      .split("\n")
      .map((line) => line.replace(/\r$/, ""));
  } catch (cause) {
    const why = messageOf(cause);
    throw new OptionError("bad-file", `Failed to read password file: ${why}`, cause);
  }
}

/** The account that a flag names. Throws `OptionError` for an index that the keystore does not have. */
export function accountAddress(accounts: Accounts, reference: AccountReference): Address {
  if (reference.kind === "address") return reference.address;
  const list = accounts.list();
  const address = list[reference.index];
  if (address === undefined) {
    throw new OptionError(
      "bad-value",
      `index ${reference.index} higher than number of accounts ${list.length}`,
    );
  }
  return address;
}

/** Returns the address for rewards when the options name one. Throws as `accountAddress`. */
export function rewardbaseOf({ consensus }: NodeOptions, accounts: Accounts): Address | undefined {
  return consensus.rewardbase && accountAddress(accounts, consensus.rewardbase);
}

/** Returns the funded accounts of a development chain; undefined for other chains. */
export async function developmentAccounts(
  options: NodeOptions,
): Promise<readonly DevelopmentAccount[] | undefined> {
  if (options.development === undefined) return undefined;
  const keys = await keysOf(options);
  return keys.map((key) => ({ address: toHex(addressOfKey(key)), privateKey: toHex(key) }));
}

async function keysOf({ development }: NodeOptions): Promise<readonly Uint8Array[]> {
  return development === undefined ? [] : developmentKeys(development);
}
