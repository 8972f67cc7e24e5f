/** A dial: connection, session, and what is told of failures. */
import type { Socket } from "node:net";
import { bareHex } from "../bytes/hex.ts";
import type { Log } from "../observe/log.ts";
import { connectTo, type Resolve } from "./connect.ts";
import type { DialerSurroundings, DialKind, Dialled } from "./dialer.ts";
import { P2pError } from "./error.ts";
import type { P2pMetrics } from "./metrics.ts";
import type { NodeUrl } from "./node-url.ts";
import type { Greeted, PeerSet, Wanted } from "./peer-set.ts";

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

/** Ports of one node that are dialled. */
const MOST_PORTS = 4;

/** Makes dials for a dialer. */
export function createDial(parts: DialParts): (url: NodeUrl, kind: DialKind) => Promise<Dialled> {
  const { metrics, set, signal } = parts;
  return async (url, kind) => {
    metrics.dialTries.add(1);
    const sockets: Socket[] = [];
    const connect = async (tcpPort: number): Promise<Socket> => {
      const socket = await connectTo({ ...url, tcpPort }, parts);
      metrics.outboundConnects.add(1);
      sockets.push(socket);
      return socket;
    };
    const abort = (): void => {
      for (const socket of sockets) socket.destroy();
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      const wanted = { id: url.id, kind };
      const first = await set.greet(await connect(url.tcpPort), wanted);
      const ports = portsOf(first, set.isMultichannel);
      const { peer, gone } = set.admit(
        ports === undefined ? [first] : await greetAll({ first, ports, connect, set, wanted }),
      );
      return { gone, leave: () => peer.disconnect("requested") };
    } catch (error) {
      for (const socket of sockets.slice(1)) socket.destroy();
      throw error;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  };
}

/** The ports that a node wants to be connected to; undefined when the one that was dialled is enough. */
function portsOf({ hello }: Greeted, isMultichannel: boolean): readonly number[] | undefined {
  const { multichannel, listenPorts } = hello;
  if (!isMultichannel || !multichannel || listenPorts.length < 2) return undefined;
  if (listenPorts.length <= MOST_PORTS && listenPorts.every(isPort)) return listenPorts;
  throw new P2pError("bad-message", `hello with ports ${listenPorts.slice(0, MOST_PORTS).join(", ")}`);
}

function isPort(port: number): boolean {
  return port > 0 && port <= 0xffff;
}

interface Several {
  readonly first: Greeted;
  readonly ports: readonly number[];
  readonly connect: (port: number) => Promise<Socket>;
  readonly set: PeerSet;
  readonly wanted: Wanted;
}

/** As the Go node does it: the first connection is given up, all are opened, and greeted one after another. */
async function greetAll({ first, ports, connect, set, wanted }: Several): Promise<Greeted[]> {
  first.transport.socket.destroy();
  const sockets = await Promise.all(ports.map(connect));
  const all: Greeted[] = [];
  for (const socket of sockets) all.push(await set.greet(socket, wanted));
  return all;
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
