/** Tests of the tables and their keys. */
import { expect, test } from "@jest/globals";
import { tables, trieTables } from "../../../node/store/tables.ts";

test("no two tables of a database share a prefix", () => {
  for (const database of [tables, trieTables]) {
    const prefixes = Object.values(database).map((table) => table.prefix);
    expect(new Set(prefixes).size).toBe(prefixes.length);
  }
});

test("a table's name is the name of its row", () => {
  for (const [name, table] of Object.entries({ ...tables, ...trieTables })) expect(table.name).toBe(name);
});

test("keys of blocks sort by number within the table's range", () => {
  const { from, to } = tables.undo.range();
  const keys = [from, tables.undo.key(0), tables.undo.key(255), tables.undo.key(2 ** 40), to];
  expect(keys.toSorted(Buffer.compare)).toEqual(keys);
});

test("a slot's key holds the account, its incarnation and the slot", () => {
  const key = tables.slot.key(new Uint8Array(32).fill(1), 0x0102, new Uint8Array(32).fill(3));
  expect(Buffer.from(key).toString("hex")).toBe(`73${"01".repeat(32)}000000000102${"03".repeat(32)}`);
});
