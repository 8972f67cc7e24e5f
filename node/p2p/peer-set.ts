/** The peers of a node: admits them, runs their sessions, and tells who listens what happens to them. */
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { bareHex, mapKey } from "../bytes/hex.ts";
import type { Log } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";
import { type Candidate, refusal } from "./admission.ts";
import type { Hello } from "./base-messages.ts";
import { matchProtocols } from "./capabilities.ts";
import type { DialKind } from "./dialer.ts";
import { P2pError } from "./error.ts";
import { Gathering } from "./gathering.ts";
import { sayGoodbye } from "./goodbye.ts";
import { type Encrypted, encrypt, exchangeHello, type HandshakeSelf } from "./handshake.ts";
import type { P2pMetrics } from "./metrics.ts";
import { createOffenceLog } from "./offence-log.ts";
import type { PeerMemory } from "./peer-memory.ts";
import type { PeerTime } from "./peer-time.ts";
import type { Peer, PeerEvent, Protocol } from "./protocol.ts";
import { openSession, type Session, type SessionLimits, type SessionWatch } from "./session.ts";

/** What the set is given. */
export interface PeerSetParts {
  readonly self: HandshakeSelf;
  readonly name: string;
  readonly protocols: readonly Protocol[];
  /** Ours, the first for everything that has no port of its own; one alone means one connection a peer. */
  readonly ports: () => readonly number[];
  readonly maxPeers: number;
  /** Outbound places kept for dials of the node's own choice. */
  readonly maxDynamic: number;
  readonly isTrusted: (id: Uint8Array) => boolean;
  readonly limits: SessionLimits;
  readonly memory: PeerMemory;
  readonly time: PeerTime;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: () => P2pMetrics;
  /** Called when a peer is wholly gone. */
  readonly onGone: (id: Uint8Array) => void;
}

/** Who was dialled, and why. */
export interface Wanted {
  readonly id: Uint8Array;
  readonly kind: DialKind;
}

/** A connection whose other end has said hello; it is no peer yet. */
export interface Greeted extends Encrypted {
  readonly candidate: Candidate;
  readonly hello: Hello;
}

/** A peer that was admitted. */
export interface Admitted {
  readonly peer: Peer;
  /** Resolves when it is out of the set again. */
  readonly gone: Promise<void>;
}

/** Protocols that are still at work this long after their peer has gone no longer keep it from coming back. */
const GRACE_MS = 5000;

/** The peers. Disposing it says goodbye to all of them. */
export class PeerSet implements AsyncDisposable {
  readonly #parts: PeerSetParts;
  readonly #peers = new Map<string, { readonly session: Session; readonly gone: Promise<void> }>();
  readonly #gathering: Gathering<Greeted>;
  readonly #listeners = new Set<(event: PeerEvent) => void>();
  readonly #logOffence: (peer: Peer, error: P2pError) => void;
  #closing = false;

  constructor(parts: PeerSetParts) {
    this.#parts = parts;
    this.#logOffence = createOffenceLog(parts.log, parts.clock);
    this.#gathering = new Gathering({
      timeoutMs: parts.self.timings.handshakeMs,
      close: ({ transport }) => void transport.socket.destroy(),
    });
  }

  /** Sorted by id. */
  list(): Peer[] {
    const peers = [...this.#peers.values()].map(({ session }) => session.peer);
    return peers.sort((a, b) => Buffer.compare(a.id, b.id));
  }

  find(id: Uint8Array): Peer | undefined {
    return this.#peers.get(mapKey(id))?.session.peer;
  }

  /** Calls the listener until the function it gives back is called. */
  onEvent(listener: (event: PeerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** True when peers that want to may have several connections. */
  get isMultichannel(): boolean {
    return this.#parts.ports().length > 1;
  }

  /** Both handshakes over a connection, `dialled` saying who was wanted and why. Rejects, closed, when they fail. */
  async greet(socket: Socket, dialled: Wanted | undefined): Promise<Greeted> {
    const { self, isTrusted } = this.#parts;
    let encrypted: Encrypted | undefined;
    try {
      encrypted = await encrypt(socket, self, dialled?.id);
      const { remoteId } = encrypted;
      const candidate = {
        remoteId,
        inbound: dialled === undefined,
        trusted: dialled?.kind === "typed" || isTrusted(remoteId),
        isStatic: dialled !== undefined && dialled.kind !== "dynamic",
      };
      this.#check(candidate);
      const hello = await exchangeHello(encrypted, ownHello(this.#parts), self);
      return { ...encrypted, candidate, hello };
    } catch (error) {
      if (encrypted === undefined) socket.destroy();
      else this.#refuse([encrypted], error);
      throw error;
    }
  }

  /**
   * A connection that came to one of our ports. A peer that opens several is admitted with the last; until then the
   * result is undefined. Rejects, closed, when it cannot be a peer.
   */
  async receive(socket: Socket, port: number): Promise<Admitted | undefined> {
    const greeted = await this.greet(socket, undefined);
    if (!this.isMultichannel || !greeted.hello.multichannel) return this.admit([greeted]);
    const at = { port, ports: this.#parts.ports().length };
    const all = this.#gathering.put(greeted.remoteId, greeted, at);
    return all && this.admit(all);
  }

  /** Makes a peer of its connections, in the order of ports. Throws, and closes them, when it cannot be one. */
  admit(all: readonly Greeted[]): Admitted {
    const [first] = all;
    if (first === undefined) throw new RangeError("a peer without a connection");
    try {
      const { candidate, hello, remoteId, remoteType } = first;
      const matched = matchProtocols(this.#parts.protocols, hello.capabilities);
      this.#check({ ...candidate, useful: matched.length > 0 });
      const watch = createWatch(bareHex(remoteId), this.#parts.metrics(), this.#listeners);
      const surroundings = { ...this.#parts, timings: this.#parts.self.timings, watch };
      const transports = all.map(({ transport }) => transport);
      return this.#add(openSession({ ...candidate, transports, remoteType, hello, matched }, surroundings));
    } catch (error) {
      this.#refuse(all, error);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    this.#gathering[Symbol.dispose]();
    const all = [...this.#peers.values()];
    for (const { session } of all) session.peer.disconnect("quitting");
    await Promise.all(all.map(({ gone }) => gone));
  }

  #refuse(all: readonly Encrypted[], error: unknown): void {
    const reason = error instanceof P2pError ? error.reason : undefined;
    const { disconnectMs } = this.#parts.self.timings;
    for (const { transport } of all) sayGoodbye(transport, { reason, form: "bare", timeoutMs: disconnectMs });
  }

  #check(candidate: Candidate): void {
    const { self, maxPeers, maxDynamic } = this.#parts;
    if (this.#closing) throw new P2pError("refused", "refused: shutting down", { reason: "quitting" });
    const reason = refusal(candidate, {
      ownId: self.nodeKey.id,
      peers: this.#peers.size,
      inboundPeers: this.list().filter((peer) => peer.inbound).length,
      maxPeers,
      maxDynamic,
      isPeer: (id) => this.find(id) !== undefined,
    });
    if (reason !== undefined) throw new P2pError("refused", `refused: ${reason}`, { reason });
  }

  #add(session: Session): Admitted {
    const { peer } = session;
    const gone = leaving(session).then((error) => this.#remove(peer, error));
    this.#peers.set(mapKey(peer.id), { session, gone });
    const { shortId, type, inbound, name } = peer;
    this.#parts.log.debug({ peer: shortId, type, inbound, name }, "peer added");
    this.#tell({ type: "add", peer: peer.idText });
    return { peer, gone };
  }

  #remove(peer: Peer, error: P2pError): void {
    this.#peers.delete(mapKey(peer.id));
    this.#parts.log.debug({ peer: peer.shortId, error: error.message }, "peer gone");
    this.#logOffence(peer, error);
    this.#parts.metrics().count(error);
    this.#tell({ type: "drop", peer: peer.idText, error: error.message });
    this.#parts.onGone(peer.id);
  }

  #tell(event: PeerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** The error that ended a session, once its protocols have returned too, or the grace is over. */
async function leaving(session: Session): Promise<P2pError> {
  const error = await session.ended;
  const over = new AbortController();
  await Promise.race([
    session.finished,
    pause(GRACE_MS, undefined, { signal: over.signal }).catch(() => undefined),
  ]);
  over.abort();
  return error;
}

/** A node with one port names none, as the Go node does. */
function ownHello({ name, protocols, self, ports }: PeerSetParts): Hello {
  const capabilities = protocols.map((protocol) => ({ name: protocol.name, version: protocol.version }));
  const multichannel = ports().length > 1;
  const listenPorts = multichannel ? ports() : [];
  return { version: 5, name, capabilities, listenPorts, id: self.nodeKey.id, multichannel };
}

function createWatch(
  peer: string,
  metrics: P2pMetrics,
  listeners: ReadonlySet<(event: PeerEvent) => void>,
): SessionWatch {
  return {
    traffic: (direction, bytes) =>
      (direction === "in" ? metrics.inboundBytes : metrics.outboundBytes).add(bytes),
    message(direction, protocol, { code, payload }) {
      if (listeners.size === 0) return;
      const type = direction === "in" ? "msgrecv" : "msgsend";
      for (const listener of listeners) listener({ type, peer, protocol, code, size: payload.length });
    },
    writeTimeout: () => metrics.writeTimeouts.add(1),
  };
}
