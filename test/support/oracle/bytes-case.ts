/**
 * One case of the oracle of transaction bytes: bytes, and the chain that the signers are asked for. Out: what this node
 * reads in them, member by member as a peer program answers (test/support/oracle/README.md).
 */
import type { PublicKey } from "../../../node/bytes/brands.ts";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { toQuantity } from "../../../node/bytes/integer.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { addressOfPublicKey } from "../../../node/crypto/secp256k1.ts";
import { TransactionError } from "../../../node/model/error.ts";
import { decodeTransaction, senderOf, type Transaction } from "../../../node/model/transaction.ts";
import { payerKeys, senderKeys } from "../../../node/model/transaction-signers.ts";

/** A case; `bytes` is hex. */
export interface BytesCase {
  readonly bytes: string;
  readonly chainId: number;
}

/** Facts that bytes are decoded to; texts of refusals are left out, since decoders have their own. */
export type BytesResult = Readonly<Record<string, unknown>>;

/** The result for bytes that are no transaction. */
const REFUSED: BytesResult = { refused: true };

/** Decodes the bytes of a case with this node's code. */
export function decodeHere({ bytes, chainId }: BytesCase): BytesResult {
  try {
    return factsOf(decodeTransaction(fromHex(bytes)), BigInt(chainId));
  } catch (error) {
    if (error instanceof TransactionError) return REFUSED;
    throw error;
  }
}

/** Returns a peer's answer as `decodeHere` gives it. */
export function decodedThere({ error, ...facts }: BytesResult): BytesResult {
  return error === undefined ? facts : REFUSED;
}

function factsOf(tx: Transaction, chainId: bigint): BytesResult {
  const { code } = tx.type;
  const isNative = tx.fields.from !== undefined;
  return {
    hash: toHex(tx.hash),
    senderTxHash: toHex(tx.senderTxHash),
    type: code,
    encoded: toHex(keccak256(tx.type.encode(tx, tx.signatures))),
    nonce: toQuantity(tx.nonce),
    gas: toQuantity(tx.gas),
    gasFeeCap: toQuantity(tx.gasFeeCap),
    gasTipCap: toQuantity(tx.gasTipCap),
    value: toQuantity(tx.value),
    to: recipientOf(tx),
    input: toHex(keccak256(tx.input)),
    senders: orText(() => (isNative ? addressesOf(senderKeys(tx, chainId)) : [toHex(senderOf(tx, chainId))])),
    ...(tx.type.payerDigest !== undefined && { payers: orText(() => addressesOf(payerKeys(tx, chainId))) }),
  };
}

/** In some types the zero address is no recipient, see `TransactionType.zeroIsNoRecipient`. */
function recipientOf({ to, type }: Transaction): string | null {
  const isNobody = to === undefined || (type.zeroIsNoRecipient === true && to.every((byte) => byte === 0));
  return isNobody ? null : toHex(to);
}

function addressesOf(keys: readonly PublicKey[]): readonly string[] {
  return keys.map((key) => toHex(addressOfPublicKey(key)));
}

function orText(read: () => readonly string[]): readonly string[] | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof TransactionError) return error.message;
    throw error;
  }
}
