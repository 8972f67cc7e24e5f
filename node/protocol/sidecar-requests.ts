/**
 * Requests for the blob sidecars that new blocks came without (`blobSidecarSyncLoop` of
 * node/cn/handler.go@v2.2.2): every 100 ms up to four of them from one peer, consensus nodes first, each at most five
 * times and not before ten seconds have passed.
 */
import { equalBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import type { Log } from "../observe/log.ts";
import type { NodeType } from "../p2p/node-type.ts";
import type { Clock } from "../runtime/clock.ts";
import type { SidecarPlace, Sidecars } from "../txpool/sidecars.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { MAX_MISSING_SIDECARS, MAX_SERVED, type ProtocolTimings } from "./limits.ts";
import { sidecarsRequest } from "./requests.ts";

/** Parts that the requests need. */
export interface SidecarRequestsDeps {
  readonly sidecars: Pick<Sidecars, "onMissing" | "accept">;
  readonly peers: () => Iterable<ChainPeer>;
  readonly timings: Pick<ProtocolTimings, "sidecarEveryMs" | "sidecarRetryMs">;
  readonly clock: Clock;
  readonly log: Log;
}

interface Missing {
  readonly place: SidecarPlace;
  tries: number;
  /** Time of the next request, in milliseconds. */
  due: number;
}

/** Maximum number of requests for one sidecar. */
const MAX_TRIES = 5;
/** First version of the protocol with sidecars. */
const SIDECAR_VERSION = 67;

/** Begins to request missing sidecars. Disposing it stops the requests. */
export function openSidecarRequests(deps: SidecarRequestsDeps): Disposable {
  const { sidecars, timings, clock, log } = deps;
  const missing = new Map<string, Missing>();
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  const look = (): void => {
    if (missing.size === 0) return stop();
    const due = [...missing.values()].filter((each) => each.due <= clock.now()).slice(0, MAX_SERVED.sidecars);
    const [first] = due;
    const peer = first && bestPeer([...deps.peers()], first.tries);
    if (peer === undefined) return;
    for (const each of due) {
      each.tries += 1;
      each.due = clock.now() + timings.sidecarRetryMs;
    }
    requestFrom(peer, due, missing, deps).catch((error: unknown) => {
      log.debug({ peer: peer.name, reason: messageOf(error) }, "cannot get blob sidecars");
    });
    forgetTried(missing, due);
  };
  sidecars.onMissing((place) => {
    if (missing.size >= MAX_MISSING_SIDECARS) return;
    missing.set(mapKey(place.hash), { place, tries: 0, due: 0 });
    timer ??= setInterval(look, timings.sidecarEveryMs).unref();
  });
  return { [Symbol.dispose]: stop };
}

/** Sends one request and keeps what belongs to it. Rejects with the peer's `ProtocolError`. */
async function requestFrom(
  peer: ChainPeer,
  due: readonly Missing[],
  missing: Map<string, Missing>,
  { sidecars, timings }: SidecarRequestsDeps,
): Promise<void> {
  const places = due.map(({ place }) => place);
  for (const { hash, sidecar } of await peer.requests.request(
    sidecarsRequest,
    places,
    timings.sidecarRetryMs,
  )) {
    const wanted = places.find((place) => equalBytes(place.hash, hash));
    if (wanted !== undefined && (await sidecars.accept(wanted.hash, sidecar, peer.link)))
      missing.delete(mapKey(hash));
  }
}

/** Drops what was requested often enough. Its last answer is still accepted. */
function forgetTried(missing: Map<string, Missing>, due: readonly Missing[]): void {
  for (const { place, tries } of due) if (tries >= MAX_TRIES) missing.delete(mapKey(place.hash));
}

const ORDER: readonly NodeType[] = ["cn", "pn", "en"];

/** Returns the peer for a try: consensus nodes, proxies and endpoints in turn, each kind by its head. */
export function bestPeer(peers: readonly ChainPeer[], tries: number): ChainPeer | undefined {
  const able = peers
    .filter(({ link, type }) => link.version >= SIDECAR_VERSION && ORDER.includes(type))
    .sort((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type) || b.claim.number - a.claim.number);
  return able[tries % Math.max(1, able.length)];
}
