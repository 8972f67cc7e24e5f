/**
 * Proofs of possession of BLS keys: a public key signed by its own key in the domain BLS_POP_ (PopProve, PopVerify
 * of draft-irtf-cfrg-bls-signature section 3.3), 96 bytes. They are made once in a key's life and take some 30 ms
 * to check: keep the answer.
 */
import { checkBlsKey, hasBlsSizes } from "./bls.ts";

/** A public key (48 bytes) and its proof of possession (96). */
export interface BlsPublicInfo {
  readonly publicKey: Uint8Array;
  readonly proof: Uint8Array;
}

/**
 * Returns the public key of a key and its proof of possession. Rejects with `CryptoError` `bad-private-key`.
 */
export async function provePossession(key: Uint8Array): Promise<BlsPublicInfo> {
  checkBlsKey(key);
  const { noblePossession } = await import("./bls-noble.ts");
  const publicKey = noblePossession.publicKeyOf(key);
  return { publicKey, proof: noblePossession.sign(key, publicKey) };
}

/** Loads the check for synchronous callers: true for a valid proof, false for any other bytes. */
export async function loadPossessionCheck(): Promise<(info: BlsPublicInfo) => boolean> {
  const { noblePossession } = await import("./bls-noble.ts");
  return ({ publicKey, proof }) =>
    hasBlsSizes({ publicKey, signature: proof }) &&
    noblePossession.verify({ publicKey, message: publicKey, signature: proof });
}
