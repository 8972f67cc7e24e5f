/** The databases of a data directory: the chain's rows and the state over them. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { settleDamage } from "./chain/continuity.ts";
import type { NodeOptions } from "./config/options.ts";
import type { Log } from "./observe/log.ts";
import { openState } from "./state/open-state.ts";
import type { State } from "./state/state.ts";
import { trieDirectories } from "./state/trie-stores.ts";
import { openLevelStore } from "./store/level-store.ts";
import type { Store } from "./store/store.ts";

/** Both databases, open; disposing closes them. */
export interface Database extends AsyncDisposable {
  readonly store: Store;
  readonly state: State;
}

/** Directory of the chain database, which reader threads open too. */
export function chainDirectory({ paths }: NodeOptions): string {
  return join(paths.chainData, "chain");
}

/** Opens or creates the databases. Throws `StoreError` `in-use` when another process has them. */
export async function openDatabase(options: NodeOptions, log: Log): Promise<Database> {
  await mkdir(options.paths.chainData, { recursive: true, mode: 0o700 });
  await using parts = new AsyncDisposableStack();
  const { databaseCacheBytes, cacheBytes, senderHashes: _, ...history } = options.state;
  const store = parts.use(await openLevelStore(chainDirectory(options), { cacheBytes: databaseCacheBytes }));
  const trie = trieDirectories(join(options.paths.chainData, "trie"));
  const sizes = cacheBytes === undefined ? {} : { cacheBytes };
  const state = parts.use(await openState({ chain: store, trie, log, ...history, ...sizes }));
  await settleDamage(store, state.number, log, setImmediate);
  const open = parts.move();
  return { store, state, [Symbol.asyncDispose]: () => open.disposeAsync() };
}
