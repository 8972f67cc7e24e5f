/**
 * One peer while it is connected, by one connection or several: reads messages, hands them to their protocols, writes
 * what is queued, pings.
 * Everything that waits has a budget: a protocol's full inbox stops reading, a full outbox refuses messages, a
 * peer above its rate is read more slowly, and one that neither sends nor takes anything is left. Memory and time are
 * shared with all other sessions.
 */

import type { Log } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";
import { BASE, EMPTY_LIST, type Hello } from "./base-messages.ts";
import type { QueueBudget, RateBudget } from "./budget.ts";
import type { Matched } from "./capabilities.ts";
import { P2pError } from "./error.ts";
import { sayGoodbye } from "./goodbye.ts";
import { Inbox } from "./inbox.ts";
import type { NodeType } from "./node-type.ts";
import { Outbox } from "./outbox.ts";
import { createPeerFace } from "./peer-face.ts";
import type { MemoryShare, PeerMemory } from "./peer-memory.ts";
import type { PeerTime, TimeShare } from "./peer-time.ts";
import type { Message, Peer, Protocol } from "./protocol.ts";
import type { DisconnectReason } from "./reasons.ts";
import { createReceiving, type Wire } from "./receiving.ts";
import type { P2pTimings } from "./timings.ts";
import type { Transport } from "./transport.ts";

/** What may wait for or come from one peer. */
export interface SessionLimits {
  /** Received, not yet taken by its protocol; when it is full nothing more is read. */
  readonly inbox: QueueBudget;
  /** To be sent; when it is full `send` refuses. */
  readonly outbox: QueueBudget;
  /** Bytes on the wire and messages received; above it reading pauses. */
  readonly bytes: RateBudget;
  readonly messages: RateBudget;
  /** Base messages on one connection; a peer above it is left. */
  readonly base: RateBudget;
}

/** What a node uses. */
export const SESSION_LIMITS: SessionLimits = {
  inbox: { items: 256, bytes: 16 * 2 ** 20 },
  outbox: { items: 4096, bytes: 32 * 2 ** 20 },
  bytes: { perSecond: 64 * 2 ** 20, burst: 128 * 2 ** 20 },
  messages: { perSecond: 10_000, burst: 20_000 },
  // A Go node sends a ping every 15 seconds and a pong for each of ours (kaia/networks/p2p/peer.go@v2.2.1).
  base: { perSecond: 2, burst: 60 },
};

/** The connections of a peer that was admitted. */
export interface Connected {
  /** By their order among the ports: the first takes everything that has no other. */
  readonly transports: readonly Transport[];
  readonly remoteId: Uint8Array;
  readonly remoteType: NodeType;
  readonly hello: Hello;
  readonly inbound: boolean;
  readonly trusted: boolean;
  readonly isStatic: boolean;
  readonly matched: readonly Matched<Protocol>[];
}

/** What a session is given from outside. */
export interface SessionSurroundings {
  readonly limits: SessionLimits;
  readonly timings: P2pTimings;
  /** Shared by all sessions. */
  readonly memory: PeerMemory;
  readonly time: PeerTime;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every message of a protocol and of all bytes. */
  readonly watch: SessionWatch;
}

/** What others learn of a session's traffic. */
export interface SessionWatch {
  traffic(direction: "in" | "out", bytes: number): void;
  message(direction: "in" | "out", protocol: string, message: Message): void;
  writeTimeout(): void;
}

/** A running session. */
export interface Session {
  readonly peer: Peer;
  /** Resolves when the connection is left, with the error that ended it. */
  readonly ended: Promise<P2pError>;
  /** Resolves when all protocols have returned as well. */
  readonly finished: Promise<void>;
}

/** One protocol's part of a session. */
export interface Channel extends Matched<Protocol> {
  /** By lane. */
  readonly inboxes: readonly [Inbox, Inbox];
}

/** Starts a session; its protocols run at once. */
export function openSession(connected: Connected, surroundings: SessionSurroundings): Session {
  const { timings, watch, log } = surroundings;
  const memory = surroundings.memory.open(() => end(memoryExceeded(), undefined, "drop"));
  const time = surroundings.time.open();
  const limits = queueLimits(surroundings);
  const wires = connected.transports.map((transport) => ({
    transport,
    outbox: new Outbox(limits.outbox, memory),
  }));
  const channels = connected.matched.map(
    (row): Channel => ({ ...row, inboxes: createInboxes(limits, memory) }),
  );
  const controller = new AbortController();
  const { signal } = controller;
  const ended = Promise.withResolvers<P2pError>();
  const pinger = setInterval(() => {
    for (const { outbox } of wires) outbox.post({ code: BASE.ping, payload: EMPTY_LIST });
  }, timings.pingMs);
  // What a peer said before it left is still worth hearing, unless it is we who leave.
  const end = (
    error: P2pError,
    tell: DisconnectReason | undefined,
    how = tell && ("drop" as const),
  ): void => {
    if (signal.aborted) return;
    clearInterval(pinger);
    for (const wire of wires) closeWire(wire, tell, timings);
    for (const inbox of channels.flatMap(({ inboxes }) => inboxes)) inbox.close(how);
    controller.abort(error);
    ended.resolve(error);
  };
  const leave = (reason: DisconnectReason): void =>
    end(new P2pError("disconnected", `we disconnected: ${reason}`), reason);
  const fail = (error: unknown): void => {
    const found = asP2pError(error);
    end(found, found.reason);
  };
  const outboxes = wires.map(({ outbox }) => outbox);
  const face = createPeerFace({ connected, channels, outboxes, time, watch, leave, signal });
  const read = createReceiving({ channels, surroundings, time, memory, signal });
  for (const wire of wires) {
    void read(wire).catch(fail);
    void transmit(wire, time, surroundings).catch(fail);
  }
  const runs = channels.map(async (channel) => {
    try {
      await channel.protocol.run(face.protocolPeer(channel));
      leave("quitting");
    } catch (error) {
      if (!signal.aborted) log.debug({ peer: face.peer.shortId, error }, "protocol gave up on a peer");
      end(asP2pError(error), (error instanceof P2pError && error.reason) || "subprotocol-error");
    }
  });
  const finished = Promise.all(runs).then(() => memory.close());
  return { peer: face.peer, ended: ended.promise, finished };
}

function memoryExceeded(): P2pError {
  return new P2pError("memory-exceeded", "the peer held most of the memory for messages that wait");
}

/** The limits of one session's queues within the memory of all. */
function queueLimits({ limits, memory }: SessionSurroundings): Pick<SessionLimits, "inbox" | "outbox"> {
  const inboxBytes = Math.min(limits.inbox.bytes, memory.max / 16);
  return {
    outbox: { items: limits.outbox.items, bytes: Math.min(limits.outbox.bytes, memory.max / 2) },
    inbox: {
      items: limits.inbox.items,
      get bytes() {
        return memory.isTight ? 0 : inboxBytes;
      },
    },
  };
}

function closeWire(
  { transport, outbox }: Wire,
  reason: DisconnectReason | undefined,
  timings: P2pTimings,
): void {
  transport.reader.deadline(undefined);
  sayGoodbye(transport, { reason, form: "list", timeoutMs: timings.disconnectMs });
  outbox.close();
}

function createInboxes({ inbox }: Pick<SessionLimits, "inbox">, memory: MemoryShare): Channel["inboxes"] {
  return [new Inbox(inbox, memory), new Inbox(inbox, memory)];
}

function asP2pError(error: unknown): P2pError {
  if (error instanceof P2pError) return error;
  return new P2pError("closed", `a protocol failed: ${(error as Error).message}`, { cause: error });
}

/** Writes what is queued, in order; a peer that takes nothing within the time is left. */
async function transmit(
  { outbox, transport }: Wire,
  time: TimeShare,
  { timings, watch }: SessionSurroundings,
): Promise<void> {
  for (;;) {
    const message = await outbox.take();
    if (message === undefined) return;
    const bytes = await time.run(() => (transport.socket.writable ? transport.write(message) : 0));
    if (bytes === 0) return;
    outbox.wrote(bytes);
    watch.traffic("out", bytes);
    if (!transport.socket.writableNeedDrain) continue;
    if (await drained(transport, timings.writeMs)) continue;
    watch.writeTimeout();
    throw new P2pError("timeout", `nothing was taken for ${timings.writeMs} ms`);
  }
}

/** True when the socket takes more or is closed, false after the time. */
function drained({ socket }: Transport, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (value: boolean) => () => {
      clearTimeout(timer);
      socket.off("drain", onDrain);
      socket.off("close", onDrain);
      resolve(value);
    };
    const onDrain = finish(true);
    const timer = setTimeout(finish(false), timeoutMs);
    socket.once("drain", onDrain);
    socket.once("close", onDrain);
  });
}
