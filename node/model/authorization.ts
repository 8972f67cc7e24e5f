/** Authorizations of set-code transactions (EIP-7702): their RLP, their JSON and their authority. */
import type { Address, Hash } from "../bytes/brands.ts";
import { addressText } from "../bytes/hex.ts";
import { bytesToBigint, toQuantity } from "../bytes/integer.ts";
import type { RlpCursor } from "../bytes/rlp-cursor.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { addressOfPublicKey, recover } from "../crypto/secp256k1.ts";
import { hasLowS, signatureBytes, writer } from "./transaction-codec.ts";
import type { Authorization } from "./transaction-type.ts";

/** First byte of the signed message (EIP-7702). */
const MAGIC = 0x05;

/** Reads an authorization list. */
export function readAuthorizations(cursor: RlpCursor): readonly Authorization[] {
  const end = cursor.enter();
  const authorizations: Authorization[] = [];
  while (!cursor.done) {
    const entryEnd = cursor.enter();
    authorizations.push({
      chainId: cursor.bigint(),
      address: cursor.address(),
      nonce: cursor.bigint(8),
      yParity: cursor.number(1),
      r: cursor.integerView(),
      s: cursor.integerView(),
    });
    cursor.leave(entryEnd);
  }
  cursor.leave(end);
  return authorizations;
}

/** Writes an authorization list. */
export function writeAuthorizations(authorizations: readonly Authorization[] = []): void {
  const all = writer.length;
  for (const { chainId, address, nonce, yParity, r, s } of authorizations.toReversed()) {
    const mark = writer.length;
    writer.string(s);
    writer.string(r);
    writer.integer(yParity);
    writer.integer(nonce);
    writer.string(address);
    writer.integer(chainId);
    writer.list(mark);
  }
  writer.list(all);
}

/** Returns an authorization list as JSON. */
export function authorizationsJson(authorizations: readonly Authorization[] = []): readonly object[] {
  return authorizations.map(({ chainId, address, nonce, yParity, r, s }) => ({
    chainId: toQuantity(chainId),
    address: addressText(address),
    nonce: toQuantity(nonce),
    yParity: toQuantity(yParity),
    r: toQuantity(bytesToBigint(r)),
    s: toQuantity(bytesToBigint(s)),
  }));
}

/** Returns the digest that the authority signs: keccak(0x05 ++ RLP [chainId, address, nonce]). */
export function authorizationDigest({
  chainId,
  address,
  nonce,
}: Pick<Authorization, "chainId" | "address" | "nonce">): Hash {
  writer.reset().integer(nonce);
  writer.string(address);
  writer.integer(chainId);
  writer.list(0);
  writer.byte(MAGIC);
  return keccak256(writer.view);
}

/** Input for the recovery of an authorization's authority. */
export interface AuthorityInput {
  readonly digest: Hash;
  /** r, s and parity: 65 bytes. */
  readonly signature65: Uint8Array;
}

/** Recovered authorities, kept as long as the authorization object; undefined where recovery failed. */
const recovered = new WeakMap<Authorization, { readonly authority: Address | undefined }>();

/** Returns the input for the recovery, or undefined for a signature with a high s. */
export function authorityJob(authorization: Authorization): AuthorityInput | undefined {
  const { yParity, r, s } = authorization;
  if (!hasLowS({ s })) return undefined;
  return { digest: authorizationDigest(authorization), signature65: signatureBytes({ r, s }, yParity) };
}

/** True when the authority has been recovered before. */
export function knowsAuthority(authorization: Authorization): boolean {
  return recovered.has(authorization);
}

/** Stores the authority that was recovered elsewhere from `authorityJob`. */
export function setAuthority(authorization: Authorization, authority: Address | undefined): void {
  recovered.set(authorization, { authority });
}

/**
 * Returns the account that signed an authorization, recovered once; undefined for an invalid signature or a
 * high s.
 */
export function authorityOf(authorization: Authorization): Address | undefined {
  const known = recovered.get(authorization);
  if (known !== undefined) return known.authority;
  const job = authorityJob(authorization);
  const publicKey = job && recover(job.digest, job.signature65);
  const authority = publicKey && addressOfPublicKey(publicKey);
  setAuthority(authorization, authority);
  return authority;
}
