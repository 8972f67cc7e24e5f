/**
 * How an authority gives way to the next before it ends. The next one is announced: everybody believes both, and
 * the old one goes on to issue. Then the next one issues, and the old one is believed a while longer. Which of these
 * times it is, the certificates alone tell, so nothing has to be remembered.
 */
import { X509Certificate } from "node:crypto";
import { type Credentials, createAuthority } from "./authority.ts";

/** The authorities that there are. */
export interface Authorities {
  /** The one that issues. */
  readonly current: Credentials;
  /** The one that will. */
  readonly next: Credentials | undefined;
  /** The certificate of the one that did. */
  readonly previous: string | undefined;
}

const DAY_MS = 86_400_000;
/** So long before the end of the current one the next is announced. */
const ANNOUNCED_MS = 180 * DAY_MS;
/** So long the next is believed before it issues, and the previous one after it did. */
const OVERLAP_MS = 30 * DAY_MS;

/** The authorities as they are to be at `now`: the same object when there is nothing to do, else one step further. */
export async function turned(kept: Authorities, now: number): Promise<Authorities> {
  const { current, previous } = kept;
  const { begin, end } = lifeOf(current.certificate);
  const next = kept.next ?? (now >= end - ANNOUNCED_MS ? await createAuthority(now) : undefined);
  if (next !== undefined) {
    const isKnown = now >= lifeOf(next.certificate).begin + OVERLAP_MS;
    if (isKnown || now >= end) return { current: next, next: undefined, previous: current.certificate };
    return kept.next === undefined ? { ...kept, next } : kept;
  }
  const isForgotten = previous !== undefined && now >= begin + 2 * OVERLAP_MS;
  return isForgotten ? { ...kept, previous: undefined } : kept;
}

/** Every certificate that is to be believed, PEM. */
export function believed({ current, next, previous = "" }: Authorities): string {
  return [current.certificate, next?.certificate ?? "", previous].join("");
}

function lifeOf(certificate: string): { readonly begin: number; readonly end: number } {
  const { validFrom, validTo } = new X509Certificate(certificate);
  return { begin: Date.parse(validFrom), end: Date.parse(validTo) };
}
