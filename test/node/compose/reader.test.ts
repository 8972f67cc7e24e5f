/** The methods of reader threads. */
import { expect, test } from "@jest/globals";
import { readerMethods } from "../../../node/compose/reader.ts";
import type { StoreReader } from "../../../node/store/store.ts";
import { documented } from "../../../scripts/rpc-docs.ts";
import { options } from "../../support/options.ts";

test("a reader thread has every method that runs in one", () => {
  const unread = {} as StoreReader; // no method is called
  const names = readerMethods(unread, {
    rpc: options().options.rpc,
    signers: new Map(),
    isDevelopment: false,
  }).map(({ name }) => name);
  const wanted = documented.methods.filter(({ runs }) => runs === "reader").map(({ name }) => name);
  expect(wanted.length).toBeGreaterThan(10);
  const missed = wanted.filter((name) => !names.includes(name));
  expect(missed.map((name) => `add the file of ${name} to node/compose/reader.ts`)).toEqual([]);
});
