/** Counts of rows and bytes in ranges of a database. */
import type { Range, Store } from "../../node/store/store.ts";

/** Number of rows in a part of a database, and the bytes of their keys and values. */
export interface RowSum {
  readonly rows: number;
  readonly bytes: number;
}

/** Adds up the rows of some ranges. */
export async function sumRows(store: Store, ...ranges: readonly Range[]): Promise<RowSum> {
  let [rows, bytes] = [0, 0];
  for (const range of ranges) {
    for await (const [key, value] of store.entries(range)) {
      rows++;
      bytes += key.length + value.length;
    }
  }
  return { rows, bytes };
}
