/**
 * One peer while it is connected, by one connection or several: reads messages, hands them to their protocols, writes
 * what is queued, pings.
 * Everything that waits has a budget: a protocol's full inbox stops reading, a full outbox refuses messages, a
 * peer above its rate is read more slowly, and one that neither sends nor takes anything is left.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";
import { BASE, BASE_LENGTH, decodeDisconnect, EMPTY_LIST, type Hello, MOST_BASE } from "./base-messages.ts";
import {
  type BudgetedQueue,
  createBudgetedQueue,
  createRate,
  type QueueBudget,
  type RateBudget,
} from "./budget.ts";
import type { Matched } from "./capabilities.ts";
import { P2pError } from "./error.ts";
import type { FrameContent } from "./frame.ts";
import { sayGoodbye } from "./goodbye.ts";
import type { NodeType } from "./node-type.ts";
import { MESSAGE_OVERHEAD, type Outbox, post } from "./outbox.ts";
import { createPeerFace } from "./peer-face.ts";
import type { Message, Peer, Protocol } from "./protocol.ts";
import { type DisconnectReason, reasonText } from "./reasons.ts";
import type { P2pTimings } from "./timings.ts";
import type { PackedMessage, Transport } from "./transport.ts";

/** What may wait for or come from one peer. */
export interface SessionLimits {
  /** Received, not yet taken by its protocol; when it is full nothing more is read. */
  readonly inbox: QueueBudget;
  /** To be sent; when it is full `send` refuses. */
  readonly outbox: QueueBudget;
  /** Bytes on the wire and messages received; above it reading pauses. */
  readonly bytes: RateBudget;
  readonly messages: RateBudget;
}

/** What a node uses. */
export const SESSION_LIMITS: SessionLimits = {
  inbox: { items: 256, bytes: 16 * 2 ** 20 },
  outbox: { items: 4096, bytes: 32 * 2 ** 20 },
  bytes: { perSecond: 64 * 2 ** 20, burst: 128 * 2 ** 20 },
  messages: { perSecond: 10_000, burst: 20_000 },
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
  readonly inboxes: readonly [BudgetedQueue<Message>, BudgetedQueue<Message>];
}

/** One connection of a session and what waits to be written to it. */
interface Wire {
  readonly transport: Transport;
  readonly outbox: Outbox;
}

/** Starts a session; its protocols run at once. */
export function openSession(connected: Connected, surroundings: SessionSurroundings): Session {
  const { limits, timings, watch, log } = surroundings;
  const wires = connected.transports.map((transport) => createWire(transport, limits));
  const channels = connected.matched.map((row): Channel => ({ ...row, inboxes: createInboxes(limits) }));
  const controller = new AbortController();
  const { signal } = controller;
  const ended = Promise.withResolvers<P2pError>();
  const pinger = setInterval(() => {
    for (const { outbox } of wires) postBase(outbox, BASE.ping);
  }, timings.pingMs);
  const end = (error: P2pError, tell: DisconnectReason | undefined): void => {
    if (signal.aborted) return;
    clearInterval(pinger);
    for (const wire of wires) closeWire(wire, tell, timings);
    // What a peer said before it left is still worth hearing, unless it is we who leave.
    for (const inbox of channels.flatMap(({ inboxes }) => inboxes))
      inbox.close(tell === undefined ? undefined : "drop");
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
  const face = createPeerFace({ connected, channels, outboxes, watch, leave, signal });
  const read = createReceiving({ connected, channels, surroundings, signal });
  for (const wire of wires) {
    void read(wire).catch(fail);
    void transmit(wire, surroundings).catch(fail);
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
  return { peer: face.peer, ended: ended.promise, finished: Promise.all(runs).then(() => undefined) };
}

function createWire(transport: Transport, { outbox }: SessionLimits): Wire {
  return { transport, outbox: createBudgetedQueue<FrameContent>(outbox) };
}

function closeWire(
  { transport, outbox }: Wire,
  reason: DisconnectReason | undefined,
  timings: P2pTimings,
): void {
  transport.reader.deadline(undefined);
  sayGoodbye(transport, { reason, form: "list", timeoutMs: timings.disconnectMs });
  outbox.close("drop");
}

function createInboxes({ inbox }: SessionLimits): Channel["inboxes"] {
  return [createBudgetedQueue<Message>(inbox), createBudgetedQueue<Message>(inbox)];
}

function postBase(outbox: Outbox, code: number): void {
  post(outbox, { code, payload: EMPTY_LIST });
}

function asP2pError(error: unknown): P2pError {
  if (error instanceof P2pError) return error;
  return new P2pError("closed", `a protocol failed: ${(error as Error).message}`, { cause: error });
}

interface Receiving {
  readonly connected: Connected;
  readonly channels: readonly Channel[];
  readonly surroundings: SessionSurroundings;
  readonly signal: AbortSignal;
}

/** Reads a connection until the session ends, no faster than protocols take and the rate of the whole peer allows. */
function createReceiving(parts: Receiving): (wire: Wire) => Promise<void> {
  const { limits, clock, timings, watch } = parts.surroundings;
  const byteRate = createRate(limits.bytes, clock);
  const messageRate = createRate(limits.messages, clock);
  const limit = Math.max(
    MOST_BASE,
    ...parts.connected.matched.map(({ protocol }) => longestPayload(protocol)),
  );
  const deliver = createDelivery(parts);
  const { signal } = parts;
  return async (wire) => {
    const { transport } = wire;
    while (!signal.aborted) {
      transport.reader.deadline(timings.readMs);
      const message = await transport.read(limit);
      transport.reader.deadline(undefined);
      watch.traffic("in", message.wireBytes);
      const waitMs = Math.max(byteRate(message.wireBytes), messageRate(1));
      await deliver(message, wire);
      if (waitMs >= 1) await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
  };
}

function longestPayload(protocol: Protocol): number {
  return Math.max(...Array.from({ length: protocol.length }, (_, code) => protocol.maxPayload(code)));
}

/** Takes a message to whom it belongs. */
function createDelivery({
  channels,
  surroundings: { watch },
}: Receiving): (message: PackedMessage, wire: Wire) => Promise<void> {
  return async (message, wire) => {
    if (message.code < BASE_LENGTH) return deliverBase(message, wire);
    const channel = channels.find(
      ({ offset, protocol }) => message.code >= offset && message.code < offset + protocol.length,
    );
    if (channel === undefined) throw new P2pError("bad-message", `message code ${message.code} is nobody's`);
    const { protocol, offset, inboxes } = channel;
    const code = message.code - offset;
    const payload = wire.transport.unpack(message, protocol.maxPayload(code));
    watch.message("in", protocol.name, { code, payload });
    await inboxes[protocol.lane?.(code) ?? 0].put({ code, payload }, payload.length + MESSAGE_OVERHEAD);
  };
}

function deliverBase(message: PackedMessage, { transport, outbox }: Wire): void {
  if (message.payload.length > MOST_BASE)
    throw new P2pError("too-large", `base message of ${message.payload.length} bytes`, {
      reason: "protocol-error",
    });
  if (message.code === BASE.ping) postBase(outbox, BASE.pong);
  if (message.code !== BASE.disconnect) return;
  const { code } = decodeDisconnect(transport.unpack(message, MOST_BASE));
  throw new P2pError("disconnected", `the peer said: ${reasonText(code)}`);
}

/** Writes what is queued, in order; a peer that takes nothing within the time is left. */
async function transmit({ outbox, transport }: Wire, { timings, watch }: SessionSurroundings): Promise<void> {
  for (;;) {
    const message = await outbox.take();
    if (message === undefined || !transport.socket.writable) return;
    watch.traffic("out", transport.write(message));
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
