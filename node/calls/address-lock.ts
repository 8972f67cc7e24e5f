/** Runs what signs for one address one after the other, so that two transactions never get one nonce. */
import { mapKey } from "../bytes/hex.ts";

/** A queue per address. */
export class AddressLock {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` when all earlier work for the address has ended, well or not. */
  async run<T>(address: Uint8Array, work: () => Promise<T>): Promise<T> {
    const key = mapKey(address);
    const before = this.#last.get(key);
    const mine = (before ?? Promise.resolve()).then(work, work);
    const settled = mine.catch(() => undefined);
    this.#last.set(key, settled);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }
}
