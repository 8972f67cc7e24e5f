/** Results that the recorded transcripts do not cover. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openAccounts } from "../../../node/accounts/open-accounts.ts";
import { toHex } from "../../../node/bytes/hex.ts";
import type { RpcEndpoint } from "../../../node/jsonrpc/dispatch.ts";
import { type Block, decodeBlock } from "../../../node/model/block.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { recordedBlocks, type TestChain } from "../../support/chain.ts";
import { aSession } from "../rpc/fixture.ts";
import { aPool, recordedChain } from "../rpc/recorded-chain.ts";
import { servedNode } from "../rpc/served-node.ts";

const parts = new AsyncDisposableStack();
const nobody = `0x${"12".repeat(32)}`;
let chain: TestChain;
let block: Block;
let node: RpcEndpoint;

beforeAll(async () => {
  chain = parts.use(await recordedChain());
  const pool = parts.use(await aPool(chain.chain));
  const directory = await mkdtemp(join(tmpdir(), "rpc-small-"));
  parts.defer(() => rm(directory, { recursive: true, force: true }));
  const accounts = parts.use(await openAccounts({ directory, lightKdf: true, log: silentLog }));
  node = servedNode("kaia", {
    chain: chain.chain,
    pool,
    accounts,
    dataDirectory: directory,
    rewardbase: () => new Uint8Array(20).fill(5),
    setHead: (number) => chain.writer.setHead(number),
  });
  const full = (await recordedBlocks())
    .map((raw) => decodeBlock(raw))
    .find((each) => each.transactions.length > 0);
  if (full === undefined) throw new Error("no block has transactions");
  block = full;
});
afterAll(() => parts.disposeAsync());

async function ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
  const answer = await node.answer(JSON.stringify({ id: 1, method, params }), aSession);
  const { result, error } = JSON.parse(answer ?? "") as { result?: unknown; error?: { message: string } };
  return error?.message ?? result;
}

test("an encoded transaction is found by index and by hash; 0x for an unknown one", async () => {
  const [hash, number] = [toHex(block.hash), block.header.number];
  for (const module of ["klay", "eth"]) {
    const raw = await ask(
      `${module}_getRawTransactionByHash`,
      toHex(block.transactions[0]?.hash ?? block.hash),
    );
    expect(raw).toMatch(/^0x[0-9a-f]{100,}$/);
    expect(await ask(`${module}_getRawTransactionByBlockHashAndIndex`, hash, "0x0")).toBe(raw);
    expect(await ask(`${module}_getRawTransactionByBlockNumberAndIndex`, number, "0x0")).toBe(raw);
    expect(await ask(`${module}_getRawTransactionByBlockHashAndIndex`, hash, "0xffff")).toBe("0x");
    expect(await ask(`${module}_getRawTransactionByBlockHashAndIndex`, nobody, "0x0")).toBe("0x");
  }
});

test("blocks have no uncles and no proof of work", async () => {
  const hash = toHex(block.hash);
  expect(await ask("eth_getUncleCountByBlockHash", hash)).toBe("0x0");
  expect(await ask("eth_getUncleCountByBlockHash", nobody)).toBeNull();
  expect(await ask("eth_getUncleCountByBlockNumber", "latest")).toBe("0x0");
  expect(await ask("eth_getUncleCountByBlockNumber", "0xffff")).toBeNull();
  expect(await ask("eth_getUncleByBlockHashAndIndex", hash, "0x0")).toBeNull();
  expect(await ask("eth_getUncleByBlockNumberAndIndex", "latest", "0x0")).toBeNull();
  expect([await ask("eth_hashrate"), await ask("eth_mining")]).toEqual(["0x0", false]);
  expect(await ask("eth_getWork")).toBe("no mining work available yet");
  expect(await ask("eth_submitWork", "0x0000000000000000", nobody, nobody)).toBe(false);
  expect(await ask("eth_submitHashrate", "0x5", nobody)).toBe(false);
});

test("the reward address is returned if it is set; there are no gasless transactions and no blobs", async () => {
  expect(await ask("klay_rewardbase")).toBe(`0x${"05".repeat(20)}`);
  expect(await ask("debug_isGaslessTx", ["0x01"])).toMatchObject({ isGasless: false });
  expect(await ask("eth_getBlobSidecars", "latest", true)).toEqual([]);
  expect(await ask("eth_getBlobSidecarByTxHash", nobody, true)).toBe(`transaction not found: ${nobody}`);
  expect(await ask("eth_getHashrate")).toBe(0);
});

test("a bad block is returned, and debug_setHead rewinds the chain", async () => {
  for (const number of ["0xffff", "latest", "pending"])
    expect(await ask("debug_setHead", number)).toBe("Cannot rewind to future");
  expect(await ask("debug_setHead", block.header.number - 1)).toBeNull();
  expect(await ask("eth_blockNumber")).toBe(`0x${(block.header.number - 1).toString(16)}`);
  const refused = { ...block, transactions: block.transactions.slice(1) };
  await expect(chain.writer.insert(refused)).rejects.toThrow("transaction root hash mismatch");
  expect(await ask("debug_getBadBlocks")).toEqual([
    {
      hash: toHex(block.hash),
      block: expect.objectContaining({ number: `0x${block.header.number.toString(16)}` }),
    },
  ]);
});
