/** Tests of the disk use by kind of row. */
import { expect, test } from "@jest/globals";
import { diskUse, watchDiskUse } from "../../../node/compose/disk-use.ts";
import { silentLog } from "../../../node/observe/log.ts";
import type { Range } from "../../../node/store/store.ts";
import { tables, trieTables } from "../../../node/store/tables.ts";
import { until } from "../../support/until.ts";

const rows = { bytesIn: ({ from }: Range) => Promise.resolve(from[0] ?? 0) };

function aDatabase(trie: typeof rows | undefined) {
  return { store: rows, state: { figures: () => ({ trie }) } } as never;
}

test("every table of both databases is a kind of its own", async () => {
  const uses = await diskUse(aDatabase(rows));
  expect(uses.map(({ kind }) => kind)).toEqual([...Object.keys(tables), ...Object.keys(trieTables)]);
  expect(uses).toContainEqual({
    database: "trie",
    kind: "accountNode",
    holds: trieTables.accountNode.holds,
    bytes: "A".charCodeAt(0),
  });
  expect(uses).toContainEqual(expect.objectContaining({ kind: "header", bytes: "h".charCodeAt(0) }));
});

test("of a trie that is not open nothing is told; a running node has the newest figures at hand", async () => {
  await using watch = watchDiskUse(aDatabase(undefined), silentLog);
  expect(watch.newest()).toEqual([]);
  await until(() => watch.newest().length > 0);
  expect(watch.newest().map(({ kind }) => kind)).toEqual(Object.keys(tables));
});
