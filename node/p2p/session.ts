/**
 * A peer during its connection, over one or several sockets: receives messages and hands them to their
 * protocols, sends queued messages, pings. Every queue has a budget: a full inbox stops reading, a full
 * outbox refuses messages, a peer above its rate is read more slowly, and one that neither sends nor accepts
 * anything is disconnected. Memory and time are shared with all other sessions.
 */
import type { Log } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";
import { type FairTime, runStepsOf, type TimeShare } from "../runtime/fair-time.ts";
import { BASE, EMPTY_LIST } from "./base-messages.ts";
import type { SessionLimits } from "./budget.ts";
import { type Channel, createInboxes, type TrafficObserver } from "./channel.ts";
import type { DisconnectReason } from "./disconnect-reasons.ts";
import { P2pError } from "./error.ts";
import { PeerOutbox } from "./outbox.ts";
import { type ConnectedPeer, createPeerHandles } from "./peer-handles.ts";
import type { PeerMemory } from "./peer-memory.ts";
import type { Peer } from "./protocol.ts";
import { createReceiver, type SessionConnection } from "./receiver.ts";
import type { P2pTimings } from "./timings.ts";
import { closeTransport, type RlpxTransport } from "./transport.ts";

/** Dependencies of a session. */
export interface SessionDeps {
  readonly limits: SessionLimits;
  readonly timings: P2pTimings;
  /** Budgets shared by all sessions. */
  readonly memory: PeerMemory;
  readonly time: FairTime;
  readonly clock: Clock;
  readonly log: Log;
  /** Observes the traffic of the session. */
  readonly observer: TrafficObserver;
}

/** A running session. */
export interface PeerSession {
  readonly peer: Peer;
  /** Resolves with the error that ended the session. */
  readonly ended: Promise<P2pError>;
  /** Resolves when all protocols have returned as well. */
  readonly finished: Promise<void>;
}

/** Starts a session; its protocols run at once. */
export function openSession(connected: ConnectedPeer, deps: SessionDeps): PeerSession {
  const { timings, limits, clock, observer, log } = deps;
  const { owner } = connected;
  const memory = deps.memory.open(() => end(memoryExceeded(), undefined, "drop"), owner);
  const time = deps.time.open(owner);
  const queues = queueLimits(deps);
  const wires = connected.transports.map((transport) => ({
    transport,
    outbox: new PeerOutbox(queues.outbox, memory),
  }));
  const channels = connected.protocols.map(
    (row): Channel => ({ ...row, inboxes: createInboxes(queues, memory) }),
  );
  const controller = new AbortController();
  const { signal } = controller;
  const ended = Promise.withResolvers<P2pError>();
  const pinger = setInterval(() => {
    for (const { outbox } of wires) outbox.post({ code: BASE.ping, payload: EMPTY_LIST });
  }, timings.pingMs);
  // Messages that arrived before the peer left are still handled, unless this node ends the session.
  const end = (
    error: P2pError,
    reason: DisconnectReason | undefined,
    how = reason && ("drop" as const),
  ): void => {
    if (signal.aborted) return;
    clearInterval(pinger);
    for (const wire of wires) closeWire(wire, reason, timings);
    for (const inbox of channels.flatMap(({ inboxes }) => inboxes)) inbox.close(how);
    controller.abort(error);
    ended.resolve(error);
  };
  const leave = (reason: DisconnectReason): void =>
    end(new P2pError("disconnected", `disconnected by this node: ${reason}`), reason);
  const fail = (error: unknown): void => {
    const found = asP2pError(error);
    end(found, found.reason);
  };
  const outboxes = wires.map(({ outbox }) => outbox);
  const handles = createPeerHandles({ connected, channels, outboxes, time, observer, leave, signal });
  const read = createReceiver({ channels, limits, clock, timings, observer, time, memory, signal });
  for (const wire of wires) {
    void read(wire).catch(fail);
    void transmit(wire, time, deps).catch(fail);
  }
  const runs = channels.map(async (channel) => {
    try {
      await channel.protocol.run(handles.protocolPeer(channel));
      leave("quitting");
    } catch (error) {
      if (!signal.aborted)
        log.debug({ peer: handles.peer.shortId, error }, "protocol ended a session with an error");
      end(asP2pError(error), (error instanceof P2pError && error.reason) || "subprotocol-error");
    }
  });
  const finished = Promise.all(runs).then(() => memory.close());
  return { peer: handles.peer, ended: ended.promise, finished };
}

function memoryExceeded(): P2pError {
  return new P2pError("memory-exceeded", "the peer held most of the memory for waiting messages");
}

/** Returns the queue limits of one session within the shared memory budget. */
function queueLimits({ limits, memory }: SessionDeps): Pick<SessionLimits, "inbox" | "outbox"> {
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
  { transport, outbox }: SessionConnection,
  reason: DisconnectReason | undefined,
  timings: P2pTimings,
): void {
  transport.reader.deadline(undefined);
  closeTransport(transport, { reason, form: "list", timeoutMs: timings.disconnectMs });
  outbox.close();
}

function asP2pError(error: unknown): P2pError {
  if (error instanceof P2pError) return error;
  return new P2pError("closed", `protocol failed: ${(error as Error).message}`, { cause: error });
}

/** Sends queued messages in order. Rejects when the peer accepts nothing within the timeout. */
async function transmit(
  { outbox, transport }: SessionConnection,
  time: TimeShare,
  { timings, observer }: SessionDeps,
): Promise<void> {
  for (;;) {
    const message = await outbox.take();
    if (message === undefined) return;
    const packing = transport.packSteps(message);
    if (packing !== undefined) await runStepsOf(time, packing);
    const bytes = await time.run(() => (transport.socket.writable ? transport.write(message) : 0));
    if (bytes === 0) return;
    outbox.countWriting(bytes);
    observer.traffic("out", bytes);
    if (!transport.socket.writableNeedDrain) continue;
    if (await waitForDrain(transport, timings.writeMs)) continue;
    observer.writeTimeout();
    throw new P2pError("timeout", `the peer accepted nothing for ${timings.writeMs} ms`);
  }
}

/** Resolves with true when the socket drains or closes, with false after the timeout. */
function waitForDrain({ socket }: RlpxTransport, timeoutMs: number): Promise<boolean> {
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
