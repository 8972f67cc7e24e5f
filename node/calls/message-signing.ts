/** Signed messages: digests with a prefix, V of 27 or 28, and recovery of the signer. */
import { ETHEREUM_MESSAGE_PREFIX, KLAYTN_MESSAGE_PREFIX, messageDigest } from "../accounts/message-digest.ts";
import type { Address, Hash, PublicKey } from "../bytes/brands.ts";
import { addressOfPublicKey, recover } from "../crypto/secp256k1.ts";
import { failure } from "../jsonrpc/errors.ts";

/** The word in `\\x19<word> Signed Message:\\n`. */
export type MessagePrefix = "Klaytn" | "Ethereum";

/** Returns the digest of a message under a prefix. */
export function digestOf(message: Uint8Array, prefix: MessagePrefix): Hash {
  return messageDigest(prefix === "Klaytn" ? KLAYTN_MESSAGE_PREFIX : ETHEREUM_MESSAGE_PREFIX, message);
}

/** Converts a signature with V of 0 or 1 to that of a message, with V of 27 or 28. */
export function messageSignature(signature: Uint8Array): Address {
  return withV(signature, 27);
}

/** Recovers the address of a message's signer. Throws `RpcError`. */
export function recoverMessageSigner(digest: Hash, signature: Uint8Array): Address {
  checkForm(signature);
  const publicKey = recover(digest, withV(signature, -27));
  if (publicKey === undefined) throw failure("recovery failed");
  return addressOfPublicKey(publicKey);
}

/**
 * Recovers the public key of a message's signer under either prefix. Returns the first key that is accepted, or
 * undefined. `openTest` opens the test of a key; it is called when the signature has the right form. Throws `RpcError`.
 */
export function messageSigner(
  { data, signature }: { readonly data: Uint8Array; readonly signature: Uint8Array },
  openTest: () => (publicKey: PublicKey) => boolean,
): PublicKey | undefined {
  checkForm(signature);
  const accepts = openTest();
  for (const prefix of [KLAYTN_MESSAGE_PREFIX, ETHEREUM_MESSAGE_PREFIX]) {
    const publicKey = recover(messageDigest(prefix, data), withV(signature, -27));
    if (publicKey === undefined) throw failure("recovery failed");
    if (accepts(publicKey)) return publicKey;
  }
  return undefined;
}

function checkForm(signature: Uint8Array): void {
  if (signature.length !== 65) throw failure("signature must be 65 bytes long");
  const v = signature[64] ?? 0;
  if (v !== 27 && v !== 28) {
    throw failure("invalid signature (V is not 27 or 28)", "bad-recovery-id");
  }
}

function withV(signature: Uint8Array, added: number): Uint8Array {
  const copy = new Uint8Array(signature);
  copy[64] = (copy[64] ?? 0) + added;
  return copy;
}
