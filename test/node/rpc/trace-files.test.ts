/** Traces with files on the node's machine, on a recorded chain. */
import { readFileSync } from "node:fs";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { bareHex, toHex } from "../../../node/bytes/hex.ts";
import { storeReading } from "../../../node/calls/chain-reading.ts";
import { rpcProfiles } from "../../../node/compat/profiles.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { type Block, decodeBlock, encodeBlock } from "../../../node/model/block.ts";
import { traceFileMethods } from "../../../node/rpc/trace-files.ts";
import { traceMethods } from "../../../node/rpc/traces.ts";
import { aChain, type TestChain } from "../../support/chain.ts";
import { readRecordedChain } from "../../support/recorded-chain.ts";

const FOLDER = "test/vectors/chains/prague";
let chain: TestChain;
let directory: string;
/** A block whose transactions run contracts. */
let block: Block;

beforeAll(async () => {
  chain = await aChain(parseGenesis(readFileSync(`${FOLDER}/genesis.json`, "utf8")));
  const blocks = readRecordedChain(FOLDER).blocks.slice(1, 13).map(decodeBlock);
  for (const each of blocks) await chain.writer.insert(each);
  await chain.writer.settle();
  block = blocks[11] as Block; // there are twelve
  directory = await mkdtemp(join(tmpdir(), "trace-files-"));
}, 60_000);
afterAll(async () => {
  await chain[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

async function ask<T>(name: string, ...params: unknown[]): Promise<T> {
  const limits = { upperGas: 500_000_000n, gasCap: 0n };
  const parts = {
    open: storeReading(chain.store),
    maxBytes: 25_000_000,
    ...rpcProfiles.service.options,
    limits,
  };
  const row = [...traceMethods(parts), ...traceFileMethods({ ...parts, folder: directory })].find(
    (each) => each.name === name,
  );
  const context = { signal: new AbortController().signal, modules: [], document: () => "" };
  return JSON.parse((await row?.invoke(params, context)) ?? "null") as T; // named by the caller
}

interface Logged {
  readonly structLogs: readonly { pc: number; op: string; gas: number; depth: number; stack: string[] }[];
}
interface Line {
  readonly pc: number;
  readonly opName: string;
  readonly gas: string;
  readonly depth: number;
  readonly stack: readonly string[] | null;
  readonly memory: string;
}

const lines = (file: string): Line[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

test("a block's traces are files for their owner only, one per transaction, with a line per opcode and one for the end", async () => {
  const files = await ask<string[]>("debug_standardTraceBlockToFile", toHex(block.hash));
  expect(files.map((file) => file.slice(0, directory.length))).toEqual(
    block.transactions.map(() => directory),
  );
  for (const [index, file] of files.entries()) {
    const hash = toHex(block.transactions[index]?.hash ?? block.hash);
    expect(file).toContain(`block_${toHex(block.hash).slice(0, 10)}-${index}-${hash.slice(0, 10)}-`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { structLogs } = await ask<Logged>("debug_traceTransaction", hash, { loggerTimeout: "60s" });
    // What fails after it was seen is written twice, the second time with the error.
    const found = lines(file).filter(({ gas }, i, all) => gas === undefined || gas !== all[i - 1]?.gas);
    expect(found.slice(0, -1).map(({ pc, opName, gas, depth }) => [pc, opName, Number(gas), depth])).toEqual(
      structLogs.map(({ pc, op, gas, depth }) => [pc, op, gas, depth]),
    );
    expect(found[9]?.stack?.map(BigInt)).toEqual(structLogs[9]?.stack.map((word) => BigInt(`0x${word}`)));
    expect(Object.keys(found.at(-1) ?? {}).slice(0, 2)).toEqual(["output", "gasUsed"]);
  }
});

test("one transaction is traced, without the disabled members", async () => {
  const [, second] = block.transactions;
  const txHash = toHex(second?.hash ?? block.hash);
  const config = { txHash, disableMemory: true, disableStack: true };
  const files = await ask<string[]>("debug_standardTraceBlockToFile", toHex(block.hash), config);
  expect(files).toEqual([expect.stringContaining(`-1-${txHash.slice(0, 10)}-`)]);
  expect(lines(files[0] ?? "")[5]).toMatchObject({ stack: null, memory: "0x" });
});

test("a block from a file is traced like the one in the chain", async () => {
  const file = join(directory, "block.hex");
  await writeFile(file, `${bareHex(encodeBlock(block))}\n`);
  const config = { tracer: "callTracer", timeout: "60s" };
  expect(await ask("debug_traceBlockFromFile", file, config)).toEqual(
    await ask("debug_traceBlockByHash", toHex(block.hash), config),
  );
});

test.each<[string, readonly unknown[], string]>([
  ["debug_standardTraceBlockToFile", [`0x${"12".repeat(32)}`], `block ${"12".repeat(32)} not found`],
  ["debug_standardTraceBadBlockToFile", [`0x${"12".repeat(32)}`], "data is not found with the given key"],
  ["debug_traceBlockFromFile", ["nowhere"], "could not read file: open nowhere: no such file or directory"],
  ["debug_traceBlockFromFile", ["/dev/zero"], "could not read file: no block is as large, or it is no file"],
  ["debug_traceBlockFromFile", ["package.json"], "could not decode block: EOF"],
])("%s of %j is refused", async (name, params, message) => {
  await expect(ask(name, ...params)).rejects.toMatchObject({ code: -32000, message });
});

test("a failing trace leaves no file", async () => {
  const before = await readdir(directory);
  await expect(
    ask("debug_standardTraceBlockToFile", toHex(block.hash), { txHash: `0x${"12".repeat(32)}` }),
  ).rejects.toMatchObject({ message: `transaction 0x${"12".repeat(32)} not found in block` });
  await expect(ask("debug_standardTraceBlockToFile", toHex(chain.chain.genesisHash))).rejects.toMatchObject({
    message: "genesis is not traceable",
  });
  expect(await readdir(directory)).toEqual(before);
});
