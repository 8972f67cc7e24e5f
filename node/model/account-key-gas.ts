/** What account keys cost: being set, and being checked against. */
import type { Rules } from "../config/rules.ts";
import { type AccountKey, KEY_TYPES, readAccountKey } from "./account-key.ts";
import { keyForRole, multiSigIn, rolesIn } from "./account-key-parts.ts";
import { RlpCursor } from "./rlp-cursor.ts";
import type { KeyRole } from "./transaction-type.ts";

const GAS_PER_NEW_KEY = 20_000n;
const GAS_PER_SIGNATURE = 15_000n;

/** Gas for setting a serialised key: for every public key in it. Throws for what `decodeAccountKey` refuses. */
export function keyGas(serialised: Uint8Array | undefined): bigint {
  if (serialised === undefined) return 0n;
  return GAS_PER_NEW_KEY * countKeys(readAccountKey(new RlpCursor(serialised)));
}

/**
 * Gas for checking `signatures` against an account's key in a role: for a multi-signature all but the first,
 * counted by the keys that are registered or, later, by the signatures that there are.
 */
export function signatureGas(
  key: AccountKey,
  role: KeyRole,
  { signatures, rules }: { readonly signatures: number; readonly rules: Rules },
): bigint {
  const used = keyForRole(key, role);
  if (used.type !== KEY_TYPES.weightedMultiSig) return 0n;
  const count = rules.multiSigGasBySignatures ? signatures : multiSigIn(used).keys.length;
  return count > 1 ? GAS_PER_SIGNATURE * BigInt(count - 1) : 0n;
}

function countKeys(key: AccountKey): bigint {
  if (key.type === KEY_TYPES.public) return 1n;
  if (key.type === KEY_TYPES.weightedMultiSig) return BigInt(multiSigIn(key).keys.length);
  if (key.type !== KEY_TYPES.roleBased) return 0n;
  return rolesIn(key).reduce((sum, role) => sum + countKeys(role), 0n);
}
