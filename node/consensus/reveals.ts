/**
 * Random reveals of headers, checked ahead on a thread of its own: one takes a millisecond. The key that counts is
 * known only when a header's turn comes; ahead it is checked with the one that its author used last or had when an
 * import began, and what was found holds for that key alone.
 */
import { equalBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import type { Recoverer } from "../crypto/recoverer.ts";
import type { Header } from "../model/header.ts";
import { revealMessage } from "./reveal-message.ts";

interface VerifiedReveal {
  readonly publicKey: Uint8Array;
  readonly isValid: boolean;
}

/** Authors remembered with their keys; a council is far smaller. */
const MAX_AUTHORS = 1_000;

const found = new WeakMap<Header, VerifiedReveal>();
const lastKeys = new Map<string, Uint8Array>();

/** What was found of this very header object with this key; undefined where nobody looked. */
export function verifiedReveal(header: Header, publicKey: Uint8Array): boolean | undefined {
  const known = found.get(header);
  return known !== undefined && equalBytes(known.publicKey, publicKey) ? known.isValid : undefined;
}

/** Notes that the reveal of a header was found good with a key. */
export function rememberReveal(header: Header, publicKey: Uint8Array): void {
  found.set(header, { publicKey, isValid: true });
}

/** What was found of a header holds for the same one with other seals. */
export function copyReveal(header: Header, resealed: Header): void {
  const known = found.get(header);
  if (known !== undefined) found.set(resealed, known);
}

/** Tells which key an author's header was judged by, or is likely to be. */
export function rememberKey(author: Uint8Array, publicKey: Uint8Array): void {
  if (lastKeys.size >= MAX_AUTHORS) lastKeys.clear();
  lastKeys.set(mapKey(author), publicKey);
}

/** Checks the reveals of headers whose authors are known, for `foundReveal`. */
export async function verifyReveals(
  recoverer: Recoverer,
  headers: readonly { readonly header: Header; readonly author: Uint8Array | undefined }[],
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
