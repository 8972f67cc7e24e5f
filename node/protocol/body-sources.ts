/** Bodies for headers, from several peers at once. */
import type { HashedHeader } from "../consensus/sealers.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { ProtocolError } from "./error.ts";
import { FULL_ANSWER_BYTES, SERVED } from "./limits.ts";
import { bodiesQuestion } from "./requests.ts";
import type { Sources } from "./sources.ts";

/** A body as it came, not looked at, and who gave it. */
export interface Body {
  readonly raw: Uint8Array;
  readonly from: ChainPeer;
}

/** Bodies of one question when there are helpers; alone the leader is asked for as many as it gives. */
const SHARED_BODIES = 32;

/** Asks for the bodies of one catch-up. */
export class BodySources {
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** How many bodies to ask for at once. */
  share(number: number): number {
    return this.#sources.hasHelpers(number) ? SHARED_BODIES : SERVED.bodies;
  }

  /** The bodies of all headers, in their order. Rejects with what the leader did wrong. */
  async bodies(wanted: readonly HashedHeader[]): Promise<Body[]> {
    const found: Body[] = [];
    while (found.length < wanted.length) {
      const rest = wanted.slice(found.length);
      const { from, answer } = await this.#sources.ask(rest.at(-1)?.header.number ?? 0, (peer, timeoutMs) =>
        ask(peer, rest, timeoutMs),
      );
      for (const raw of answer) found.push({ raw, from });
    }
    return found;
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
