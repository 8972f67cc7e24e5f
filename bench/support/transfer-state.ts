/** A state on disk that blocks of transfers between the same accounts go into: what the state benchmarks measure. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bytesToBigint, fixedBytes } from "../../node/bytes/integer.ts";
import { keccak256 } from "../../node/crypto/keccak.ts";
import { openState, type StateOptions } from "../../node/state/open-state.ts";
import type { State } from "../../node/state/state.ts";
import { type TrieStores, trieDirectories } from "../../node/state/trie/generations.ts";
import type { World } from "../../node/state/world/world.ts";
import { compactLevel, openLevelStore } from "../../node/store/level-store.ts";
import type { Batch, Store } from "../../node/store/store.ts";
import { tables, trieTables } from "../../node/store/tables.ts";
import { type RowSum, sumRows } from "../../test/support/row-sums.ts";
import { directoryBytes } from "./directory-bytes.ts";

const FEE = 25_000_000_000n * 21_000n;
const AUTHOR = new Uint8Array(20).fill(7);

/** Options of the state; `tries` may observe writes. */
export interface TransferStateOptions {
  readonly accounts: number;
  /** Directory of the databases; a new temporary one when absent. */
  readonly directory?: string;
  readonly settings: Omit<StateOptions, "chain" | "trie">;
  readonly tries?: (directories: TrieStores) => TrieStores;
  /** Called with the batch of each block before it is written. */
  readonly onBatch?: (batch: Batch, number: number) => void;
}

/** The open databases below a directory of their own, which goes with `remove`. */
export class TransferState {
  readonly directory: string;
  readonly #terms: TransferStateOptions;
  readonly #addresses: readonly Uint8Array[];
  #seed = 1;
  #chain: Store | undefined;
  #state: State | undefined;

  constructor(terms: TransferStateOptions) {
    this.#terms = terms;
    this.directory = terms.directory ?? mkdtempSync(join(tmpdir(), "knit-bench-"));
    this.#addresses = Array.from({ length: terms.accounts }, (_, i) => keccak256(fixedBytes(i, 4)).slice(12));
  }

  get state(): State {
    if (this.#state === undefined) throw new Error("the state is closed");
    return this.#state;
  }

  get chain(): Store {
    if (this.#chain === undefined) throw new Error("the state is closed");
    return this.#chain;
  }

  async open(): Promise<void> {
    const { settings, tries = (same) => same } = this.#terms;
    this.#chain = await openLevelStore(join(this.directory, "chain"));
    const trie = tries(trieDirectories(join(this.directory, "trie")));
    this.#state = await openState({ chain: this.#chain, trie, ...settings });
  }

  async close(): Promise<void> {
    await this.#state?.[Symbol.asyncDispose]();
    await this.#chain?.[Symbol.asyncDispose]();
  }

  remove(): void {
    rmSync(this.directory, { recursive: true });
  }

  /** Block 0 with all accounts, flushed; their values are as long as they will be, and no two are alike. */
  async begin(): Promise<void> {
    await this.state.ready;
    await this.makeBlock((world) => {
      for (const one of this.#addresses) {
        world.addBalance(one, 10n ** 24n + bytesToBigint(one.subarray(0, 8)));
        world.setNonce(one, 1000n);
      }
    });
    await this.state.flush();
  }

  /** Milliseconds until the block is on disk; what the tries want then comes on top. */
  async makeBlock(change: (world: World) => void): Promise<number> {
    const begun = performance.now();
    const world = this.state.begin();
    change(world);
    const number = this.state.number + 1;
    const sealed = this.state.seal(world, { keepEmpty: number === 0 });
    const batch = this.chain.createBatch();
    sealed.commit(number, batch);
    this.#terms.onBatch?.(batch, number);
    await this.chain.write(batch, { sync: true });
    this.state.markPersisted(number);
    const took = performance.now() - begun;
    await this.state.flushIfDue();
    return took;
  }

  /** A block of transfers between random accounts. */
  transfers(count: number): Promise<number> {
    return this.makeBlock((world) => {
      for (let i = 0; i < count; i++) {
        const sender = this.#next();
        if (world.balance(sender) < FEE + 1n) throw new Error("a sender ran dry");
        world.subtractBalance(sender, FEE + 1n);
        world.setNonce(sender, world.nonce(sender) + 1n);
        world.addBalance(this.#next(), 1n);
        world.endTransaction();
      }
      world.addBalance(AUTHOR, FEE * BigInt(count));
    });
  }

  /** Rewrites both databases, which must be closed, without what was overwritten. */
  async compact(): Promise<void> {
    await compactLevel(join(this.directory, "chain"));
    for (const generation of readdirSync(join(this.directory, "trie"))) {
      await compactLevel(join(this.directory, "trie", generation));
    }
  }

  /** Bytes of the files of one of the databases. */
  size(part: "chain" | "trie"): number {
    return directoryBytes(join(this.directory, part));
  }

  /** Counts the rows of both databases, which must be closed. */
  async rows(): Promise<{ readonly state: RowSum; readonly trie: RowSum; readonly history: RowSum }> {
    const { account, slot, code, preimage, destroyed, undo, change } = tables;
    await using chain = await openLevelStore(join(this.directory, "chain"));
    const ranges = [account, slot, code, preimage, destroyed].map((table) => table.range());
    const [generation = ""] = readdirSync(join(this.directory, "trie")); // there is no migration here
    await using trie = await openLevelStore(join(this.directory, "trie", generation), { checksums: false });
    return {
      state: await sumRows(chain, ...ranges),
      trie: await sumRows(trie, trieTables.accountNode.range(), trieTables.storageNode.range()),
      history: await sumRows(chain, undo.range(), change.range()),
    };
  }

  #next(): Uint8Array {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#addresses[(this.#seed >>> 3) % this.#addresses.length] ?? AUTHOR;
  }
}
