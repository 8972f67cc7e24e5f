/**
 * Capability matching: the protocols that two nodes share and the message codes that each of them gets, by
 * the devp2p RLPx specification.
 */
import { BASE_LENGTH, type Capability } from "./base-messages.ts";

/** A protocol that both sides speak, and its first message code. */
export interface MatchedProtocol<P> {
  readonly protocol: P;
  readonly offset: number;
}

/** Returns the capabilities sorted by name, then by version, as the Go node lists them. */
export function sortCapabilities(list: readonly Capability[]): Capability[] {
  return [...list].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version - b.version));
}

/**
 * Selects the highest common version of each protocol, in order of names, and assigns message codes from 16
 * on.
 */
export function matchProtocols<P extends Capability & { readonly length: number }>(
  own: readonly P[],
  remote: readonly Capability[],
): MatchedProtocol<P>[] {
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
