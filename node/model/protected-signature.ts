/**
 * Signatures whose V names a chain (EIP-155), of legacy transactions and of all kinds of the chain's own:
 * V is chain id * 2 + 35 + parity, or 27 + parity where no chain is named.
 */
import { RlpWriter } from "./rlp-writer.ts";
import { badSignature, hasLowS, inRange } from "./transaction-parts.ts";
import type { Signature, SignatureMeaning } from "./transaction-type.ts";

/**
 * Parity and chain. A V below 35 that is not one of the unprotected ones names a chain near 2^63, which is none,
 * as the Go node's 64-bit arithmetic has it.
 */
export function protectedMeaning(v: bigint): SignatureMeaning {
  if (!isProtected(v)) return { parity: Number(v & 1n) ^ 1, chainId: undefined };
  const rest = v - 35n;
  return { parity: Number(rest & 1n), chainId: (rest < 0n ? BigInt.asUintN(64, rest) : rest) >> 1n };
}

/** V of a new signature for a chain. */
export function protectedV(parity: number, chainId: bigint): bigint {
  return chainId * 2n + 35n + BigInt(parity);
}

/**
 * Throws `TransactionError` `bad-signature` for one that can be nobody's. One that names a chain is tested for
 * low s only when its key is recovered, as in the Go node.
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

/** What a digest adds for a chain: its number and two zeros. All transactions of a node have one and the same. */
export function chainTail(chainId: bigint): Uint8Array {
  if (newestTail?.chainId === chainId) return newestTail.tail;
  tailWriter.reset().integer(0);
  tailWriter.integer(0);
  tailWriter.integer(chainId);
  newestTail = { chainId, tail: tailWriter.take() };
  return newestTail.tail;
}
