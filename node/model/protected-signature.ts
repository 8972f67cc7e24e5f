/**
 * Signatures with the chain id in V (EIP-155), of legacy transactions and of Kaia's own types: V is chain id
 * * 2 + 35 + parity, or 27 + parity without a chain id.
 */
import { RlpWriter } from "../bytes/rlp-writer.ts";
import { badSignature, hasLowS, inRange } from "./transaction-codec.ts";
import type { DecodedV, Signature } from "./transaction-type.ts";

/**
 * Returns parity and chain id. A V below 35 other than 0, 1, 27 and 28 gives a chain id near 2^63, which no
 * chain has, as in the Go node's 64-bit arithmetic.
 */
export function decodeProtectedV(v: bigint): DecodedV {
  if (!isProtected(v)) return { parity: Number(v & 1n) ^ 1, chainId: undefined };
  const rest = v - 35n;
  return { parity: Number(rest & 1n), chainId: (rest < 0n ? BigInt.asUintN(64, rest) : rest) >> 1n };
}

/** Returns V of a new signature. */
export function encodeProtectedV(parity: number, chainId: bigint): bigint {
  return chainId * 2n + 35n + BigInt(parity);
}

/**
 * Throws `TransactionError` `bad-signature` for an invalid signature. A signature with a chain id is checked
 * for low s only at recovery, as in the Go node.
 */
export function checkProtectedSignature(signature: Signature): void {
  if (!inRange(signature)) throw badSignature();
  if (isProtected(signature.v)) return;
  if ((signature.v !== 27n && signature.v !== 28n) || !hasLowS(signature)) throw badSignature();
}

function isProtected(v: bigint): boolean {
  return v !== 27n && v !== 28n && v !== 0n && v !== 1n;
}

const tailWriter = new RlpWriter(64);
let newestTail: { readonly chainId: bigint; readonly tail: Uint8Array } | undefined;

/**
 * Returns the RLP items at the end of a digest's list: chain id, 0, 0 (EIP-155). The last result is cached,
 * because a node has one chain id.
 */
export function chainTail(chainId: bigint): Uint8Array {
  if (newestTail?.chainId === chainId) return newestTail.tail;
  tailWriter.reset().integer(0);
  tailWriter.integer(0);
  tailWriter.integer(chainId);
  newestTail = { chainId, tail: tailWriter.take() };
  return newestTail.tail;
}
