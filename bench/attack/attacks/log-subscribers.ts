/** Attack: subscribers of logs that never read. */
import type { Attack } from "../attack.ts";
import { subscribeSilently } from "../subscribing.ts";

const TOPICS = 100;

const topic = (number: number): string => `0x${number.toString(16).padStart(64, "0")}`;
const topics = [0, 1, 2, 3].map((place) =>
  Array.from({ length: TOPICS }, (_, i) => topic(place * TOPICS + i)),
);
const flood = { connections: 300, subscriptions: 300, params: ["logs", { topics }] };

/** Subscribers of logs with long filters that never read. */
export const attack: Attack = {
  summary: `${flood.connections} WebSocket connections with ${flood.subscriptions} logs each, of ${4 * TOPICS} topics, that never read`,
  run: (target, signal) => subscribeSilently(flood, target, signal),
};
