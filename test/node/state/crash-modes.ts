/** Options of the states that the crash tests kill. */
import type { StateOptions } from "../../../node/state/open-state.ts";

/** Options of the states that the crash test kills, by name. */
export const crashModes: Readonly<Record<string, Omit<StateOptions, "chain" | "trie">>> = {
  full: { flushInterval: 3, retention: 6 },
  retention: { flushInterval: 3, retention: 20, window: 6 },
  migrating: { flushInterval: 3, retention: 6 },
  archive: { flushInterval: 3, retention: 6, archive: true },
};
