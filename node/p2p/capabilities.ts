/** Which protocols two nodes share, and which codes on the wire each of them has. */
import { BASE_LENGTH, type Capability } from "./base-messages.ts";

/** A protocol that both sides speak and its first code on the wire. */
export interface Matched<P> {
  readonly protocol: P;
  readonly offset: number;
}

/** A list sorted by name, then version, as the Go node shows it. */
export function sortCapabilities(list: readonly Capability[]): Capability[] {
  return [...list].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version - b.version));
}

/** The highest common version of each name, names in order, codes one after another from 16. */
export function matchProtocols<P extends Capability & { readonly length: number }>(
  own: readonly P[],
  remote: readonly Capability[],
): Matched<P>[] {
  const best = new Map<string, P>();
  for (const { name, version } of sortCapabilities(remote)) {
    const protocol = own.find((row) => row.name === name && row.version === version);
    if (protocol !== undefined) best.set(name, protocol);
  }
  let offset = BASE_LENGTH;
  return [...best.values()].map((protocol) => {
    const matched = { protocol, offset };
    offset += protocol.length;
    return matched;
  });
}
