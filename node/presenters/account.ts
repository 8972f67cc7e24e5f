/** Accounts as JSON, in the form of the Go node's `kaia_getAccount`. */
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import { jsonInteger } from "../config/exact-json.ts";
import type { Account } from "../model/account.ts";
import { accountKeyJson } from "../model/account-key-json.ts";

const TYPES = { eoa: 1, contract: 2 } as const;

/**
 * Formats an account. Externally owned accounts have the empty storage root and code hash.
 */
export function accountJson(account: Account): { readonly accType: number; readonly account: object } {
  const { kind, nonce, balance, humanReadable, key, storageRoot, codeHash, codeInfo } = account;
  return {
    accType: TYPES[kind],
    account: {
      nonce: jsonInteger(nonce),
      balance: toQuantity(balance),
      humanReadable,
      key: accountKeyJson(key),
      storageRoot: toHex(storageRoot),
      codeHash: Buffer.from(codeHash).toString("base64"),
      codeFormat: codeInfo & 0xf,
      vmVersion: codeInfo >> 4,
    },
  };
}
