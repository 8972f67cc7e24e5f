/** Repeats work that a damaged trie stopped. */
import { StateError } from "../state/error.ts";
import type { State } from "../state/state.ts";

/** Repeats `work` once when a damaged trie node stopped it: the state rebuilds its trie meanwhile. */
export async function retryAfterRepair<T>(state: State, work: () => Promise<T>): Promise<T> {
  await state.ready;
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StateError) || error.code !== "trie-damaged") throw error;
    await state.ready;
    return work();
  }
}
