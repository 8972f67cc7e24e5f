/** Reads of the newest state and of older ones, through the flat state and the undo records. */
import type { Address } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";
import type { Store } from "../store/store.ts";
import { noState } from "./error.ts";
import type { FlatState, NewestState } from "./flat/flat-state.ts";
import { ReadSlots } from "./flat/slot-cache.ts";
import type { History } from "./history/history.ts";
import { pastState, stateNow } from "./history/past-state.ts";
import type { AccountProof, StateView } from "./state.ts";
import { viewOf } from "./state-view.ts";
import { missingProofsError, proveFromDisk, proveNow } from "./trie/proof.ts";
import type { TrieStore } from "./trie/trie-store.ts";
import { JournaledWorld, NOT_TO_SEAL } from "./world/journaled-world.ts";
import type { World } from "./world/world.ts";

/** Sources of the views. */
export interface ViewDeps {
  readonly chain: Store;
  readonly flat: NewestState;
  readonly history: History;
  readonly trieStore: TrieStore;
  /** Number of the newest block. */
  readonly newest: () => number;
  /** False while the tries must not be looked at. */
  readonly isFree: () => boolean;
}

/** The reading methods of `State`. */
export class Views {
  readonly #deps: ViewDeps;
  #read = { version: -1, slots: new ReadSlots() };

  constructor(parts: ViewDeps) {
    this.#deps = parts;
  }

  view(number: number): StateView {
    return viewOf(number, this.#at(number));
  }

  worldAt(number: number): World {
    const read = number === this.#deps.newest() ? this.#readSlots() : undefined;
    return new JournaledWorld(this.#at(number), NOT_TO_SEAL, read);
  }

  async prove(number: number, address: Address, keys: readonly Uint8Array[]): Promise<AccountProof> {
    const { chain, history, trieStore, newest, isFree } = this.#deps;
    const flat = this.#at(number);
    if (number < history.oldestRecent) throw missingProofsError(number, history.oldestRecent);
    if (number === newest() && isFree()) {
      return proveNow(flat.record(address, mapKey(address)), trieStore.tries, keys);
    }
    return await proveFromDisk({ chain, trie: trieStore.store, number }, { address, keys });
  }

  /** Of the newest state. */
  #readSlots(): ReadSlots {
    const { version } = this.#deps.flat;
    if (version !== this.#read.version) this.#read = { version, slots: new ReadSlots() };
    return this.#read.slots;
  }

  #at(number: number): FlatState {
    const { flat, history, newest } = this.#deps;
    if (number < history.oldest || number > newest()) throw noState(number, history.oldest, newest());
    return (number === newest() ? stateNow : pastState)(number, flat, history);
  }
}
