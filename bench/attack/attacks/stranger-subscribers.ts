/** Attack: a hundred subscribers of every kind that never read. */
import type { Attack } from "../attack.ts";
import { subscribeSilently } from "../subscribing.ts";

const CONNECTIONS = 100;
const SUBSCRIPTIONS = 400;

const topics = Array.from({ length: 100 }, (_, i) => `0x${i.toString(16).padStart(64, "0")}`);
const KINDS = [
  ["newHeads"],
  ["newPendingTransactions"],
  ["logs", { topics: [topics, topics] }],
  ["logs", {}],
];

/** Subscribers of heads, pending transactions and logs that never read. */
export const attack: Attack = {
  summary: `${CONNECTIONS} WebSocket connections with ${SUBSCRIPTIONS} subscriptions each, of every kind, that never read`,
  run: async (target, signal) => {
    const flood = { connections: CONNECTIONS / KINDS.length, subscriptions: SUBSCRIPTIONS };
    const all = await Promise.all(
      KINDS.map((params) => subscribeSilently({ ...flood, params }, target, signal)),
    );
    return all.reduce((sum, figures) =>
      Object.fromEntries(Object.entries(sum).map(([name, value]) => [name, value + (figures[name] ?? 0)])),
    );
  },
};
