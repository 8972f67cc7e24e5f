/** Attack: HTTP bodies in TCP segments of one byte. */
import { setImmediate } from "node:timers/promises";
import type { Attack } from "../attack.ts";
import { type AttackSocket, keepConnections, tallyFigures } from "../connections.ts";

const CONNECTIONS = 200;
const BODY = 500_000;

const HEAD = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${BODY}\r\n\r\n`;

/** Plain requests whose bodies come one byte a TCP segment. */
export const attack: Attack = {
  summary: `${CONNECTIONS} HTTP bodies of ${BODY} bytes, one byte a segment`,
  run: async ({ httpPort: port }, signal) => {
    const byte = Buffer.from(" ");
    const use = async ({ write }: AttackSocket) => {
      await write(HEAD);
      for (let sent = 0; sent < BODY - 1 && !signal.aborted; sent++) {
        await write(byte);
        await setImmediate(); // every other connection sends one in between
      }
    };
    return tallyFigures(await keepConnections({ port, count: CONNECTIONS, signal, use }));
  },
};
