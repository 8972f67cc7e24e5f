/** Block 0 of a genesis file, for checks of vectors. */
import { writeGenesis } from "../../node/chain/genesis-block.ts";
import { parseGenesis } from "../../node/config/genesis.ts";
import type { Block } from "../../node/model/block.ts";
import { openState } from "../../node/state/open-state.ts";
import { memoryTries } from "../../node/state/trie/generations.ts";
import { createMemoryStore } from "../../node/store/memory-store.ts";

/** Block 0 of a genesis text, whatever forks it schedules: nothing is run on it. */
export async function blockOfGenesis(text: string): Promise<Block> {
  const store = createMemoryStore();
  await using state = await openState({ chain: store, trie: memoryTries() });
  return writeGenesis({ store, state }, parseGenesis(text));
}
