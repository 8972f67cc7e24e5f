/**
 * Reads the connections of a session: comes in frames, goes out messages in the inboxes of their protocols, answers to
 * pings. A peer is read no faster than its protocols take, than its rates and than the share of time that all peers
 * have; one that floods with messages of the base protocol is left.
 */
import { setTimeout as pause } from "node:timers/promises";
import { BASE, BASE_LENGTH, decodeDisconnect, EMPTY_LIST, MOST_BASE } from "./base-messages.ts";
import { createRate } from "./budget.ts";
import { P2pError } from "./error.ts";
import type { Outbox } from "./outbox.ts";
import type { MemoryShare } from "./peer-memory.ts";
import type { TimeShare } from "./peer-time.ts";
import type { Protocol } from "./protocol.ts";
import { reasonText } from "./reasons.ts";
import type { Channel, SessionSurroundings } from "./session.ts";
import type { PackedMessage, Transport } from "./transport.ts";

/** One connection of a session and what waits to be written to it. */
export interface Wire {
  readonly transport: Transport;
  readonly outbox: Outbox;
}

/** What reading needs. */
export interface ReceivingOptions {
  readonly channels: readonly Channel[];
  readonly surroundings: Pick<SessionSurroundings, "limits" | "clock" | "timings" | "watch">;
  readonly time: TimeShare;
  readonly memory: MemoryShare;
  readonly signal: AbortSignal;
}

/** A function that reads one connection until the session ends. Rejects with `P2pError` when the peer is to be left. */
export function createReceiving(options: ReceivingOptions): (wire: Wire) => Promise<void> {
  const { signal, time, memory, channels } = options;
  const { limits, clock, timings, watch } = options.surroundings;
  const byteRate = createRate(limits.bytes, clock);
  const messageRate = createRate(limits.messages, clock);
  const limit = Math.max(MOST_BASE, ...channels.map(({ protocol }) => maxPayload(protocol)));
  const deliver = createDelivery(options);
  return async (wire) => {
    const { transport } = wire;
    const takeBase = createBaseHandler(wire, options);
    let bodyBytes = 0;
    const onBody = (bytes: number): void => {
      memory.add(bytes - bodyBytes);
      bodyBytes = bytes;
    };
    while (!signal.aborted) {
      transport.reader.deadline(timings.readMs);
      const message = await transport.read(limit, { time, onBody });
      transport.reader.deadline(undefined);
      watch.traffic("in", message.wireBytes);
      const waitMs = Math.max(byteRate(message.wireBytes), messageRate(1));
      if (message.code < BASE_LENGTH) await time.run(() => takeBase(message));
      else await deliver(message, transport, () => onBody(0));
      onBody(0);
      if (waitMs >= 1) await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
  };
}

function maxPayload(protocol: Protocol): number {
  return Math.max(...Array.from({ length: protocol.length }, (_, code) => protocol.maxPayload(code)));
}

/** Takes a message to the protocol that it belongs to; `onUnpacked` is called when the frame is not needed any more. */
function createDelivery({
  channels,
  time,
  surroundings: { watch },
}: ReceivingOptions): (
  message: PackedMessage,
  transport: Transport,
  onUnpacked: () => void,
) => Promise<void> {
  return async (message, transport, onUnpacked) => {
    const channel = channels.find(
      ({ offset, protocol }) => message.code >= offset && message.code < offset + protocol.length,
    );
    if (channel === undefined) throw new P2pError("bad-message", `message code ${message.code} is nobody's`);
    const { protocol, offset, inboxes } = channel;
    const code = message.code - offset;
    const payload = await time.run(() => transport.unpack(message, protocol.maxPayload(code)));
    onUnpacked();
    watch.message("in", protocol.name, { code, payload });
    await inboxes[protocol.lane?.(code) ?? 0].put({ code, payload });
  };
}

/** Answers pings, hears disconnects, ignores the rest; throws when there are more than any node has to send. */
function createBaseHandler(
  { transport, outbox }: Wire,
  { surroundings: { limits, clock } }: ReceivingOptions,
): (message: PackedMessage) => void {
  const rate = createRate(limits.base, clock);
  return (message) => {
    if (message.payload.length > MOST_BASE)
      throw new P2pError("too-large", `base message of ${message.payload.length} bytes`, {
        reason: "protocol-error",
      });
    if (message.code === BASE.disconnect) {
      const { code } = decodeDisconnect(transport.unpack(message, MOST_BASE));
      throw new P2pError("disconnected", `the peer said: ${reasonText(code)}`);
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
