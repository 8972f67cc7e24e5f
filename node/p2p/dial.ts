/** A dial: connection, session, and what is told of failures. */
import { bareHex } from "../bytes/hex.ts";
import type { Log } from "../observe/log.ts";
import { connectTo, type Resolve } from "./connect.ts";
import type { DialerSurroundings, DialKind, Dialled } from "./dialer.ts";
import type { P2pMetrics } from "./metrics.ts";
import type { NodeUrl } from "./node-url.ts";
import type { PeerSet } from "./peer-set.ts";

/** So many failed dials in a row are told to the operator, once. */
const WORTH_A_WARNING = 3;

/** What dials are made with. */
export interface DialParts {
  readonly resolve: Resolve;
  readonly timeoutMs: number;
  readonly allows: (ip: string) => boolean;
  readonly metrics: P2pMetrics;
  readonly set: PeerSet;
  readonly signal: AbortSignal;
}

/** Makes dials for a dialer. */
export function createDial(parts: DialParts): (url: NodeUrl, kind: DialKind) => Promise<Dialled> {
  const { metrics, set, signal } = parts;
  return async (url, kind) => {
    metrics.dialTries.add(1);
    const socket = await connectTo(url, parts);
    metrics.outboundConnects.add(1);
    const abort = () => void socket.destroy();
    signal.addEventListener("abort", abort, { once: true });
    try {
      const { peer, gone } = await set.setUp(socket, { id: url.id, kind });
      return { gone, leave: () => peer.disconnect("requested") };
    } finally {
      signal.removeEventListener("abort", abort);
    }
  };
}

/** Counts failed dials and tells of them; found nodes come and go, so an operator hears of static ones alone. */
export function createFailureLog(log: Log, metrics: P2pMetrics): DialerSurroundings["failed"] {
  return (url, kind, failures, { message }) => {
    metrics.dialFailures.add(1);
    const fields = {
      peer: bareHex(url.id).slice(0, 16),
      host: url.host,
      port: url.tcpPort,
      failures,
      error: message,
    };
    if (kind === "static" && failures === WORTH_A_WARNING)
      log.warn(fields, "static peer cannot be reached, still trying");
    else log.debug(fields, "dial failed");
  };
}
