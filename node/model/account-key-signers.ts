/**
 * Checks the signers of a transaction against an account's key (`ValidateAccountKey` in
 * `blockchain/types/accountkey/account_key.go@v2.2.2`).
 */
import type { Address, PublicKey } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import type { Rules } from "../config/rules.ts";
import { addressOfPublicKey } from "../crypto/secp256k1.ts";
import { type AccountKey, KEY_TYPES } from "./account-key.ts";
import { keyForRole, multiSigIn, publicKeyIn, rolesIn } from "./account-key-body.ts";
import { compressPublicKey } from "./public-key.ts";
import type { KeyRole } from "./transaction-type.ts";

/** The account that signs: its key, its address, and the role in which it signs. */
export interface SigningAccount {
  readonly key: AccountKey;
  readonly address: Address;
  readonly role: KeyRole;
}

/**
 * Returns true when the 64-byte `publicKeys`, one for each signature, satisfy the account's key. Throws
 * `ModelError` or `BytesError` for a malformed key.
 */
export function validateSigners(
  { key, address, role }: SigningAccount,
  publicKeys: readonly PublicKey[],
  rules: Rules,
): boolean {
  const used = keyForRole(key, role);
  if (used.type === KEY_TYPES.weightedMultiSig) return reachesThreshold(used, publicKeys, rules);
  const [only] = publicKeys;
  if (only === undefined || publicKeys.length > 1) return false;
  if (used.type === KEY_TYPES.legacy) return equalBytes(addressOfPublicKey(only), address);
  return used.type === KEY_TYPES.public && equalBytes(compressPublicKey(only), publicKeyIn(used));
}

/**
 * Returns true when `publicKey`, 64 bytes, is part of the account's key in any role and with any weight
 * (`ValidateMember` in `blockchain/types/accountkey@v2.2.2`).
 */
export function hasMember({ key, address }: Omit<SigningAccount, "role">, publicKey: PublicKey): boolean {
  if (key.type === KEY_TYPES.roleBased) {
    return rolesIn(key).some((part) => hasMember({ key: part, address }, publicKey));
  }
  if (key.type === KEY_TYPES.legacy) return equalBytes(addressOfPublicKey(publicKey), address);
  const compressed = compressPublicKey(publicKey);
  if (key.type === KEY_TYPES.public) return equalBytes(compressed, publicKeyIn(key));
  return (
    key.type === KEY_TYPES.weightedMultiSig &&
    multiSigIn(key).keys.some((member) => equalBytes(compressed, member.publicKey))
  );
}

/**
 * Checks a multi-signature. A key counts once even if it signed several times; later rules reject signers
 * that are not registered.
 */
function reachesThreshold(key: AccountKey, publicKeys: readonly PublicKey[], rules: Rules): boolean {
  const { threshold, keys } = multiSigIn(key);
  if (rules.multiSigRefusesUnknownKeys && publicKeys.length > keys.length) return false;
  const signers = new Set(publicKeys.map((publicKey) => mapKey(compressPublicKey(publicKey))));
  const signed = keys.filter(({ publicKey }) => signers.has(mapKey(publicKey)));
  if (rules.multiSigRefusesUnknownKeys && signed.length < signers.size) return false;
  const sum = signed.reduce((total, { weight }) => total + weight, 0n);
  return BigInt.asUintN(64, sum) >= threshold;
}
