/** Accounts as JSON, in the form of the Go node's `kaia_getAccount`. */
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import { jsonInteger } from "../config/exact-json.ts";
import type { Account } from "../model/account.ts";
import { accountKeyJson } from "../model/account-key-json.ts";

const TYPES = { eoa: 1, contract: 2 } as const;

/**
 * Formats an account. `storageInEoa` adds the empty storage root and code hash to externally owned accounts.
 */
export function accountJson(account: Account, storageInEoa: boolean): object {
  const { kind, nonce, balance, humanReadable, key, storageRoot, codeHash, codeInfo } = account;
  const code = {
    storageRoot: toHex(storageRoot),
    codeHash: Buffer.from(codeHash).toString("base64"),
    codeFormat: codeInfo & 0xf,
    vmVersion: codeInfo >> 4,
  };
  return {
    accType: TYPES[kind],
    account: {
      nonce: jsonInteger(nonce),
      balance: toQuantity(balance),
      humanReadable,
      key: accountKeyJson(key),
      ...(kind === "contract" || storageInEoa ? code : {}),
    },
  };
}
