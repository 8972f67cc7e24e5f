/** Settings that the parts of the state share. */
import type { Log } from "../observe/log.ts";
import type { Store } from "../store/store.ts";
import type { History } from "./history/history.ts";
import type { StartRun } from "./migration/migration-run.ts";
import type { TrieStores } from "./trie/generations.ts";

/** Stores and settings of the state. */
export interface StateSettings {
  readonly chain: Store;
  readonly log: Log;
  readonly history: History;
  readonly trie: TrieStores;
  readonly startRun: StartRun;
  readonly flushInterval: number;
  readonly flushBytes: number;
  readonly cachedAccounts: number;
  readonly preimages: boolean;
  readonly livePruning: boolean;
}
