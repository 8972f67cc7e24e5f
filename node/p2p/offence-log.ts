/** Lines about peers that were left because they asked too much of this node: at most one in ten seconds. */

import type { Log } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";
import type { P2pError } from "./error.ts";
import type { Peer } from "./protocol.ts";

const EVERY_MS = 10_000;

/** A function that logs the errors that are offences; what falls between two lines is counted in the next one. */
export function createOffenceLog(log: Log, clock: Clock): (peer: Peer, error: P2pError) => void {
  let nextMs = 0;
  let others = 0;
  return ({ shortId, type, inbound }, { code, message }) => {
    if (code !== "rate-exceeded" && code !== "memory-exceeded") return;
    if (clock.now() < nextMs) {
      others++;
      return;
    }
    nextMs = clock.now() + EVERY_MS;
    log.warn({ peer: shortId, type, inbound, reason: message, others }, "disconnected a peer");
    others = 0;
  };
}
