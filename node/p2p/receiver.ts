/**
 * Receiving side of a session. Comes in: frames of its connections. Goes out: messages in the inboxes of
 * their protocols, and pongs. A peer is read no faster than its protocols, its rates and its time share
 * allow. One that floods base messages is disconnected.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../runtime/clock.ts";
import { runStepsOf, type TimeShare } from "../runtime/fair-time.ts";
import { BASE, BASE_LENGTH, decodeDisconnect, EMPTY_LIST, MAX_BASE_BYTES } from "./base-messages.ts";
import { createRate, type SessionLimits } from "./budget.ts";
import type { Channel, TrafficObserver } from "./channel.ts";
import { reasonText } from "./disconnect-reasons.ts";
import { P2pError } from "./error.ts";
import type { PeerOutbox } from "./outbox.ts";
import type { MemoryShare } from "./peer-memory.ts";
import type { Protocol } from "./protocol.ts";
import type { P2pTimings } from "./timings.ts";
import type { PackedMessage, RlpxTransport } from "./transport.ts";

/** One connection of a session and its send queue. */
export interface SessionConnection {
  readonly transport: RlpxTransport;
  readonly outbox: PeerOutbox;
}

/** Dependencies of a receiver. */
export interface ReceiverDeps {
  readonly channels: readonly Channel[];
  readonly limits: Pick<SessionLimits, "bytes" | "messages" | "base">;
  readonly timings: Pick<P2pTimings, "readMs">;
  readonly clock: Clock;
  readonly observer: TrafficObserver;
  readonly time: TimeShare;
  readonly memory: MemoryShare;
  readonly signal: AbortSignal;
}

/**
 * Creates a function that reads one connection until the session ends. It rejects with `P2pError` when the
 * peer must be disconnected.
 */
export function createReceiver(deps: ReceiverDeps): (wire: SessionConnection) => Promise<void> {
  const { signal, time, memory, channels, limits, clock, timings, observer } = deps;
  const byteRate = createRate(limits.bytes, clock);
  const messageRate = createRate(limits.messages, clock);
  const limit = Math.max(MAX_BASE_BYTES, ...channels.map(({ protocol }) => maxPayload(protocol)));
  const deliver = createDelivery(deps);
  return async (wire) => {
    const { transport } = wire;
    const handleBase = createBaseHandler(wire, deps);
    let bodyBytes = 0;
    const onBody = (bytes: number): void => {
      memory.add(bytes - bodyBytes);
      bodyBytes = bytes;
    };
    while (!signal.aborted) {
      transport.reader.deadline(timings.readMs);
      const message = await transport.read(limit, { time, onBody });
      transport.reader.deadline(undefined);
      observer.traffic("in", message.wireBytes);
      const waitMs = Math.max(byteRate(message.wireBytes), messageRate(1));
      if (message.code < BASE_LENGTH) await time.run(() => handleBase(message));
      else await deliver(message, transport, () => onBody(0));
      onBody(0);
      if (waitMs >= 1) await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
  };
}

function maxPayload(protocol: Protocol): number {
  return Math.max(...Array.from({ length: protocol.length }, (_, code) => protocol.maxPayload(code)));
}

/** Delivers a message to its protocol. `onUnpacked` is called when the frame is no longer needed. */
function createDelivery({
  channels,
  time,
  observer,
}: ReceiverDeps): (
  message: PackedMessage,
  transport: RlpxTransport,
  onUnpacked: () => void,
) => Promise<void> {
  return async (message, transport, onUnpacked) => {
    const channel = channels.find(
      ({ offset, protocol }) => message.code >= offset && message.code < offset + protocol.length,
    );
    if (channel === undefined)
      throw new P2pError("bad-message", `message code ${message.code} belongs to no protocol`);
    const { protocol, offset, inboxes } = channel;
    const code = message.code - offset;
    const payload = await runStepsOf(time, transport.unpackSteps(message, protocol.maxPayload(code)));
    onUnpacked();
    observer.message("in", protocol.name, { code, payload });
    await inboxes[protocol.lane?.(code) ?? 0].put({ code, payload });
  };
}

/** Handles base messages: answers pings and throws on a disconnect or above the rate. */
function createBaseHandler(
  { transport, outbox }: SessionConnection,
  { limits, clock }: ReceiverDeps,
): (message: PackedMessage) => void {
  const rate = createRate(limits.base, clock);
  return (message) => {
    if (message.payload.length > MAX_BASE_BYTES)
      throw new P2pError("too-large", `base message of ${message.payload.length} bytes`, {
        reason: "protocol-error",
      });
    if (message.code === BASE.disconnect) {
      const { code } = decodeDisconnect(transport.unpack(message, MAX_BASE_BYTES));
      throw new P2pError("disconnected", `disconnected by the peer: ${reasonText(code)}`);
    }
    if (rate(1) > 0)
      throw new P2pError(
        "rate-exceeded",
        `more than ${limits.base.burst} base messages, and ${limits.base.perSecond} a second`,
        { reason: "protocol-error" },
      );
    if (message.code === BASE.ping) outbox.post({ code: BASE.pong, payload: EMPTY_LIST });
  };
}
