/** Disk use: the bytes of each kind of row in both databases. */

import type { Log } from "../observe/log.ts";
import type { Range, Store } from "../store/store.ts";
import { tables, trieTables } from "../store/tables.ts";
import type { Database } from "./database.ts";

/** One kind of row. */
export interface KindUse {
  readonly database: "chain" | "trie";
  /** The table's name. */
  readonly kind: string;
  /** Content of its rows. */
  readonly holds: string;
  /** In table files, roughly. */
  readonly bytes: number;
}

/** Looks them up: all kinds of the chain database, then those of the trie's where that is open. */
export async function diskUse({
  store,
  state,
}: Pick<Database, "store" | "state">): Promise<readonly KindUse[]> {
  const { trie } = state.figures();
  const chain = await usesOf("chain", store, Object.values(tables));
  return trie === undefined ? chain : [...chain, ...(await usesOf("trie", trie, Object.values(trieTables)))];
}

interface Kind {
  readonly name: string;
  readonly holds: string;
  range(): Range;
}

function usesOf(
  database: KindUse["database"],
  rows: Pick<Store, "bytesIn">,
  kinds: readonly Kind[],
): Promise<KindUse[]> {
  const uses = kinds.map(async (kind) => {
    const bytes = await rows.bytesIn(kind.range());
    return { database, kind: kind.name, holds: kind.holds, bytes };
  });
  return Promise.all(uses);
}

/** The newest figures of a running node. Disposing it waits for a look-up under way. */
export interface DiskUseWatch extends AsyncDisposable {
  /** Empty before the first look-up has ended. */
  newest(): readonly KindUse[];
}

const EVERY_MS = 30_000;

/** Looks at once and then every half minute. */
export function watchDiskUse(database: Pick<Database, "store" | "state">, log: Log): DiskUseWatch {
  let newest: readonly KindUse[] = [];
  let looking: Promise<void> = Promise.resolve();
  const look = (): void => {
    looking = diskUse(database).then(
      (found) => void (newest = found),
      (error: unknown) => log.warn({ error }, "cannot measure disk use"),
    );
  };
  look();
  const timer = setInterval(look, EVERY_MS);
  timer.unref();
  return {
    newest: () => newest,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await looking;
    },
  };
}
