/** Forks of a chain with Kaia's accounts: `knit dev --fork-url` against another `knit dev`, both as processes. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Wallet } from "ethers";
import { type DevNode, startDevNode } from "../support/dev-node.ts";
import { runKnit } from "../support/knit-process.ts";
import { call } from "../support/rpc-client.ts";

const WHALE = `0x${"aa".repeat(20)}`;
const KEYED = `0x${"ab".repeat(20)}`;
const EMPTY = `0x${"cd".repeat(20)}`;
/** Returns the word in slot 0. */
const READS = `0x${"11".repeat(20)}`;
const READS_CODE = "0x60005460005260206000f3";
/** Calls the address in slot 1 and returns its word. */
const ASKS = `0x${"22".repeat(20)}`;
const ASKS_CODE = "0x60206000600060006001545afa5060206000f3";
/** Sets its slot 0 to zero. */
const CLEARS = `0x${"33".repeat(20)}`;
const CLEARS_CODE = "0x600060005500";
const WORD = `0x${"2a".padStart(64, "0")}`;
const ZERO = `0x${"0".repeat(64)}`;
/** A public key of an account, serialised. */
const KEY = `0x02a1${new Wallet(`0x${"01".repeat(32)}`).signingKey.compressedPublicKey.slice(2)}`;

let cache = "";
let origin: DevNode;
let fork: DevNode;
const cacheBefore = process.env["XDG_CACHE_HOME"];

const ask = (method: string, ...params: unknown[]): Promise<unknown> => call(fork.http, method, ...params);
const pad = (address: string): string => `0x${address.slice(2).padStart(64, "0")}`;

beforeAll(async () => {
  cache = mkdtempSync(join(tmpdir(), "knit-fork-"));
  process.env["XDG_CACHE_HOME"] = cache;
  origin = await startDevNode("--chain-id", "4242");
  const set = (method: string, ...params: unknown[]) => call(origin.http, method, ...params);
  for (const [address, code] of [
    [READS, READS_CODE],
    [ASKS, ASKS_CODE],
    [CLEARS, CLEARS_CODE],
  ])
    await set("anvil_setCode", address, code);
  await set("anvil_setStorageAt", READS, "0x0", WORD);
  await set("anvil_setStorageAt", CLEARS, "0x0", WORD);
  await set("anvil_setStorageAt", ASKS, "0x1", pad(READS));
  await set("anvil_setBalance", WHALE, "0xde0b6b3a7640000");
  const keyed = { nonce: 1, balance: "0x5", code: "0x", knit: { kind: "eoa", key: KEY, codeInfo: 0 } };
  await set(
    "anvil_loadState",
    `0x${Buffer.from(JSON.stringify({ accounts: { [KEYED]: keyed } })).toString("hex")}`,
  );
  await set("evm_mine");
  fork = await startDevNode("--fork-url", origin.http, "--fork-block-number", "1");
}, 120_000);

afterAll(async () => {
  await fork.knit.stop();
  await origin.knit.stop();
  if (cacheBefore === undefined) delete process.env["XDG_CACHE_HOME"];
  else process.env["XDG_CACHE_HOME"] = cacheBefore;
  rmSync(cache, { recursive: true });
});

describe("with its origin", () => {
  test("accounts, keys, code and storage are those of the origin, and so is the chain id", async () => {
    const questions: [string, ...unknown[]][] = [
      ["eth_chainId"],
      ["eth_getBalance", WHALE, "latest"],
      ["eth_getTransactionCount", KEYED, "latest"],
      ["klay_getAccountKey", KEYED, "latest"],
      ["eth_getCode", READS, "latest"],
      ["eth_getStorageAt", READS, "0x0", "latest"],
      ["eth_getBalance", EMPTY, "latest"],
    ];
    for (const question of questions)
      expect([question, await ask(...question)]).toEqual([question, await call(origin.http, ...question)]);
    expect(await ask("klay_getAccountKey", KEYED, "latest")).toMatchObject({ keyType: 2 });
    expect(await ask("anvil_nodeInfo")).toMatchObject({
      forkConfig: { forkUrl: origin.http, forkBlockNumber: 1 },
    });
  });

  test("a call reads through contracts whose addresses are in storage", async () => {
    expect(await ask("eth_call", { to: ASKS }, "latest")).toBe(WORD);
    expect(await call(origin.http, "eth_call", { to: ASKS }, "latest")).toBe(WORD);
    expect(Number(await ask("eth_estimateGas", { to: ASKS }))).toBeGreaterThan(21_000);
  });

  test("a slot that a transaction cleared stays so, until a revert", async () => {
    const snapshot = await ask("evm_snapshot");
    await ask("hardhat_impersonateAccount", WHALE);
    await ask("eth_sendTransaction", { from: WHALE, to: CLEARS, gas: "0x186a0" });
    expect(await ask("eth_getStorageAt", CLEARS, "0x0", "latest")).toBe(ZERO);
    expect(await ask("eth_getTransactionCount", WHALE, "latest")).toBe("0x1");
    await ask("evm_revert", snapshot);
    expect(await ask("eth_getStorageAt", CLEARS, "0x0", "latest")).toBe(WORD);
    expect(await call(origin.http, "eth_getTransactionCount", WHALE, "latest")).toBe("0x0");
  });

  test("an edit comes after what is fetched", async () => {
    const snapshot = await ask("evm_snapshot");
    await ask("anvil_setNonce", WHALE, "0x7");
    expect(await ask("eth_getBalance", WHALE, "latest")).toBe("0xde0b6b3a7640000");
    await ask("anvil_setStorageAt", READS, "0x0", ZERO);
    expect(await ask("eth_call", { to: ASKS }, "latest")).toBe(ZERO);
    await ask("evm_revert", snapshot);
    expect(await ask("eth_call", { to: ASKS }, "latest")).toBe(WORD);
  });

  test("a raw transaction finds the contract that it calls", async () => {
    const wallet = new Wallet(fork.funded[3]?.key ?? "");
    const raw = await wallet.signTransaction({
      to: CLEARS,
      gasLimit: 100_000n,
      gasPrice: 50_000_000_000n,
      chainId: 4242n,
      type: 0,
      nonce: 0,
    });
    const hash = await ask("eth_sendRawTransaction", raw);
    expect(await ask("eth_getTransactionReceipt", hash)).toMatchObject({ status: "0x1" });
    expect(await ask("eth_getStorageAt", CLEARS, "0x0", "latest")).toBe(ZERO);
  });

  test("another endpoint of the same chain takes over, one of another chain does not", async () => {
    const other = origin.http.replace("127.0.0.1", "localhost");
    expect(await ask("anvil_setRpcUrl", other)).toBeNull();
    expect(await ask("anvil_nodeInfo")).toMatchObject({ forkConfig: { forkUrl: other, forkBlockNumber: 1 } });
    await ask("anvil_mine");
    await expect(ask("anvil_setRpcUrl", fork.http)).rejects.toMatchObject({
      message: "block 1 at this endpoint is not the block of the fork",
    });
    await ask("anvil_setRpcUrl", origin.http);
  });

  test("a reset ends a fork and begins one", async () => {
    await ask("hardhat_reset");
    expect(await ask("eth_getBalance", WHALE, "latest")).toBe("0x0");
    await ask("hardhat_reset", { forking: { jsonRpcUrl: origin.http, blockNumber: 1 } });
    expect(await ask("eth_getBalance", WHALE, "latest")).toBe("0xde0b6b3a7640000");
    await expect(
      ask("anvil_reset", { forking: { jsonRpcUrl: origin.http, blockNumber: 99 } }),
    ).rejects.toMatchObject({
      message: expect.stringContaining("has no block 99"),
    });
    expect(await ask("eth_getBalance", WHALE, "latest")).toBe("0xde0b6b3a7640000");
  });
});

/** Returns what a fork has of the origin, changed or not. */
function read(url: string): Promise<unknown[]> {
  return Promise.all([
    call(url, "eth_getBalance", WHALE, "latest"),
    call(url, "eth_getStorageAt", CLEARS, "0x0", "latest"),
    call(url, "eth_call", { to: ASKS }, "latest"),
    call(url, "klay_getAccountKey", KEYED, "latest"),
  ]);
}

/** Changes a fork, and reads a part of a contract. */
async function change({ http, funded }: DevNode): Promise<void> {
  await call(http, "eth_sendTransaction", { from: funded[0]?.address, to: CLEARS, gas: "0x186a0" });
  await call(http, "anvil_setBalance", WHALE, "0x65");
  await call(http, "eth_getStorageAt", ASKS, "0x0", "latest");
  const inner = await call(http, "evm_snapshot");
  await call(http, "eth_call", { to: ASKS }, "latest");
  await call(http, "evm_revert", inner);
}

describe("a fork that is kept", () => {
  const AFTER = ["0x65", ZERO, WORD, expect.objectContaining({ keyType: 2 })];

  test("goes on in its directory after a kill, with what it has changed and with what it has not read", async () => {
    const directory = join(cache, "kept");
    const flags = ["--datadir", directory, "--block-time", "auto"];
    const first = await startDevNode(...flags, "--fork-url", origin.http, "--fork-block-number", "1");
    await change(first);
    await first.knit.stop("SIGKILL");
    const again = await startDevNode(...flags);
    try {
      expect(await call(again.http, "anvil_nodeInfo")).toMatchObject({
        currentBlockNumber: "0x1",
        forkConfig: { forkUrl: origin.http, forkBlockNumber: 1 },
      });
      expect(await read(again.http)).toEqual(AFTER);
      expect(await call(again.http, "eth_getStorageAt", ASKS, "0x1", "latest")).toBe(pad(READS));
      await call(again.http, "anvil_reset");
      expect((await read(again.http)).slice(0, 2)).toEqual(["0xde0b6b3a7640000", WORD]);
    } finally {
      await again.knit.stop();
    }
    await ask("anvil_mine", 2);
    const refused: readonly (readonly [readonly string[], string])[] = [
      [["--fork-block-number", "0"], "a fork of block 1"],
      [["--fork-url", fork.http], "is not the one that the data directory forks"],
    ];
    for (const [more, reason] of refused)
      expect(await runKnit("dev", ...flags, "--rpcport", "0", "--wsport", "0", ...more)).toMatchObject({
        code: 1,
        output: expect.stringContaining(reason),
      });
  }, 120_000);

  test("is loaded from a dump into another fork of the block, which reads the rest of its contracts", async () => {
    const flags = ["--fork-url", origin.http, "--fork-block-number", "1"];
    const first = await startDevNode(...flags);
    await change(first);
    const dump = await call(first.http, "anvil_dumpState");
    await first.knit.stop();
    const second = await startDevNode(...flags);
    try {
      expect(await call(second.http, "anvil_loadState", dump)).toBe(true);
      expect(await read(second.http)).toEqual(AFTER);
    } finally {
      await second.knit.stop();
    }
  }, 120_000);

  test("is not begun in a directory that has another chain", async () => {
    const directory = join(cache, "other");
    const other = await startDevNode("--datadir", directory);
    await other.knit.stop();
    expect(await runKnit("dev", "--datadir", directory, "--fork-url", origin.http)).toMatchObject({
      code: 1,
      output: expect.stringContaining("is no fork"),
    });
  }, 60_000);
});

test("without its origin a fork goes on from its cache, and says what it cannot read", async () => {
  await origin.knit.stop();
  await fork.knit.stop();
  fork = await startDevNode("--fork-url", origin.http, "--fork-block-number", "1");
  expect(await ask("eth_call", { to: ASKS }, "latest")).toBe(WORD);
  await expect(ask("eth_getBalance", `0x${"ef".repeat(20)}`, "latest")).rejects.toMatchObject({
    code: -32000,
    message: expect.stringMatching(/^the forked chain is not reached: 127\.0\.0\.1:\d+: /),
  });
  expect(await ask("eth_blockNumber")).toBe("0x0");
}, 60_000);

describe("a bad origin", () => {
  test.each([
    ["an HTML page", 200, "<html>", "answers"],
    ["an error of HTTP", 404, "", "HTTP 404"],
    ["an error of JSON-RPC", 200, '{"error":{"message":"no such thing"}}', "no such thing"],
    ["an answer without a result", 200, "{}", "without a result"],
    ["a result of another kind", 200, '{"result":"maybe"}', "something else"],
  ])("that answers with %s ends the start", async (_case, status, body, reason) => {
    const server = createServer((_request, response) => response.writeHead(status).end(body)).listen(
      0,
      "127.0.0.1",
    );
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      expect(await runKnit("dev", "--fork-url", url)).toMatchObject({
        code: 1,
        output: expect.stringContaining(reason),
      });
    } finally {
      server.close();
    }
  });

  test.each([
    [["--fork-url", "ftp://example"], "a URL of http or https"],
    [["--fork-block-number", "1"], "--fork-block-number needs --fork-url"],
  ])("of %j is refused", async (flags, reason) => {
    expect(await runKnit("dev", ...flags)).toMatchObject({
      code: 1,
      output: expect.stringContaining(reason),
    });
  });
});
