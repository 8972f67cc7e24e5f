/** A chain recorded from a Go node: taken in, asked about and given out again, through the program alone. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { runKnit, startKnit } from "../support/knit-process.ts";
import { readRecordedChain } from "../support/recorded-chain.ts";
import { call } from "../support/rpc-client.ts";

/** By default a chain with few accounts, each of which is asked for. */
const CHAIN = process.env["KNIT_ALL_CASES"] === "1" ? "transfers" : "none";
const RECORDED = fileURLToPath(new URL(`../vectors/chains/${CHAIN}/`, import.meta.url));
const { blocks: raws } = readRecordedChain(RECORDED);
let directory: string;
let datadir: string;

async function recording<T>(name: string): Promise<T> {
  return JSON.parse(gunzipSync(await readFile(join(RECORDED, name))).toString("utf8")) as T; // named by the caller
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-recorded-"));
  datadir = join(directory, "data");
  expect(await runKnit("init", "--datadir", datadir, join(RECORDED, "genesis.json"))).toMatchObject({
    code: 0,
  });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test("a file that begins with block 0 is imported to its head, and again without effect", async () => {
  const file = join(RECORDED, "chain.rlp.gz");
  const first = await runKnit("import", "--datadir", datadir, file);
  expect(first).toMatchObject({ code: 0 });
  expect(first.output).toContain(`the newest block is ${raws.length - 1}`);
  expect(await runKnit("import", "--datadir", datadir, file)).toMatchObject({ code: 0 });
});

test("the export holds the very bytes of the file, packed or not", async () => {
  const plain = join(directory, "out.rlp");
  const packed = join(directory, "out.rlp.gz");
  expect(await runKnit("export", "--datadir", datadir, plain)).toMatchObject({ code: 0 });
  expect(await runKnit("export", "--datadir", datadir, packed)).toMatchObject({ code: 0 });
  const want = gunzipSync(await readFile(join(RECORDED, "chain.rlp.gz")));
  expect(Buffer.compare(await readFile(plain), want)).toBe(0);
  expect(Buffer.compare(gunzipSync(await readFile(packed)), want)).toBe(0);
  const again = await runKnit("export", "--datadir", datadir, plain);
  expect(again.code).toBe(1);
  expect(again.output).toContain("location would overwrite an existing file");
});

test("flat state, trie and root agree", async () => {
  expect(await runKnit("db", "verify", "--datadir", datadir)).toMatchObject({ code: 0 });
});

test("blocks, receipts and accounts over RPC are those the Go node gave", async () => {
  const knit = startKnit(
    "run",
    "--type",
    "endpoint",
    "--datadir",
    datadir,
    "--rpc",
    "--rpcport",
    "0",
    "--rpcapi",
    "klay,admin",
    "--rpc.profile",
    "kaia",
  );
  try {
    const url = (await knit.waitFor(/(http:\/\/127\.0\.0\.1:\d+)/))[1] ?? "";
    const blocks = await recording<object[]>("blocks.json.gz");
    for (const [number, block] of blocks.entries()) {
      expect(await call(url, "klay_getBlockByNumber", `0x${number.toString(16)}`, true)).toEqual(block);
    }
    const receipts = await recording<Record<string, object[]>>("receipts.json.gz");
    for (const [number, list] of Object.entries(receipts)) {
      expect(await call(url, "klay_getBlockReceipts", `0x${Number(number).toString(16)}`)).toEqual(list);
    }
    const { accounts } = await recording<{ accounts: Record<string, { account: object | null }> }>(
      "state.json.gz",
    );
    for (const [address, { account }] of Object.entries(accounts)) {
      expect(await call(url, "klay_getAccount", address, "latest")).toEqual(account);
    }
  } finally {
    expect(await knit.stop()).toBe(0);
  }
});

test("a changed byte is refused with the block and the reason, and the blocks before it stay", async () => {
  const number = raws.findIndex(({ raw }, each) => each >= raws.length / 2 && raw.length > 1_000);
  const bytes = Buffer.concat(raws.map(({ raw }) => raw));
  const end = Buffer.concat(raws.slice(0, number + 1).map(({ raw }) => raw)).length;
  bytes[end - 1] = (bytes[end - 1] ?? 0) ^ 1; // the last byte of the last signature
  const file = join(directory, "changed.rlp");
  await writeFile(file, bytes);
  const other = join(directory, "other");
  await runKnit("init", "--datadir", other, join(RECORDED, "genesis.json"));
  const refused = await runKnit("import", "--datadir", other, file);
  expect(refused.code).toBe(1);
  expect(refused.output).toContain(`block ${number}: `);
  const repaired = await runKnit("import", "--datadir", other, join(RECORDED, "chain.rlp.gz"));
  expect(repaired).toMatchObject({ code: 0 });
  expect(await runKnit("db", "verify", "--datadir", other)).toMatchObject({ code: 0 });
});
