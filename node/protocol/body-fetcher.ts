/** Fetches block bodies for headers from several peers at once. */
import type { HashedHeader } from "../consensus/sealers.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { ProtocolError } from "./error.ts";
import { FULL_ANSWER_BYTES, MAX_SERVED } from "./limits.ts";
import { bodiesRequest } from "./requests.ts";
import type { SyncPeers } from "./sync-peers.ts";

/** An encoded body, unvalidated, and its sender. */
export interface FetchedBody {
  readonly raw: Uint8Array;
  readonly from: ChainPeer;
}

/**
 * Number of bodies per request while other peers help. The leader alone is asked for as many as one answer
 * holds.
 */
const MAX_SHARED_BODIES = 32;

/** Fetcher of the bodies of one catch-up. */
export class BodyFetcher {
  readonly #syncPeers: SyncPeers;

  constructor(syncPeers: SyncPeers) {
    this.#syncPeers = syncPeers;
  }

  /** Returns the number of bodies for one request. */
  requestSize(number: number): number {
    return this.#syncPeers.hasHelpers(number) ? MAX_SHARED_BODIES : MAX_SERVED.bodies;
  }

  /** Fetches the bodies of all headers, in order. Rejects with the leader's failure. */
  async fetch(wanted: readonly HashedHeader[]): Promise<FetchedBody[]> {
    const found: FetchedBody[] = [];
    while (found.length < wanted.length) {
      const rest = wanted.slice(found.length);
      const { from, answer } = await this.#syncPeers.ask(rest.at(-1)?.header.number ?? 0, (peer, timeoutMs) =>
        requestBodies(peer, rest, timeoutMs),
      );
      for (const raw of answer) found.push({ raw, from });
    }
    return found;
  }
}

/**
 * Requests bodies from one peer. A shorter answer is valid only when it reaches the size at which servers
 * stop.
 */
async function requestBodies(
  { requests }: ChainPeer,
  wanted: readonly HashedHeader[],
  timeoutMs: number | undefined,
): Promise<Uint8Array[]> {
  const hashes = wanted.slice(0, MAX_SERVED.bodies).map(({ hash }) => hash);
  const bodies = await requests.request(bodiesRequest, hashes, timeoutMs);
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
  if (bodies.length > hashes.length) throw new ProtocolError("bad-answer", "more bodies than requested");
  if (bodies.length === 0 || (bodies.length < hashes.length && bytes < FULL_ANSWER_BYTES)) {
    throw new ProtocolError(
      "bad-answer",
      `the peer sent ${bodies.length} of ${hashes.length} bodies for its own headers`,
    );
  }
  return bodies;
}
