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

/** The account that gave an authorization; undefined when its signature is nobody's or has a high s. */
export function authorityOf(authorization: Authorization): Uint8Array | undefined {
  const { yParity, r, s } = authorization;
  if (!hasLowS({ s })) return undefined;
  const publicKey = recover(authorizationDigest(authorization), signatureBytes({ r, s }, yParity));
  return publicKey === undefined ? undefined : addressOfPublicKey(publicKey);
}
