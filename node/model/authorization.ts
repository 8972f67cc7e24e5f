/** Authorizations of set-code transactions (EIP-7702): their RLP, JSON, and who gave them. */
import { addressText } from "../bytes/hex.ts";
import { bytesToBigint, toQuantity } from "../bytes/integer.ts";
import { addressOfPublicKey, recover } from "../crypto/secp256k1.ts";
import type { RlpCursor } from "./rlp-cursor.ts";
import { hasLowS, signatureBytes, writer } from "./transaction-parts.ts";
import type { Authorization } from "./transaction-type.ts";

/** First byte of what is signed (EIP-7702). */
const MAGIC = 0x05;

/** Reads an authorization list. */
export function readAuthorizations(cursor: RlpCursor): readonly Authorization[] {
  const end = cursor.enter();
  const authorizations: Authorization[] = [];
  while (!cursor.done) {
    const entryEnd = cursor.enter();
    authorizations.push({
      chainId: cursor.bigint(),
      address: cursor.fixed(20),
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

/** An authorization list in JSON. */
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

/** What the account that gives an authorization signs: keccak(0x05 ++ RLP [chainId, address, nonce]). */
export function authorizationDigest({
  chainId,
  address,
  nonce,
}: Pick<Authorization, "chainId" | "address" | "nonce">): Uint8Array {
  writer.reset().integer(nonce);
  writer.string(address);
  writer.integer(chainId);
  writer.list(0);
  writer.byte(MAGIC);
  return writer.hash();
}

/** What recovering the giver of an authorization takes. */
export interface AuthorityJob {
  readonly digest: Uint8Array;
  /** r, s, parity: 65 bytes. */
  readonly signature65: Uint8Array;
}

/** Kept for as long as the authorization object itself; `giver` is undefined where there is none. */
const found = new WeakMap<Authorization, { readonly giver: Uint8Array | undefined }>();

/** What to recover; undefined when the signature cannot be anybody's. */
export function authorityJob(authorization: Authorization): AuthorityJob | undefined {
  const { yParity, r, s } = authorization;
  if (!hasLowS({ s })) return undefined;
  return { digest: authorizationDigest(authorization), signature65: signatureBytes({ r, s }, yParity) };
}

/** Whether the giver was looked for before. */
export function knowsAuthority(authorization: Authorization): boolean {
  return found.has(authorization);
}

/** Tells an authorization who gave it, recovered elsewhere from its `authorityJob`. */
export function setAuthority(authorization: Authorization, giver: Uint8Array | undefined): void {
  found.set(authorization, { giver });
}

/**
 * The account that gave an authorization, recovered once; undefined when its signature is nobody's or has a high s.
 */
export function authorityOf(authorization: Authorization): Uint8Array | undefined {
  const known = found.get(authorization);
  if (known !== undefined) return known.giver;
  const job = authorityJob(authorization);
  const publicKey = job && recover(job.digest, job.signature65);
  const giver = publicKey && addressOfPublicKey(publicKey);
  setAuthority(authorization, giver);
  return giver;
}
