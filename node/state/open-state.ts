/** Opens a state over its stores. */

import { type Log, silentLog } from "../observe/log.ts";
import type { Store } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { StateError } from "./error.ts";
import { openHistory } from "./history/history.ts";
import { runHere, type StartRun } from "./migration/migration-run.ts";
import { trieOptions } from "./options.ts";
import { readHead } from "./rows.ts";
import type { State } from "./state.ts";
import { StoredState } from "./stored-state.ts";
import type { TrieStores } from "./trie/generations.ts";
import { Slab } from "./trie/slab.ts";
import { openTries } from "./trie/trie-store.ts";

/** Options of a state. Sizes in bytes; all but the stores are optional. */
export interface StateOptions {
  /** The chain database; it stays the caller's, who closes it after the state. */
  readonly chain: Store;
  readonly trie: TrieStores;
  readonly log?: Log;
  /** Blocks whose states can be read besides the newest. Left out: as the database was opened before, else 128. */
  readonly retention?: number | undefined;
  /** True: from now on no state is deleted. Left out: as the database was opened before. */
  readonly archive?: boolean | undefined;
  /** Migrations are refused: states are deleted by retention alone. */
  readonly livePruning?: boolean;
  /** Blocks indexed in memory; a longer retention takes an index on disk. */
  readonly window?: number;
  /** The trie is written when it is this many blocks behind on disk ... */
  readonly flushInterval?: number;
  /** ... or when its changed nodes take this much. */
  readonly flushBytes?: number;
  /** Changed nodes of this much are gathered before the trie is written. */
  readonly gatherBytes?: number;
  /** Memory for clean trie nodes; `undefined`: none are kept. Left out: one of 32 MiB. */
  readonly slab?: Slab | undefined;
  /**
   * Milliseconds to wait for the trie database: after a crash a long log may have to be read, and views need
   * none of it. What takes longer is part of `State.ready`.
   */
  readonly patienceMs?: number;
  /** Keep the addresses and slot keys of what is made from now on, for those who list states. */
  readonly preimages?: boolean;
  /** Starts the copy of a migration; in this thread by default. */
  readonly startRun?: StartRun;
  /** Accounts kept decoded. */
  readonly cachedAccounts?: number;
}

/** Memory for clean trie nodes where nobody says how much. */
const CACHE_BYTES = 32 * 1024 * 1024;

const DEFAULTS = {
  log: silentLog,
  retention: undefined,
  archive: undefined,
  livePruning: false,
  window: 128,
  flushInterval: trieOptions.flushInterval.default,
  flushBytes: 32 * 1024 * 1024,
  gatherBytes: 128 * 1024, // a few milliseconds
  patienceMs: 40,
  preimages: trieOptions.preimages.default,
  cachedAccounts: 65_536,
};

/**
 * Opens the state that the chain database holds. Views work when this resolves; the trie may still be catching
 * up behind them, see `State.ready`. Throws `StoreError` when a directory is in use, `StateError` `corrupt` when
 * there are accounts but no head.
 */
export async function openState(options: StateOptions): Promise<State> {
  const slab = "slab" in options ? options.slab : new Slab(CACHE_BYTES);
  const startRun = options.startRun ?? runHere(options.chain, options.trie);
  const settings = { ...DEFAULTS, ...options, slab, startRun };
  await checkHead(settings.chain);
  const tries = await openTries(settings);
  try {
    const history = await openHistory(settings.chain, settings, tries.head, settings.log);
    return new StoredState({ ...settings, history }, tries);
  } catch (error) {
    await tries.close();
    throw error;
  }
}

/** Without a head the state counts as new: then nothing must be there. */
async function checkHead(chain: Store): Promise<void> {
  if (readHead(chain).number >= 0) return;
  for await (const _ of chain.entries({ ...tables.account.range(), limit: 1 })) {
    throw new StateError("corrupt", "the chain database holds accounts but no head of the state");
  }
}
