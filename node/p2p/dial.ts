/**
 * One dial: opens the connections to a node, runs its handshakes and admits it as a peer. Reports failures to
 * the log and the metrics.
 */
import type { Socket } from "node:net";
import { bareHex } from "../bytes/hex.ts";
import type { Log } from "../observe/log.ts";
import { connectTo, type Resolve } from "./connect.ts";
import type { DialerDeps, DialKind, DialledPeer } from "./dialer.ts";
import { P2pError } from "./error.ts";
import type { P2pMetrics } from "./metrics.ts";
import type { NodeUrl } from "./node-url.ts";
import type { DialTarget, GreetedConnection, PeerSet } from "./peer-set.ts";

/** Number of failed dials in a row after which the operator is warned, once. */
const WARNING_FAILURES = 3;

/** Dependencies of a dial. */
export interface DialDeps {
  readonly resolve: Resolve;
  readonly timeoutMs: number;
  readonly allows: (ip: string) => boolean;
  readonly metrics: P2pMetrics;
  readonly set: PeerSet;
  readonly signal: AbortSignal;
}

/** Maximum number of ports of one node that are dialled. */
const MAX_PORTS = 4;

/** Creates the dial function of a dialer. */
export function createDial(deps: DialDeps): (url: NodeUrl, kind: DialKind) => Promise<DialledPeer> {
  const { metrics, set, signal } = deps;
  return async (url, kind) => {
    metrics.dialTries.add(1);
    const sockets: Socket[] = [];
    const failed = new AbortController();
    const either = AbortSignal.any([signal, failed.signal]);
    const connect = async (tcpPort: number): Promise<Socket> => {
      const socket = await connectTo({ ...url, tcpPort }, { ...deps, signal: either });
      metrics.outboundConnects.add(1);
      sockets.push(socket);
      if (either.aborted) socket.destroy(); // was connected in the moment in which the dial ended
      return socket;
    };
    const abort = (): void => {
      for (const socket of sockets) socket.destroy();
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      const target = { id: url.id, kind };
      const first = await set.handshake(await connect(url.tcpPort), target);
      const ports = portsOf(first, set.isMultichannel);
      const { peer, closed } = set.admit(
        ports === undefined ? [first] : await handshakeAll({ first, ports, connect, set, target }),
      );
      return { closed, disconnect: () => peer.disconnect("requested") };
    } catch (error) {
      failed.abort();
      for (const socket of sockets.slice(1)) socket.destroy();
      throw error;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  };
}

/**
 * Returns the ports that a multichannel node wants to be dialled on, or undefined when one connection is
 * enough.
 */
function portsOf({ hello }: GreetedConnection, isMultichannel: boolean): readonly number[] | undefined {
  const { multichannel, listenPorts } = hello;
  if (!isMultichannel || !multichannel || listenPorts.length < 2) return undefined;
  if (listenPorts.length <= MAX_PORTS && listenPorts.every(isPort)) return listenPorts;
  throw new P2pError("bad-message", `hello with ports ${listenPorts.slice(0, MAX_PORTS).join(", ")}`);
}

function isPort(port: number): boolean {
  return port > 0 && port <= 0xffff;
}

interface Redial {
  readonly first: GreetedConnection;
  readonly ports: readonly number[];
  readonly connect: (port: number) => Promise<Socket>;
  readonly set: PeerSet;
  readonly target: DialTarget;
}

/**
 * Replaces the first connection by one for each port, as `dialMulti` in networks/p2p/dial.go@v2.2.2. The
 * handshakes run one after another.
 */
async function handshakeAll({ first, ports, connect, set, target }: Redial): Promise<GreetedConnection[]> {
  first.transport.socket.destroy();
  const sockets = await Promise.all(ports.map(connect));
  const all: GreetedConnection[] = [];
  for (const socket of sockets) all.push(await set.handshake(socket, target));
  return all;
}

/**
 * Creates the failure handler of a dialer. Only static peers are worth a warning: discovered nodes come and
 * go.
 */
export function createFailureLog(log: Log, metrics: P2pMetrics): DialerDeps["onFailure"] {
  return (url, kind, failures, { message }) => {
    metrics.dialFailures.add(1);
    const fields = {
      peer: bareHex(url.id).slice(0, 16),
      host: url.host,
      port: url.tcpPort,
      failures,
      error: message,
    };
    if (kind === "static" && failures === WARNING_FAILURES)
      log.warn(fields, "cannot connect to a static peer, retrying");
    else log.debug(fields, "dial failed");
  };
}
