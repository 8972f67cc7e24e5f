/** A gate that limits concurrent work with passphrases. */
import { AccountsError } from "./error.ts";

/** Runs a limited number of jobs at a time and queues the others. */
export interface Gate {
  /** Runs a job. Throws `AccountsError` `busy` when the queue is full. */
  run<T>(job: () => Promise<T>): Promise<T>;
}

/**
 * Creates a gate. Each passphrase takes 256 MB and one of the four threads that also serve the disk. The
 * queue has at most `waiting` jobs.
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
