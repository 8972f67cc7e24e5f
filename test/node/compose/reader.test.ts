/** The methods of reader threads. */
import { expect, test } from "@jest/globals";
import { logFilter } from "../../../node/calls/arguments/log-filter.ts";
import { readerMethods } from "../../../node/compose/reader.ts";
import { askedOfReaders } from "../../../node/compose/readers.ts";
import type { CallOrigin } from "../../../node/jsonrpc/method.ts";
import type { ReaderPool } from "../../../node/jsonrpc/reader-pool.ts";
import type { StoreReader } from "../../../node/store/store.ts";
import { documented } from "../../../scripts/rpc-docs.ts";
import { options } from "../../support/options.ts";

test("what reader threads do for a call is charged to who made it, and ends with it", async () => {
  const asked: unknown[] = [];
  const readers: ReaderPool = {
    call: (name, _params, { signal, caller }) => {
      asked.push([name, signal === origin.signal, caller === origin.caller]);
      return Promise.resolve('"0x5208"');
    },
  };
  const origin: CallOrigin = { signal: new AbortController().signal, caller: { owner: "10.0.0.1" } };
  const { estimateGas, searchLogs } = askedOfReaders(readers);
  expect(await estimateGas({}, origin)).toBe(21_000n);
  await searchLogs(logFilter.decode({}), origin);
  expect(asked).toEqual([
    ["eth_estimateGas", true, true],
    ["chain_getLogs", true, true],
  ]);
});

test("a reader thread has every method that runs in one", () => {
  const unread = {} as StoreReader; // no method is called
  const names = readerMethods(unread, {
    tries: "",
    rpc: options().options.rpc,
    signers: new Map(),
    isDevelopment: false,
  }).map(({ name }) => name);
  const wanted = documented.methods.filter(({ runs }) => runs === "reader").map(({ name }) => name);
  expect(wanted.length).toBeGreaterThan(10);
  const missed = wanted.filter((name) => !names.includes(name));
  expect(missed.map((name) => `add the file of ${name} to node/compose/reader.ts`)).toEqual([]);
});
