/**
 * States out of a snapshot of the chain database: what a reader thread sees. Calls run on worlds; accounts and
 * slots are listed in the order of their hashes, from any one on, for as long as the caller takes more.
 */
import type { Address, Hash, StorageKey } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";
import type { Account } from "../model/account.ts";
import type { Range, Snapshot } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { noState } from "./error.ts";
import { padWord, recordOf } from "./flat/flat-rows.ts";
import { type FlatState, NewestState } from "./flat/flat-state.ts";
import { slotsOf } from "./flat/storage-rows.ts";
import { History, readHistoryMode } from "./history/history.ts";
import { rowsAt } from "./history/rows-at.ts";
import { readHead } from "./rows.ts";
import type { StateView } from "./state.ts";
import { pastState, viewOf } from "./state-view.ts";
import { JournaledWorld, NOT_TO_SEAL } from "./world/journaled-world.ts";
import type { World } from "./world/world.ts";

/** An account in a list. */
export interface ListedAccount {
  /** keccak(address). */
  readonly hash: Hash;
  /** `undefined` where the node did not keep it. */
  readonly address: Address | undefined;
  readonly account: Account;
}

/** A slot in a list; zero is never listed. */
export interface ListedSlot {
  /** keccak of the key. */
  readonly hash: Hash;
  /** `undefined` where the node did not keep it. */
  readonly key: StorageKey | undefined;
  /** 32 bytes. */
  readonly value: Uint8Array;
}

/** Past states and listings. All members but the numbers throw `StateError` `state-missing`. */
export interface StateReader {
  /** Newest block. */
  readonly number: number;
  /** Oldest block whose state can be read. */
  readonly oldest: number;
  view(number: number): StateView;
  /** As `State.worldAt`. */
  worldAt(number: number): World;
  /** Accounts after block `number` whose hash is `start` or later. */
  accounts(number: number, start?: Uint8Array): AsyncIterable<ListedAccount>;
  /** Slots of an account, likewise. */
  slots(number: number, address: Address, start?: Uint8Array): AsyncIterable<ListedSlot>;
  /** The address or slot key with this hash, where the node kept it. */
  preimage(hash: Hash): Uint8Array | undefined;
}

const NO_BYTES = new Uint8Array(0);
/** Accounts kept decoded: readers live for one question. */
const CACHED_ACCOUNTS = 1024;

/** The states of a snapshot, which stays the caller's and must stay open. */
export function stateReader(chain: Snapshot): StateReader {
  return new SnapshotReader(chain);
}

class SnapshotReader implements StateReader {
  readonly number: number;
  readonly #chain: Snapshot;
  readonly #flat: NewestState;
  readonly #history: History;

  constructor(chain: Snapshot) {
    const head = readHead(chain);
    this.number = head.number;
    this.#chain = chain;
    this.#flat = new NewestState(chain, CACHED_ACCOUNTS, () => undefined);
    this.#history = new History(chain, head.number - head.firstUndo + 1, head, readHistoryMode(chain));
  }

  get oldest(): number {
    return this.#history.oldest;
  }

  view(number: number): StateView {
    return viewOf(number, this.#at(number));
  }

  worldAt(number: number): World {
    return new JournaledWorld(this.#at(number), NOT_TO_SEAL);
  }

  async *accounts(number: number, start: Uint8Array = NO_BYTES): AsyncGenerator<ListedAccount> {
    this.#at(number);
    const { to } = tables.account.range();
    for await (const [key, row] of this.#rows(number, { from: tables.account.key(start), to })) {
      const hash = key.subarray(1);
      const { account } = recordOf(hash, row);
      if (account !== undefined) yield { hash, address: this.preimage(hash), account };
    }
  }

  async *slots(number: number, address: Address, start: Uint8Array = NO_BYTES): AsyncGenerator<ListedSlot> {
    const { hash: accountHash, incarnation } = this.#at(number).record(address, mapKey(address));
    if (incarnation === 0) return;
    const all = slotsOf(accountHash, incarnation);
    const from = tables.slot.key(accountHash, incarnation, start);
    for await (const [key, row] of this.#rows(number, { from, to: all.to })) {
      const hash = key.subarray(all.from.length);
      yield { hash, key: this.preimage(hash), value: padWord(row) };
    }
  }

  preimage(hash: Hash): Uint8Array | undefined {
    return this.#chain.get(tables.preimage.key(hash));
  }

  #rows(number: number, range: Range): ReturnType<typeof rowsAt> {
    return rowsAt(this.#chain, this.#history, number, range);
  }

  #at(number: number): FlatState {
    if (number < this.oldest || number > this.number) throw noState(number, this.oldest, this.number);
    return pastState(number, this.#flat, this.#history);
  }
}
