/** A gate through which passphrase checks pass one at a time. */
import { AccountsError } from "./error.ts";

/** Runs a few jobs at a time; the others wait their turn. */
export interface Gate {
  /** Throws `AccountsError` `busy` when too many wait already. */
  run<T>(job: () => Promise<T>): Promise<T>;
}

/**
 * Bounds how many passphrases are worked on: each takes 256 MB and one of the four threads that also serve the
 * disk. More than `waiting` callers in line are refused.
 */
export function createGate(limits: { readonly atOnce: number; readonly waiting: number }): Gate {
  const line: (() => void)[] = [];
  let running = 0;
  return {
    run: async (job) => {
      if (running >= limits.atOnce) {
        if (line.length >= limits.waiting)
          throw new AccountsError("busy", "too many passphrases are being checked");
        await new Promise<void>((turn) => line.push(turn)); // whoever leaves hands its place on
      } else {
        running++;
      }
      try {
        return await job();
      } finally {
        const next = line.shift();
        if (next === undefined) running--;
        else next();
      }
    },
  };
}
