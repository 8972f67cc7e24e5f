/** Attack: HTTP bodies in chunks of one byte that never end. */
import type { Attack } from "../attack.ts";
import { type AttackSocket, keepConnections, tallyFigures } from "../connections.ts";

const CONNECTIONS = 32;
/** Of one byte each: just below the limit of a body, so that the request is never whole. */
const CHUNKS = 520_000;
const CHUNKS_A_WRITE = 10_000;

const HEAD =
  "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";

/** Chunked bodies of one byte a chunk that never end. */
export const attack: Attack = {
  summary: `${CONNECTIONS} HTTP bodies of ${CHUNKS} chunks of one byte, never ended`,
  run: async ({ httpPort: port }, signal) => {
    const chunks = Buffer.from("1\r\n \r\n".repeat(CHUNKS_A_WRITE));
    const use = async ({ write }: AttackSocket) => {
      await write(HEAD);
      for (let sent = 0; sent < CHUNKS; sent += CHUNKS_A_WRITE) await write(chunks);
    };
    return tallyFigures(await keepConnections({ port, count: CONNECTIONS, signal, use }));
  },
};
