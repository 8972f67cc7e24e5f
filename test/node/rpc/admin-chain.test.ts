/** Chain files through the methods of `admin`, on chains in memory. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { bareHex } from "../../../node/bytes/hex.ts";
import { type ProfileName, rpcProfiles } from "../../../node/compat/profiles.ts";
import { openNodeFiles } from "../../../node/compose/block-files.ts";
import { openRecoverer } from "../../../node/crypto/recoverer.ts";
import type { Shortage } from "../../../node/observe/disk-space.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { adminChainMethods } from "../../../node/rpc/admin-chain.ts";
import { systemClock } from "../../../node/runtime/clock.ts";
import { adaptRows } from "../../support/adapt-rows.ts";
import { askRow } from "../../support/ask-row.ts";
import { aChain, recordedBlocks, recordedGenesis, type TestChain } from "../../support/chain.ts";

let directory: string;
let blocks: Uint8Array[];
const recoverer = openRecoverer(silentLog);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-admin-chain-"));
  blocks = await recordedBlocks();
});
afterAll(async () => {
  await recoverer[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

interface Bench extends AsyncDisposable {
  readonly open: TestChain;
  readonly reasons: unknown[];
  readonly stop: () => Promise<void>;
  ask(name: string, ...params: unknown[]): Promise<unknown>;
}

async function aBench(name: ProfileName, sizes: Sizes = {}): Promise<Bench> {
  const open = await aChain(await recordedGenesis());
  const disk = { shortage: async () => sizes.shortage };
  const files = openNodeFiles({ database: { store: open.store, disk }, open, recoverer, clock: systemClock });
  const reasons: unknown[] = [];
  const warn = ({ reason }: { reason?: unknown }): void => void reasons.push(reason);
  const log = { ...silentLog, warn };
  const { importedText } = rpcProfiles[name].options;
  const methods = adaptRows(name, adminChainMethods({ chain: open.chain, files, importedText, log }));
  return {
    open,
    reasons,
    stop: async () => files[Symbol.asyncDispose](),
    ask: (method, ...params) => askRow(methods, method, ...params),
    [Symbol.asyncDispose]: async () => {
      await files[Symbol.asyncDispose]();
      await open[Symbol.asyncDispose]();
    },
  };
}

interface Sizes {
  readonly shortage?: Shortage;
}

const hexOf = (from: number, to: number): string => bareHex(concatBytes(...blocks.slice(from, to)));
const head = ({ open }: Bench): number => open.chain.head().header.number;

test("a chain is exported and imported, whole and in ranges, compressed and plain", async () => {
  await using bench = await aBench("kaia");
  const path = join(directory, "whole.rlp.gz");
  expect(await bench.ask("admin_importChainFromString", `0x${hexOf(0, 42)}`)).toBe(true);
  expect(head(bench)).toBe(41);
  expect(await bench.ask("admin_exportChain", path)).toBe(true);
  expect(gunzipSync(await readFile(path)).equals(concatBytes(...blocks))).toBe(true);
  const part = join(directory, "part.rlp");
  expect(await bench.ask("admin_exportChain", part, "0x5", 9)).toBe(true);
  expect((await readFile(part)).equals(concatBytes(...blocks.slice(5, 10)))).toBe(true);
  const tail = join(directory, "tail.rlp");
  expect(await bench.ask("admin_exportChain", tail, "0x27", "latest")).toBe(true);
  expect((await readFile(tail)).equals(concatBytes(...blocks.slice(39)))).toBe(true);
  await using other = await aBench("kaia");
  expect(await other.ask("admin_importChain", path)).toBe(true);
  expect(await other.ask("admin_importChain", path)).toBe(true);
  expect(head(other)).toBe(41);
});

test("failing exports return the Go node's error and leave no file", async () => {
  await using bench = await aBench("klaytn");
  await bench.ask("admin_importChainFromString", hexOf(1, 6));
  const fresh = await mkdtemp(join(directory, "fresh-"));
  const path = join(fresh, "out.rlp");
  for (const [params, message] of [
    [[null, "0x1"], "last cannot be specified without first"],
    [["0x3", "0x2"], "export failed: first (3) is greater than last (2)"],
    [["0x3", "0x9"], "export failed on #6: not found"],
    [["0x63", "0x64"], "export failed on #99: not found"],
  ] as const) {
    await expect(bench.ask("admin_exportChain", path, ...params)).rejects.toThrow(message);
  }
  expect(await readdir(fresh)).toEqual([]);
  await writeFile(path, "precious");
  await expect(bench.ask("admin_exportChain", path)).rejects.toThrow("would overwrite an existing file");
});

test("an export leaves the disk space that blocks need", async () => {
  await using bench = await aBench("kaia", { shortage: { free: 18, needed: 20 } });
  const fresh = await mkdtemp(join(directory, "short-"));
  const path = join(fresh, "out.rlp");
  await expect(bench.ask("admin_exportChain", path)).rejects.toThrow(
    `cannot write ${path}: 18 bytes of disk are free, 20 are needed`,
  );
  expect(await readdir(fresh)).toEqual([]);
});

test("failing imports return the Go node's error with the number of imported blocks", async () => {
  await using bench = await aBench("kaia");
  const broken = concatBytes(...blocks.slice(1, 4), Uint8Array.of(0xc2, 0xc0, 0xc0, 0x05));
  const path = join(directory, "broken.rlp");
  await writeFile(path, broken);
  await expect(bench.ask("admin_importChain", path)).rejects.toThrow(
    /^block 3: failed to parse: .*; 3 blocks before it were imported; the newest block is #3$/,
  );
  await expect(bench.ask("admin_importChainFromString", hexOf(7, 8))).rejects.toThrow(
    /^batch 0: failed to insert: block 7: unknown ancestor/,
  );
  await expect(bench.ask("admin_importChain", join(directory, "nowhere"))).rejects.toThrow(
    /^open .*nowhere: no such file or directory$/,
  );
  await expect(bench.ask("admin_importChain", directory)).rejects.toThrow(/it is not a file$/);
  await expect(bench.ask("admin_importChainFromString", "0xc0")).rejects.toMatchObject({
    message: "block 0: failed to parse: rlp: too few elements for types.extblock",
  });
  expect(bench.reasons.at(-1)).toContain("(at byte 0, 1 bytes long)");
  for (const halfByte of ["0X0", "1zz"]) {
    const isImported = bench.ask("admin_importChainFromString", halfByte);
    await expect(isImported).rejects.toThrow("block 0: failed to parse"); // Go puts a zero before it
  }
  expect(await bench.ask("admin_importChainFromString", "0xzz")).toBe(true);
  expect(await bench.ask("admin_importChainFromString", "")).toBe(true);
  expect(head(bench)).toBe(3);
});

test("the service profile returns false, logs the reason, and imports text only into a new chain", async () => {
  await using bench = await aBench("service");
  expect(await bench.ask("admin_importChainFromString", "0xzz")).toBe(false);
  expect(await bench.ask("admin_importChainFromString", hexOf(0, 3))).toBe(true);
  expect(await bench.ask("admin_importChainFromString", hexOf(3, 4))).toBe(false);
  expect(await bench.ask("admin_importChainFromString", "00".repeat(16 * 1024 * 1024 + 1))).toBe(false);
  expect(await bench.ask("admin_exportChain", join(directory, "no", "such", "place"))).toBe(false);
  expect(await bench.ask("admin_importChain", join(directory, "nowhere"))).toBe(false);
  expect(bench.reasons).toEqual([
    "not hex",
    "the node has a chain already",
    "33554434 characters are too many: at most 33554432",
    expect.stringContaining("ENOENT"),
    expect.stringContaining("ENOENT"),
  ]);
  expect(head(bench)).toBe(2);
});

test("block production waits for an import, and closing the node ends an import after a whole block", async () => {
  await using bench = await aBench("kaia");
  const path = join(directory, "turns.rlp");
  await writeFile(path, concatBytes(...blocks));
  const seen: number[] = [];
  const importing = bench.ask("admin_importChain", path);
  const turn = bench.open.writer.exclusively(() => Promise.resolve(void seen.push(head(bench))));
  expect(await importing).toBe(true);
  await turn;
  expect(seen).toEqual([41]);
  await using other = await aBench("kaia");
  const stopped = other.ask("admin_importChain", path).catch((error: Error) => error.message);
  await other.stop();
  expect(await stopped).toBe("the node is shutting down");
});
