/** Rows of the flat state in the order of their keys, as they were after a block. */
import { compareBytes } from "../../bytes/compare.ts";
import { runInSlices } from "../../runtime/scheduler.ts";
import type { Range, Row, Snapshot } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import { readHead } from "../rows.ts";
import { isNewestPage } from "./change-page.ts";
import { changedRows } from "./changed-rows.ts";
import type { History } from "./history.ts";
import type { Undone } from "./undo-record.ts";

/** The rows after block `number`, which the history must still hold. */
export async function* rowsAt(
  chain: Snapshot,
  history: History,
  number: number,
  range: Range,
): AsyncGenerator<Row> {
  const changed =
    number >= history.oldestRecent
      ? await recentlyChanged(chain, number, range)
      : everChanged(chain, history, number, range);
  yield* mergeRows(chain.entries(range), changed);
}

/** Rows that later blocks changed, as they were after block `number`, from the undo records. */
async function recentlyChanged(
  chain: Snapshot,
  number: number,
  { from, to }: Range,
): Promise<AsyncIterable<Undone>> {
  const all = await runInSlices(changedRows(chain, number, readHead(chain).number));
  const inside = [...all.values()].filter(
    ({ key }) => compareBytes(key, from) >= 0 && compareBytes(key, to) < 0,
  );
  return asyncOf(inside.toSorted((a, b) => compareBytes(a.key, b.key)));
}

/** The same from the index of changes. */
async function* everChanged(
  chain: Snapshot,
  history: History,
  number: number,
  { from, to }: Range,
): AsyncGenerator<Undone> {
  for await (const [pageKey] of chain.entries({ from: tables.change.key(from), to: tables.change.key(to) })) {
    if (!isNewestPage(pageKey)) continue;
    const key = pageKey.subarray(1);
    const { changed, row } = history.past(key, number);
    if (changed) yield { key, before: row };
  }
}

/** The newest rows, but those that were changed as they were before; both come in the order of their keys. */
async function* mergeRows(newest: AsyncIterable<Row>, changed: AsyncIterable<Undone>): AsyncGenerator<Row> {
  const others = changed[Symbol.asyncIterator]();
  let other = await others.next();
  for await (const row of newest) {
    let order = 1;
    while (other.done !== true && (order = compareBytes(other.value.key, row[0])) <= 0) {
      const { key, before } = other.value;
      if (before !== undefined) yield [key, before];
      other = await others.next();
      if (order === 0) break;
    }
    if (order !== 0) yield row;
  }
  for (; other.done !== true; other = await others.next()) {
    const { key, before } = other.value;
    if (before !== undefined) yield [key, before];
  }
}

async function* asyncOf<Value>(values: Iterable<Value>): AsyncGenerator<Value> {
  yield* values;
}
