/** Signed messages: the digest under the profile's prefix, V of 27 or 28, and who signed. */
import { ETHEREUM_MESSAGE_PREFIX, KLAYTN_MESSAGE_PREFIX, messageDigest } from "../accounts/message-digest.ts";
import type { RpcProfile } from "../compat/profiles.ts";
import { addressOfPublicKey, recover } from "../crypto/secp256k1.ts";
import { failure } from "../jsonrpc/errors.ts";

/** What is signed in place of a message. */
export function digestOf(message: Uint8Array, { signedMessage }: RpcProfile): Uint8Array {
  return messageDigest(signedMessage === "Klaytn" ? KLAYTN_MESSAGE_PREFIX : ETHEREUM_MESSAGE_PREFIX, message);
}

/** A signature with V of 0 or 1 as signed messages have it. */
export function messageSignature(signature: Uint8Array): Uint8Array {
  return withV(signature, 27);
}

/** The address whose key gave such a signature. Throws `RpcError`. */
export function recoverSigner(
  digest: Uint8Array,
  signature: Uint8Array,
  { badRecoveryId }: Pick<RpcProfile, "badRecoveryId">,
): Uint8Array {
  checkForm(signature, badRecoveryId);
  const publicKey = recover(digest, withV(signature, -27));
  if (publicKey === undefined) throw failure("recovery failed");
  return addressOfPublicKey(publicKey);
}

/** The key behind a message's signature, under either prefix, that `accepts` takes; undefined where none is. */
export function messageSigner(
  { data, signature }: { readonly data: Uint8Array; readonly signature: Uint8Array },
  { badRecoveryId }: Pick<RpcProfile, "badRecoveryId">,
  accepts: (publicKey: Uint8Array) => boolean,
): Uint8Array | undefined {
  checkForm(signature, badRecoveryId);
  for (const prefix of [KLAYTN_MESSAGE_PREFIX, ETHEREUM_MESSAGE_PREFIX]) {
    const publicKey = recover(messageDigest(prefix, data), withV(signature, -27));
    if (publicKey !== undefined && accepts(publicKey)) return publicKey;
  }
  return undefined;
}

function checkForm(signature: Uint8Array, badRecoveryId: string): void {
  if (signature.length !== 65) throw failure("signature must be 65 bytes long");
  const v = signature[64] ?? 0;
  if (v !== 27 && v !== 28) throw failure(badRecoveryId);
}

function withV(signature: Uint8Array, added: number): Uint8Array {
  const copy = new Uint8Array(signature);
  copy[64] = (copy[64] ?? 0) + added;
  return copy;
}
