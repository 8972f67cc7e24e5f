/** Dumps and comparisons of states, on a recorded chain with verified traces and a verified dump. */

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { storeReading } from "../../../node/calls/chain-reading.ts";
import { type ProfileName, rpcProfiles } from "../../../node/compat/profiles.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { NumberText } from "../../../node/jsonrpc/json-text.ts";
import { decodeBlock } from "../../../node/model/block.ts";
import { EMPTY_TRIE_ROOT } from "../../../node/model/list-root.ts";
import { debugStateMethods } from "../../../node/rpc/debug-state.ts";
import { traceMethods } from "../../../node/rpc/traces.ts";
import { modifiedAccounts } from "../../../node/state/history/modified-rows.ts";
import { adaptRows } from "../../support/adapt-rows.ts";
import { askRow } from "../../support/ask-row.ts";
import { aChain, type TestChain } from "../../support/chain.ts";
import { type RecordedChain, readRecordedChain } from "../../support/recorded-chain.ts";

const FOLDER = "test/vectors/chains/prague";
let chain: TestChain;
let recorded: RecordedChain;

beforeAll(async () => {
  recorded = readRecordedChain(FOLDER);
  chain = await aChain(parseGenesis(readFileSync(`${FOLDER}/genesis.json`, "utf8")));
  for (const item of recorded.blocks.slice(1)) await chain.writer.insert(decodeBlock(item));
  await chain.writer.settle();
}, 60_000);
afterAll(async () => {
  await chain[Symbol.asyncDispose]();
});

function ask<T>(name: string, ...params: unknown[]): Promise<T> {
  return askAs("service", name, ...params);
}

async function askAs<T>(profile: ProfileName, name: string, ...params: unknown[]): Promise<T> {
  const parts = { open: storeReading(chain.store), maxBytes: 25_000_000, ...rpcProfiles[profile].options };
  const limits = { upperGas: 500_000_000n, gasCap: 0n };
  const rows = [...debugStateMethods(parts), ...traceMethods({ ...parts, limits })];
  return (await askRow(adaptRows(profile, rows), name, ...params)) as T; // named by the caller
}

const hashOf = (number: number): string => toHex(chain.chain.block(number)?.hash ?? new Uint8Array(32));
type Page = { storage: Record<string, { key: string | null; value: string }>; nextKey: string | null };
type Prestate = Record<string, { storage: Record<string, string> }>;
const EMPTY_ROOT = toHex(EMPTY_TRIE_ROOT);
const ZERO = `0x${"0".repeat(64)}`;

test("the dump of the newest block is the recorded one", async () => {
  const { root, accounts } = await ask<{ root: string; accounts: Record<string, object> }>(
    "debug_dumpBlock",
    "latest",
  );
  const { dump } = recorded.head ?? {};
  expect(root.startsWith(dump?.root ?? "none")).toBe(true);
  expect(Object.keys(accounts)).toEqual(Object.keys(dump?.accounts ?? {}));
  expect(accounts).toMatchObject(
    Object.fromEntries(
      Object.entries(dump?.accounts ?? {}).map(([address, { balance, nonce }]) => [
        address,
        { balance, nonce },
      ]),
    ),
  );
});

test("storage before a transaction is that of its trace", async () => {
  const compared: unknown[] = [];
  for (const place of placesOfTransactions()) {
    const before = await ask<Prestate>("debug_traceTransaction", place.hash, { tracer: "prestateTracer" });
    for (const [address, { storage }] of Object.entries(before)) {
      const listed = Object.keys(storage).length === 0 ? new Map() : await slotsAt(place, address);
      const found = Object.keys(storage).map((key) => [key, listed.get(key) ?? ZERO]);
      expect(Object.fromEntries(found)).toEqual(storage);
      compared.push(...found);
    }
  }
  expect(compared.length).toBeGreaterThan(20);
});

interface At {
  readonly number: number;
  readonly index: number;
  readonly hash: string;
}

async function slotsAt({ number, index }: At, address: string): Promise<Map<string | null, string>> {
  const none: Page = { storage: {}, nextKey: null };
  const { storage } = await ask<Page>(
    "debug_storageRangeAt",
    hashOf(number),
    index,
    address,
    "0x",
    10_000,
  ).catch(
    () => none, // the account is made by the transaction
  );
  return new Map(Object.values(storage).map(({ key, value }) => [key, value]));
}

function placesOfTransactions(): At[] {
  const numbers = Array.from({ length: chain.chain.head().header.number + 1 }, (_, number) => number);
  return numbers.flatMap((number) =>
    (chain.chain.block(number)?.transactions ?? []).map(({ hash }, index) => ({
      number,
      index,
      hash: toHex(hash),
    })),
  );
}

test("pages of slots continue at nextKey", async () => {
  const token = "0x037d2d02f9f17ba12b55940044fa065ddb888b5a";
  const head = chain.chain.head().header.number;
  const page = (start: string, max: number): Promise<Page> =>
    ask<Page>("debug_storageRangeAt", hashOf(head), 0, token, start, max);
  const all = await page("0x", 10_000);
  const hashes = Object.keys(all.storage);
  expect(hashes.length).toBeGreaterThan(2);
  expect(hashes).toEqual(hashes.toSorted());
  const first = await page("0x00", 1);
  expect(first.nextKey).toBe(hashes[1]);
  expect((await page(first.nextKey ?? "", 10_000)).storage).toEqual(
    Object.fromEntries(Object.entries(all.storage).slice(1)),
  );
  expect(await page("0x00", -1)).toEqual({ storage: {}, nextKey: hashes[0] });
});

test("modified accounts are the same with and without undo records", async () => {
  const found = await ask<string[]>("debug_getModifiedAccountsByNumber", 3, "0x6");
  expect(found).toHaveLength(12);
  using reading = storeReading(chain.store)();
  const withoutRecords = { get: () => undefined };
  const scanned = await modifiedAccounts(withoutRecords, reading.states, { first: 3, last: 6 });
  expect(scanned.map(toHex)).toEqual(found);
});

test("the number of a contract's modified slots is the Go node's", async () => {
  const kit = "0x037d2d02f9f17ba12b55940044fa065ddb888b5a";
  const counts: number[] = [];
  for (let number = 5; number <= 33; number++) {
    counts.push(await ask<number>("debug_getModifiedStorageNodesByNumber", kit, number));
  }
  expect(counts.join("")).toBe("01001008110121111111100000100");
  const token = "0x838254491862757e18e30c9f5b50221f8e0eee1c";
  expect(await ask("debug_getModifiedStorageNodesByNumber", token, 5, 32)).toBe(2);
  expect(await ask("debug_getModifiedStorageNodesByNumber", ACCOUNT, 5, 32)).toBe(0);
});

test("a range by hashes may go backwards, and no modified account is null", async () => {
  const [earlier, later] = [hashOf(5), hashOf(6)];
  expect(await ask("debug_getModifiedAccountsByHash", later, later)).toBeNull();
  const forwards = await ask<string[]>("debug_getModifiedAccountsByHash", earlier, later);
  const backwards = await ask<string[]>("debug_getModifiedAccountsByHash", later, earlier);
  expect(backwards.length).toBeGreaterThan(0);
  expect(forwards).toEqual(expect.arrayContaining(backwards));
});

test("the pending block is the newest one", async () => {
  expect(await ask("debug_getModifiedAccountsByNumber", "pending")).toEqual(
    await ask("debug_getModifiedAccountsByNumber", "latest"),
  );
});

const ACCOUNT = "0x80c124d8c862cae29db855a829a4f1a69b27a48d";

test("the older line counts slots of contracts only; accounts must exist at both ends", async () => {
  const rows = debugStateMethods({
    open: storeReading(chain.store),
    maxBytes: 5_000,
    storageOf: "contracts",
  });
  const name = "debug_getModifiedStorageNodesByNumber";
  await expect(askRow(rows, name, ACCOUNT, 5)).rejects.toThrow("given address is not a contract address");
  await expect(askRow(rows, name, "0x037d2d02f9f17ba12b55940044fa065ddb888b5a", 3)).rejects.toThrow(
    "there is no account corresponding to the given address",
  );
});

test.each([
  ["debug_getModifiedAccountsByNumber", ["0x99"], "start block number #153 not found"],
  ["debug_getModifiedAccountsByNumber", ["0x1", "0x99"], "end block number #153 not found"],
  ["debug_getModifiedAccountsByNumber", ["0x0"], "block number #0 has no parent"],
  [
    "debug_getModifiedAccountsByNumber",
    [5, 5],
    "start block height (5) must be less than end block height (5)",
  ],
  ["debug_getModifiedAccountsByHash", [`0x${"11".repeat(32)}`], `start block ${"11".repeat(32)} not found`],
  ["debug_preimage", [`0x${"11".repeat(32)}`], "unknown preimage"],
  [
    "debug_storageRangeAt",
    [`0x${"11".repeat(32)}`, 0, `0x${"11".repeat(20)}`, "0x", 1],
    `block ${"11".repeat(32)} not found`,
  ],
  [
    "debug_getModifiedAccountsByNumber",
    [new NumberText(2 ** 63, "9223372036854775808")],
    "start block number #9223372036854775808 not found",
  ],
  ["debug_dumpBlock", ["0x7fffffffffffffff"], "block #9223372036854775807 not found"],
  ["debug_dumpBlock", ["0xffffff"], "block #16777215 not found"],
  ["debug_dumpStateTrie", [{ blockNumber: "0xffffff" }], "block ##16777215 not found"],
])("%s of %j returns the Go node's error", async (name, params, message) => {
  await expect(ask(name, ...params)).rejects.toMatchObject({ code: -32000, message });
});

test.each(["debug_dumpBlock", "debug_dumpStateTrie"])(
  "what %s writes is refused when no answer holds it",
  async (name) => {
    const rows = debugStateMethods({
      open: storeReading(chain.store),
      maxBytes: 5_000,
      storageOf: "accounts",
    });
    await expect(askRow(rows, name, "latest")).rejects.toMatchObject({
      code: -32003,
      message: "the dump is larger than 5000 bytes",
    });
  },
);

test("dumped tries have the roots in header and accounts", async () => {
  type Node = { type: string; hash: string; parent: string; path: string };
  type Accounts = Record<string, { root: string; codeHash: string; code: string }>;
  const { root, tries } = await ask<{ root: string; tries: Node[] }>("debug_dumpStateTrie", "latest");
  expect(tries[0]).toEqual({ type: "state", hash: root, parent: ZERO, path: "0x" });
  const { accounts } = await ask<{ accounts: Accounts }>("debug_dumpBlock", "latest");
  const roots = tries.filter(({ type, path }) => type === "storage" && path === "0x").map(({ hash }) => hash);
  expect(roots.filter((hash) => hash !== ZERO).toSorted()).toEqual(
    Object.values(accounts)
      .map((account) => `0x${account.root}`)
      .filter((hash) => hash !== EMPTY_ROOT)
      .toSorted(),
  );
  expect(tries.filter(({ type }) => type === "state_leaf")).toHaveLength(Object.keys(accounts).length);
  expect(
    tries
      .filter(({ type }) => type === "code")
      .map(({ hash }) => hash.slice(2))
      .toSorted(),
  ).toEqual(
    Object.values(accounts)
      .filter(({ code }) => code !== "")
      .map(({ codeHash }) => codeHash)
      .toSorted(),
  );
  const hashes = new Set(tries.map(({ hash }) => hash));
  expect(tries.every(({ parent }) => hashes.has(parent))).toBe(true);
});

test("Go nodes run JavaScript tracers for block ranges and transactions, but not for whole blocks", async () => {
  const config = {
    tracer:
      "{n: 0, step: function () { this.n++ }, fault: function () {}, result: function (ctx) { return [this.n, ctx.type] }}",
  };
  const refused = { error: "Only predefined tracers are supported" };
  const blocks = await askAs<object[]>("kaia", "debug_traceBlockByNumber", "0x7", config);
  expect(blocks[0]).toMatchObject(refused);
  const byHash = await askAs<object[]>("klaytn", "debug_traceBlockByHash", hashOf(7), config);
  expect(byHash[0]).toMatchObject(refused);
  const range = await askAs<Record<string, { traces: object[] }>>(
    "kaia",
    "debug_traceBlockByNumberRange",
    "0x7",
    "0x7",
    config,
  );
  const own = await ask<object[]>("debug_traceBlockByNumber", "0x7", config);
  expect(range["7"]?.traces).toEqual(own);
  expect(own[3]).toMatchObject({ result: [78, "CREATE"] });
  const hash = toHex(chain.chain.block(8)?.transactions[0]?.hash ?? new Uint8Array(32));
  // An account update runs no code: only the newer line tells of it.
  expect(await askAs("kaia", "debug_traceTransaction", hash, config)).toEqual([0, "CALL"]);
  expect(await askAs("klaytn", "debug_traceTransaction", hash, config)).toEqual([0, null]);
});
