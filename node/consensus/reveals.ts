/**
 * Random reveals of headers, verified ahead on a worker thread, since one takes a millisecond. The registered
 * key is known only when a header is processed. A reveal is verified ahead with the key that its author used
 * last or at the start of an import; the result holds for this key alone.
 */
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import { fixedBytes } from "../bytes/integer.ts";
import type { Recoverer } from "../crypto/recoverer.ts";
import type { Header } from "../model/header.ts";

interface VerifiedReveal {
  readonly publicKey: Uint8Array;
  readonly isValid: boolean;
}

/** Authors whose keys are remembered; a council is far smaller. */
const MAX_AUTHORS = 1_000;

const found = new WeakMap<Header, VerifiedReveal>();
const lastKeys = new Map<string, Uint8Array>();

/** Returns the result for this header object and key; undefined when it was not verified. */
export function verifiedReveal(header: Header, publicKey: Uint8Array): boolean | undefined {
  const known = found.get(header);
  return known !== undefined && equalBytes(known.publicKey, publicKey) ? known.isValid : undefined;
}

/** Records that the reveal of a header is valid under a key. */
export function rememberReveal(header: Header, publicKey: Uint8Array): void {
  found.set(header, { publicKey, isValid: true });
}

/** Copies the result to the same header with other seals. */
export function copyReveal(header: Header, resealed: Header): void {
  const known = found.get(header);
  if (known !== undefined) found.set(resealed, known);
}

/** Records the key that verifies an author's headers. */
export function rememberKey(author: Address, publicKey: Uint8Array): void {
  if (lastKeys.size >= MAX_AUTHORS) lastKeys.clear();
  lastKeys.set(mapKey(author), publicKey);
}

/** Verifies the reveals of headers whose author's key is known, for `verifiedReveal`. */
export async function verifyReveals(
  recoverer: Recoverer,
  headers: readonly { readonly header: Header; readonly author: Address | undefined }[],
): Promise<void> {
  const claims = headers.flatMap(({ header, author }) => {
    const publicKey = author && lastKeys.get(mapKey(author));
    const { number, randomReveal: signature } = header;
    if (publicKey === undefined || signature === undefined) return [];
    return [{ header, publicKey, message: revealMessage(number), signature }];
  });
  const answers = await recoverer.verifyClaims(claims);
  for (const [i, { header, publicKey }] of claims.entries()) {
    const isValid = answers[i];
    if (isValid !== undefined) found.set(header, { publicKey, isValid });
  }
}

/** Returns the message that the proposer of block `number` signs for its random reveal (KIP-114). */
export function revealMessage(number: number): Uint8Array {
  return fixedBytes(number, 32);
}
