/**
 * One peer while it is connected: reads messages, hands them to their protocols, writes what is queued, pings.
 * Everything that waits has a budget: a protocol's full inbox stops reading, a full outbox refuses messages, a
 * peer above its rate is read more slowly, and one that neither sends nor takes anything is left.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../observe/clock.ts";
import type { Log } from "../observe/log.ts";
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

/** A connection that was admitted. */
export interface Connected {
  readonly transport: Transport;
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
  readonly inbox: BudgetedQueue<Message>;
}

const MESSAGE_OVERHEAD = 64;

/** Starts a session; its protocols run at once. */
export function openSession(connected: Connected, surroundings: SessionSurroundings): Session {
  const { transport, matched } = connected;
  const { limits, timings, watch, log } = surroundings;
  const outbox = createBudgetedQueue<FrameContent>(limits.outbox);
  const channels: readonly Channel[] = matched.map((row) => ({
    ...row,
    inbox: createBudgetedQueue<Message>(limits.inbox),
  }));
  const controller = new AbortController();
  const ended = Promise.withResolvers<P2pError>();
  const post = (code: number, payload: Uint8Array): boolean =>
    outbox.offer({ code, payload }, payload.length + MESSAGE_OVERHEAD);
  const pinger = setInterval(() => post(BASE.ping, EMPTY_LIST), timings.pingMs);
  const end = (error: P2pError, tell: DisconnectReason | undefined): void => {
    if (controller.signal.aborted) return;
    clearInterval(pinger);
    transport.reader.deadline(undefined);
    sayGoodbye(transport, { reason: tell, form: "list", timeoutMs: timings.disconnectMs });
    // What a peer said before it left is still worth hearing, unless it is we who leave.
    for (const { inbox } of channels) inbox.close(tell === undefined ? undefined : "drop");
    outbox.close("drop");
    controller.abort(error);
    ended.resolve(error);
  };
  const leave = (reason: DisconnectReason): void =>
    end(new P2pError("disconnected", `we disconnected: ${reason}`), reason);
  const fail = (error: unknown): void => {
    const found = asP2pError(error);
    end(found, found.reason);
  };
  const face = createPeerFace({ connected, channels, outbox, post, watch, leave, signal: controller.signal });
  const deliver = createDelivery({ transport, channels, watch, post });
  void receive({ connected, surroundings, deliver, signal: controller.signal }).catch(fail);
  void transmit(outbox, transport, surroundings).catch(fail);
  const runs = channels.map(async (channel) => {
    try {
      await channel.protocol.run(face.protocolPeer(channel));
      leave("quitting");
    } catch (error) {
      if (!controller.signal.aborted)
        log.debug({ peer: face.peer.shortId, error }, "protocol gave up on a peer");
      end(asP2pError(error), (error instanceof P2pError && error.reason) || "subprotocol-error");
    }
  });
  return { peer: face.peer, ended: ended.promise, finished: Promise.all(runs).then(() => undefined) };
}

function asP2pError(error: unknown): P2pError {
  if (error instanceof P2pError) return error;
  return new P2pError("closed", `a protocol failed: ${(error as Error).message}`, { cause: error });
}

interface Receiving {
  readonly connected: Connected;
  readonly surroundings: SessionSurroundings;
  readonly deliver: (message: PackedMessage) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Reads until the session ends, no faster than its protocols take and its rate allows. */
async function receive({ connected, surroundings, deliver, signal }: Receiving): Promise<void> {
  const { transport, matched } = connected;
  const { limits, clock, timings, watch } = surroundings;
  const byteRate = createRate(limits.bytes, clock);
  const messageRate = createRate(limits.messages, clock);
  const limit = Math.max(MOST_BASE, ...matched.map(({ protocol }) => longestPayload(protocol)));
  while (!signal.aborted) {
    transport.reader.deadline(timings.readMs);
    const message = await transport.read(limit);
    transport.reader.deadline(undefined);
    watch.traffic("in", message.wireBytes);
    const waitMs = Math.max(byteRate(message.wireBytes), messageRate(1));
    await deliver(message);
    if (waitMs >= 1) await pause(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

function longestPayload(protocol: Protocol): number {
  return Math.max(...Array.from({ length: protocol.length }, (_, code) => protocol.maxPayload(code)));
}

interface Delivery {
  readonly transport: Transport;
  readonly channels: readonly Channel[];
  readonly watch: SessionWatch;
  readonly post: (code: number, payload: Uint8Array) => boolean;
}

/** Takes a message to whom it belongs. */
function createDelivery({
  transport,
  channels,
  watch,
  post,
}: Delivery): (message: PackedMessage) => Promise<void> {
  const deliverBase = (message: PackedMessage): void => {
    if (message.payload.length > MOST_BASE)
      throw new P2pError("too-large", `base message of ${message.payload.length} bytes`, {
        reason: "protocol-error",
      });
    if (message.code === BASE.ping) post(BASE.pong, EMPTY_LIST);
    if (message.code !== BASE.disconnect) return;
    const { code } = decodeDisconnect(transport.unpack(message, MOST_BASE));
    throw new P2pError("disconnected", `the peer said: ${reasonText(code)}`);
  };
  return async (message) => {
    if (message.code < BASE_LENGTH) return deliverBase(message);
    const channel = channels.find(
      ({ offset, protocol }) => message.code >= offset && message.code < offset + protocol.length,
    );
    if (channel === undefined) throw new P2pError("bad-message", `message code ${message.code} is nobody's`);
    const code = message.code - channel.offset;
    const payload = transport.unpack(message, channel.protocol.maxPayload(code));
    watch.message("in", channel.protocol.name, { code, payload });
    await channel.inbox.put({ code, payload }, payload.length + MESSAGE_OVERHEAD);
  };
}

/** Writes what is queued, in order; a peer that takes nothing within the time is left. */
async function transmit(
  outbox: BudgetedQueue<FrameContent>,
  transport: Transport,
  { timings, watch }: SessionSurroundings,
): Promise<void> {
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
