/** The peers of a node: runs handshakes and admission checks, starts sessions and emits peer events. */

import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Address, NodeId } from "../bytes/brands.ts";
import { bareHex, mapKey } from "../bytes/hex.ts";
import { createLineLimit } from "../observe/line-limit.ts";
import type { Log } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";
import type { FairTime } from "../runtime/fair-time.ts";
import { admissionRefusal, type Candidate, lacksSlot, ownerOfPeer, peerToDisplace } from "./admission.ts";
import type { Hello } from "./base-messages.ts";
import type { SessionLimits } from "./budget.ts";
import { matchProtocols } from "./capabilities.ts";
import type { TrafficObserver } from "./channel.ts";
import type { DialKind } from "./dialer.ts";
import { P2pError } from "./error.ts";
import { Gathering } from "./gathering.ts";
import { type EncryptedConnection, exchangeHello, exchangeKeys, type HandshakeDeps } from "./handshake.ts";
import type { P2pMetrics } from "./metrics.ts";
import type { PeerMemory } from "./peer-memory.ts";
import type { Peer, PeerEvent, Protocol } from "./protocol.ts";
import { openSession, type PeerSession } from "./session.ts";
import { closeTransport } from "./transport.ts";

/** Dependencies of the peer set. */
export interface PeerSetDeps {
  readonly self: HandshakeDeps;
  readonly name: string;
  readonly protocols: readonly Protocol[];
  /**
   * Listening ports; the first carries every lane without a port of its own. Several ports make the node
   * multichannel.
   */
  readonly ports: () => readonly number[];
  readonly maxPeers: number;
  /** Outbound slots reserved for dynamic dials. */
  readonly maxDynamic: number;
  readonly isTrusted: (id: NodeId) => boolean;
  /** Returns true for the node address of a validator, which never gives up its slot. */
  readonly isValidator: (address: Address) => boolean;
  readonly limits: SessionLimits;
  readonly memory: PeerMemory;
  readonly time: FairTime;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: () => P2pMetrics;
  /** Called when a peer has left the set. */
  readonly onGone: (id: NodeId) => void;
}

/** A dialled node and the reason for the dial. */
export interface DialTarget {
  readonly id: NodeId;
  readonly kind: DialKind;
}

/** A connection after both handshakes, before admission. */
export interface GreetedConnection extends EncryptedConnection {
  readonly candidate: Candidate;
  readonly hello: Hello;
}

/** A peer that was admitted. */
export interface AdmittedPeer {
  readonly peer: Peer;
  /** Resolves when the peer has left the set. */
  readonly closed: Promise<void>;
}

/**
 * Milliseconds after a disconnect during which protocols that are still running prevent their peer from
 * reconnecting.
 */
const GRACE_MS = 5000;

/** The peers by id. Disposing it disconnects all of them. */
export class PeerSet implements AsyncDisposable {
  readonly #deps: PeerSetDeps;
  readonly #peers = new Map<string, { readonly session: PeerSession; readonly closed: Promise<void> }>();
  readonly #gathering: Gathering<GreetedConnection>;
  readonly #listeners = new Set<(event: PeerEvent) => void>();
  readonly #logOffence: (peer: Peer, error: P2pError) => void;
  #closing = false;

  constructor(deps: PeerSetDeps) {
    this.#deps = deps;
    this.#logOffence = createOffenceLog(deps.log, deps.clock);
    this.#gathering = new Gathering({
      timeoutMs: deps.self.timings.handshakeMs,
      close: ({ transport }) => void transport.socket.destroy(),
    });
  }

  /** Returns all peers, sorted by id. */
  list(): Peer[] {
    const peers = [...this.#peers.values()].map(({ session }) => session.peer);
    return peers.sort((a, b) => Buffer.compare(a.id, b.id));
  }

  find(id: NodeId): Peer | undefined {
    return this.#peers.get(mapKey(id))?.session.peer;
  }

  /** Adds a listener for peer events. The returned function removes it. */
  onEvent(listener: (event: PeerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** True when this node accepts several connections of a peer. */
  get isMultichannel(): boolean {
    return this.#deps.ports().length > 1;
  }

  /**
   * Runs both handshakes; `dialled` is undefined for an inbound connection. Rejects and closes the connection
   * when they fail.
   */
  async handshake(socket: Socket, dialled: DialTarget | undefined): Promise<GreetedConnection> {
    const { self, isTrusted } = this.#deps;
    const { remoteAddress } = socket;
    let encrypted: EncryptedConnection | undefined;
    try {
      encrypted = await exchangeKeys(socket, self, dialled?.id);
      const { remoteId } = encrypted;
      const facts = {
        inbound: dialled === undefined,
        trusted: dialled?.kind === "typed" || isTrusted(remoteId),
        isStatic: dialled !== undefined && dialled.kind !== "dynamic",
      };
      const candidate = { ...facts, remoteId, owner: ownerOfPeer(remoteAddress, facts) };
      this.#checkAdmission(candidate);
      const hello = await exchangeHello(encrypted, ownHello(this.#deps), self);
      return { ...encrypted, candidate, hello };
    } catch (error) {
      if (encrypted === undefined) socket.destroy();
      else this.#refuse([encrypted], error);
      throw error;
    }
  }

  /**
   * Accepts a connection to one of the listening ports. A multichannel peer is admitted with its last
   * connection; until then the result is undefined. Rejects and closes the connection when the peer is
   * refused.
   */
  async receive(socket: Socket, port: number): Promise<AdmittedPeer | undefined> {
    const greeted = await this.handshake(socket, undefined);
    if (!this.isMultichannel || !greeted.hello.multichannel) return this.admit([greeted]);
    const at = { port, ports: this.#deps.ports().length };
    const all = this.#gathering.put(greeted.remoteId, greeted, at);
    return all && this.admit(all);
  }

  /** Admits a peer with its connections, in order of ports. Throws and closes them when it is refused. */
  admit(all: readonly GreetedConnection[]): AdmittedPeer {
    const [first] = all;
    if (first === undefined) throw new RangeError("a peer without a connection");
    try {
      const { candidate, hello, remoteId, remoteType } = first;
      const protocols = matchProtocols(this.#deps.protocols, hello.capabilities);
      const displaced = this.#checkAdmission({ ...candidate, useful: protocols.length > 0 });
      const observer = createTrafficObserver(bareHex(remoteId), this.#deps.metrics(), this.#listeners);
      const deps = { ...this.#deps, timings: this.#deps.self.timings, observer };
      const transports = all.map(({ transport }) => transport);
      const added = this.#add(openSession({ ...candidate, transports, remoteType, hello, protocols }, deps));
      displaced?.disconnect("too-many-peers");
      return added;
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
    await Promise.all(all.map(({ closed }) => closed));
  }

  #refuse(all: readonly EncryptedConnection[], error: unknown): void {
    const reason = error instanceof P2pError ? error.reason : undefined;
    const { disconnectMs } = this.#deps.self.timings;
    for (const { transport } of all)
      closeTransport(transport, { reason, form: "bare", timeoutMs: disconnectMs });
  }

  /** Throws when a candidate is refused. Returns the peer that gives up its slot for it, if one does. */
  #checkAdmission(candidate: Candidate): Peer | undefined {
    const { self, maxPeers, maxDynamic } = this.#deps;
    if (this.#closing) throw new P2pError("refused", "refused: shutting down", { reason: "quitting" });
    const slots = {
      peers: this.#peers.size,
      inboundPeers: this.list().filter((peer) => peer.inbound).length,
      maxPeers,
      maxDynamic,
    };
    const displaced =
      candidate.inbound && lacksSlot(candidate, slots)
        ? peerToDisplace(candidate.owner, this.#displaceable())
        : undefined;
    const reason = admissionRefusal(candidate, {
      ...slots,
      ownId: self.nodeKey.id,
      displaces: displaced !== undefined,
      isPeer: (id) => this.find(id) !== undefined,
    });
    if (reason !== undefined) throw new P2pError("refused", `refused: ${reason}`, { reason });
    return displaced;
  }

  /** Returns the inbound peers that neither the operator nor the council has chosen, oldest first. */
  #displaceable(): Peer[] {
    const { isValidator } = this.#deps;
    return [...this.#peers.values()]
      .map(({ session }) => session.peer)
      .filter(({ inbound, trusted, signal }) => inbound && !trusted && !signal.aborted)
      .filter(({ type, address }) => type !== "cn" || !isValidator(address));
  }

  #add(session: PeerSession): AdmittedPeer {
    const { peer } = session;
    const closed = waitForEnd(session).then((error) => this.#remove(peer, error));
    this.#peers.set(mapKey(peer.id), { session, closed });
    const { shortId, type, inbound, name } = peer;
    this.#deps.log.debug({ peer: shortId, type, inbound, name }, "peer added");
    this.#emit({ type: "add", peer: peer.idText });
    return { peer, closed };
  }

  #remove(peer: Peer, error: P2pError): void {
    this.#peers.delete(mapKey(peer.id));
    this.#deps.log.debug({ peer: peer.shortId, error: error.message }, "peer removed");
    this.#logOffence(peer, error);
    this.#deps.metrics().count(error);
    this.#emit({ type: "drop", peer: peer.idText, error: error.message });
    this.#deps.onGone(peer.id);
  }

  #emit(event: PeerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/**
 * Resolves with the error that ended a session, after its protocols have returned or the grace period is
 * over.
 */
async function waitForEnd(session: PeerSession): Promise<P2pError> {
  const error = await session.ended;
  const over = new AbortController();
  await Promise.race([
    session.finished,
    pause(GRACE_MS, undefined, { signal: over.signal }).catch(() => undefined),
  ]);
  over.abort();
  return error;
}

/** Returns the hello of this node. A node with one port lists none, as the Go node. */
function ownHello({ name, protocols, self, ports }: PeerSetDeps): Hello {
  const capabilities = protocols.map((protocol) => ({ name: protocol.name, version: protocol.version }));
  const multichannel = ports().length > 1;
  const listenPorts = multichannel ? ports() : [];
  return { version: 5, name, capabilities, listenPorts, id: self.nodeKey.id, multichannel };
}

function createTrafficObserver(
  peer: string,
  metrics: P2pMetrics,
  listeners: ReadonlySet<(event: PeerEvent) => void>,
): TrafficObserver {
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

/**
 * Creates a function that logs sessions which ended because the peer exceeded a limit, at most once in ten
 * seconds. The next line counts the suppressed ones.
 */
function createOffenceLog(log: Log, clock: Clock): (peer: Peer, error: P2pError) => void {
  const limited = createLineLimit(clock);
  return ({ shortId, type, inbound }, { code, message }) => {
    if (code !== "rate-exceeded" && code !== "memory-exceeded") return;
    limited((others) =>
      log.warn({ peer: shortId, type, inbound, reason: message, others }, "disconnected a peer"),
    );
  };
}
