/** Attack: subscribers of new heads that never read. */
import type { Attack } from "../attack.ts";
import { subscribeSilently } from "../subscribing.ts";

const flood = { connections: 300, subscriptions: 300, params: ["newHeads"] };

/** Subscribers of new heads that never read. */
export const attack: Attack = {
  summary: `${flood.connections} WebSocket connections with ${flood.subscriptions} newHeads each that never read`,
  run: (target, signal) => subscribeSilently(flood, target, signal),
};
