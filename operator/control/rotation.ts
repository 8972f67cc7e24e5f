/**
 * Rotation of the certificate authority. The next authority is announced first: both are trusted while the
 * current one still issues. Then the next one issues, and the previous one stays trusted for a while. The
 * step is derived from the certificates alone, without further state.
 */
import { X509Certificate } from "node:crypto";
import { type Credentials, createAuthority } from "./authority.ts";

/** Authorities of the control channel. */
export interface Authorities {
  /** Issuing authority. */
  readonly current: Credentials;
  /** Announced authority. */
  readonly next: Credentials | undefined;
  /** Certificate of the former authority. */
  readonly previous: string | undefined;
}

const DAY_MS = 86_400_000;
/** Time before the expiry of the current authority at which the next one is announced. */
const ANNOUNCED_MS = 180 * DAY_MS;
/** Time for which the next authority is trusted before it issues, and the previous one afterwards. */
const OVERLAP_MS = 30 * DAY_MS;
/** Maximum time until an authority is valid that is waited for; one that was created by a clock far ahead is replaced. */
const MAX_AHEAD_MS = 3_600_000;

/** Applies the rotation step that is due at `now`. Returns the same object when none is due. */
export async function rotate(kept: Authorities, now: number): Promise<Authorities> {
  const { current, previous } = kept;
  const { begin, end } = lifeOf(current.certificate);
  if (begin > now + MAX_AHEAD_MS)
    return { current: await createAuthority(now), next: undefined, previous: current.certificate };
  const next = kept.next ?? (now >= end - ANNOUNCED_MS ? await createAuthority(now) : undefined);
  if (next !== undefined) {
    const isKnown = now >= lifeOf(next.certificate).begin + OVERLAP_MS;
    if (isKnown || now >= end) return { current: next, next: undefined, previous: current.certificate };
    return kept.next === undefined ? { ...kept, next } : kept;
  }
  const isForgotten = previous !== undefined && now >= begin + 2 * OVERLAP_MS;
  return isForgotten ? { ...kept, previous: undefined } : kept;
}

/** Returns all trusted certificates, PEM. */
export function trustedCertificates({ current, next, previous = "" }: Authorities): string {
  return [current.certificate, next?.certificate ?? "", previous].join("");
}

function lifeOf(certificate: string): { readonly begin: number; readonly end: number } {
  const { validFrom, validTo } = new X509Certificate(certificate);
  return { begin: Date.parse(validFrom), end: Date.parse(validTo) };
}
