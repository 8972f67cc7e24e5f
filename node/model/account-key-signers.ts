/** Whether those who signed may sign for an account. */
import { equalBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import type { Rules } from "../config/rules.ts";
import { addressOfPublicKey } from "../crypto/secp256k1.ts";
import { type AccountKey, KEY_TYPES } from "./account-key.ts";
import { keyForRole, multiSigIn, publicKeyIn } from "./account-key-parts.ts";
import { compressPublicKey } from "./public-key.ts";
import type { KeyRole } from "./transaction-type.ts";

/** Whose signatures are asked for: an account's key, its address, and the role it signs in. */
export interface SigningAccount {
  readonly key: AccountKey;
  readonly address: Uint8Array;
  readonly role: KeyRole;
}

/**
 * True when the 64-byte `publicKeys`, one for each signature, satisfy the account's key. Throws `ModelError` or
 * `BytesError` when the key itself is damaged.
 */
export function validateSigners(
  { key, address, role }: SigningAccount,
  publicKeys: readonly Uint8Array[],
  rules: Rules,
): boolean {
  const used = keyForRole(key, role);
  if (used.type === KEY_TYPES.weightedMultiSig) return reachesThreshold(used, publicKeys, rules);
  const [only] = publicKeys;
  if (only === undefined || publicKeys.length > 1) return false;
  if (used.type === KEY_TYPES.legacy) return equalBytes(addressOfPublicKey(only), address);
  return used.type === KEY_TYPES.public && equalBytes(compressPublicKey(only), publicKeyIn(used));
}

/** A key counts once however often it signed; strangers among the signers are refused where the rules say so. */
function reachesThreshold(key: AccountKey, publicKeys: readonly Uint8Array[], rules: Rules): boolean {
  const { threshold, keys } = multiSigIn(key);
  if (rules.multiSigRefusesUnknownKeys && publicKeys.length > keys.length) return false;
  const signers = new Set(publicKeys.map((publicKey) => mapKey(compressPublicKey(publicKey))));
  const signed = keys.filter(({ publicKey }) => signers.has(mapKey(publicKey)));
  if (rules.multiSigRefusesUnknownKeys && signed.length < signers.size) return false;
  const sum = signed.reduce((total, { weight }) => total + weight, 0n);
  return BigInt.asUintN(64, sum) >= threshold;
}
