/**
 * Bodies for headers, from several peers at once: the leader, whose headers they are, and helpers that claim to be as
 * far. A helper that does not answer in time, or has not all, is not asked again; the leader must have everything.
 */
import type { HashedHeader } from "../consensus/found-sealers.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { ProtocolError } from "./error.ts";
import { FULL_ANSWER_BYTES, SERVED } from "./limits.ts";
import { bodiesQuestion } from "./requests.ts";

/** A body as it came, not looked at, and who gave it. */
export interface Body {
  readonly raw: Uint8Array;
  readonly from: ChainPeer;
}

/** Whom bodies may be asked of besides the leader. */
export interface HelperParts {
  /** All peers; the leader may be among them. */
  readonly peers: () => Iterable<ChainPeer>;
  /** How long a helper may take for an answer. */
  readonly helperMs: number;
}

/** Bodies of one question when there are helpers; alone the leader is asked for as many as it gives. */
const SHARED_BODIES = 32;

/** Asks for the bodies of one catch-up. */
export class BodySources {
  readonly #leader: ChainPeer;
  readonly #parts: HelperParts;
  readonly #open = new Map<ChainPeer, number>();
  readonly #excluded = new Set<ChainPeer>();

  constructor(leader: ChainPeer, parts: HelperParts) {
    this.#leader = leader;
    this.#parts = parts;
  }

  /** How many bodies to ask for at once. */
  share(number: number): number {
    return this.#able(number).length > 1 ? SHARED_BODIES : SERVED.bodies;
  }

  /** The bodies of all headers, in their order. Rejects with what the leader did wrong. */
  async bodies(wanted: readonly HashedHeader[]): Promise<Body[]> {
    const found: Body[] = [];
    while (found.length < wanted.length) {
      const rest = wanted.slice(found.length);
      const from = this.#leastBusy(rest.at(-1)?.header.number ?? 0);
      for (const raw of await this.#ask(from, rest)) found.push({ raw, from });
    }
    return found;
  }

  /** Nothing when a helper failed. */
  async #ask(peer: ChainPeer, wanted: readonly HashedHeader[]): Promise<Uint8Array[]> {
    this.#count(peer, 1);
    try {
      return await ask(peer, wanted, peer === this.#leader ? undefined : this.#parts.helperMs);
    } catch (error) {
      if (peer === this.#leader || !(error instanceof ProtocolError)) throw error;
      this.#excluded.add(peer);
      return [];
    } finally {
      this.#count(peer, -1);
    }
  }

  #count(peer: ChainPeer, change: number): void {
    this.#open.set(peer, (this.#open.get(peer) ?? 0) + change);
  }

  #leastBusy(number: number): ChainPeer {
    const open = (peer: ChainPeer): number => this.#open.get(peer) ?? 0;
    return this.#able(number).reduce((best, peer) => (open(peer) < open(best) ? peer : best), this.#leader);
  }

  #able(number: number): ChainPeer[] {
    const helpers = [...this.#parts.peers()].filter(
      (peer) => peer !== this.#leader && !this.#excluded.has(peer) && peer.claim.number >= number,
    );
    return [this.#leader, ...helpers];
  }
}

/** As many bodies as the peer gives at once: all, or enough to reach the size at which servers stop. */
async function ask(
  { requests }: ChainPeer,
  wanted: readonly HashedHeader[],
  timeoutMs: number | undefined,
): Promise<Uint8Array[]> {
  const hashes = wanted.slice(0, SERVED.bodies).map(({ hash }) => hash);
  const bodies = await requests.request(bodiesQuestion, hashes, timeoutMs);
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
  if (bodies.length > hashes.length) throw new ProtocolError("bad-answer", "more bodies than asked for");
  if (bodies.length === 0 || (bodies.length < hashes.length && bytes < FULL_ANSWER_BYTES)) {
    throw new ProtocolError(
      "bad-answer",
      `the peer gave ${bodies.length} of ${hashes.length} bodies of its own headers`,
    );
  }
  return bodies;
}
