/** Signed authorizations of accounts that lend the code of others (EIP-7702). */
import { bytesToBigint, integerBytes } from "../../node/bytes/integer.ts";
import { sign } from "../../node/crypto/secp256k1.ts";
import { authorizationDigest } from "../../node/model/authorization.ts";
import type { Authorization } from "../../node/model/transaction-type.ts";

/** Signs an authorization. */
export function signAuthorization(
  content: Pick<Authorization, "chainId" | "address" | "nonce">,
  key: Uint8Array,
): Authorization {
  const signature = sign(authorizationDigest(content), key);
  const integer = (from: number): Uint8Array =>
    integerBytes(bytesToBigint(signature.subarray(from, from + 32)));
  return { ...content, yParity: signature[64] ?? 0, r: integer(0), s: integer(32) };
}
