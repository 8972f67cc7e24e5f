/**
 * Gas of account keys: for setting a key and for checking signatures against it
 * (`blockchain/types/accountkey/account_key.go@v2.2.2`).
 */

import { RlpCursor } from "../bytes/rlp-cursor.ts";
import type { Rules } from "../config/rules.ts";
import { type AccountKey, KEY_TYPES, readAccountKey } from "./account-key.ts";
import { keyForRole, multiSigIn, rolesIn } from "./account-key-body.ts";
import type { KeyRole } from "./transaction-type.ts";

const GAS_PER_NEW_KEY = 20_000n;
const GAS_PER_SIGNATURE = 15_000n;

/**
 * Returns the gas for setting a serialised key, by its number of public keys. Throws as `decodeAccountKey`.
 */
export function keyGas(serialised: Uint8Array | undefined): bigint {
  if (serialised === undefined) return 0n;
  return GAS_PER_NEW_KEY * countKeys(readAccountKey(new RlpCursor(serialised)));
}

/**
 * Returns the gas for checking `signatures` against an account's key in a role. Only multi-signatures cost
 * gas: for every registered key but the first, under later rules for every signature but the first. A list of no
 * signatures, which satisfies a threshold of 0, then has negative gas: `uint64(numSigs-1) * 15000` of the Go node
 * wraps around, and so do the sums with it
 * (`blockchain/types/accountkey/account_key_weighted_multi_sig.go@v2.2.2`).
 */
export function signatureGas(
  key: AccountKey,
  role: KeyRole,
  { signatures, rules }: { readonly signatures: number; readonly rules: Rules },
): bigint {
  const used = keyForRole(key, role);
  if (used.type !== KEY_TYPES.weightedMultiSig) return 0n;
  const count = rules.multiSigGasBySignatures ? signatures : multiSigIn(used).keys.length;
  return GAS_PER_SIGNATURE * BigInt(count - 1);
}

function countKeys(key: AccountKey): bigint {
  if (key.type === KEY_TYPES.public) return 1n;
  if (key.type === KEY_TYPES.weightedMultiSig) return BigInt(multiSigIn(key).keys.length);
  if (key.type !== KEY_TYPES.roleBased) return 0n;
  return rolesIn(key).reduce((sum, role) => sum + countKeys(role), 0n);
}
