/** State files of a development chain: dumps of Knit go round, those of Anvil are loaded. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type DevNode, startDevNode } from "../support/dev-node.ts";
import { runKnit } from "../support/knit-process.ts";
import { call } from "../support/rpc-client.ts";

const NOBODY = "0x00000000000000000000000000000000aaaaaaaa";
const CONTRACT = "0x1111111111111111111111111111111111111111";
const READS_SLOT = "0x60005460005260206000f3";
const WORD = `0x${"2a".padStart(64, "0")}`;
/** A dump of Anvil 1.7.1 with READS_SLOT and the word 42 in slot 0 of CONTRACT. */
const ANVIL_FILE = "test/support/dev/anvil-state.json";

let node: DevNode;
let directory = "";

const ask = (method: string, ...params: unknown[]): Promise<unknown> => call(node.http, method, ...params);
const contents = (): Promise<unknown[]> =>
  Promise.all([
    ask("eth_getBalance", NOBODY, "latest"),
    ask("eth_getTransactionCount", NOBODY, "latest"),
    ask("eth_call", { to: CONTRACT }, "latest"),
  ]);

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "knit-dump-"));
  node = await startDevNode();
}, 60_000);

afterAll(async () => {
  await node.knit.stop();
  rmSync(directory, { recursive: true });
});

test("a dump brings accounts, code and storage back, and a revert takes them away", async () => {
  await ask("anvil_setBalance", NOBODY, "0x7");
  await ask("anvil_setNonce", NOBODY, "0x3");
  await ask("anvil_setCode", CONTRACT, READS_SLOT);
  await ask("anvil_setStorageAt", CONTRACT, "0x0", WORD);
  const state = String(await ask("anvil_dumpState"));
  const dumped = gunzipSync(Buffer.from(state.slice(2), "hex")).toString();
  expect(JSON.parse(dumped)).toMatchObject({
    block: { number: "0x0" },
    accounts: {
      [CONTRACT]: { code: READS_SLOT, storage: { [`0x${"0".repeat(64)}`]: WORD } },
      [NOBODY]: { nonce: 3 },
    },
  });
  await ask("anvil_reset");
  expect(await contents()).toEqual(["0x0", "0x0", "0x"]);
  const snapshot = await ask("evm_snapshot");
  expect(await ask("anvil_loadState", state)).toBe(true);
  expect(await contents()).toEqual(["0x7", "0x3", WORD]);
  await ask("evm_revert", snapshot);
  expect(await contents()).toEqual(["0x0", "0x0", "0x"]);
});

test("a dump of Anvil is loaded, packed and as text", async () => {
  const text = readFileSync(ANVIL_FILE);
  for (const bytes of [text, gzipSync(text)]) {
    await ask("anvil_reset");
    expect(await ask("anvil_loadState", `0x${bytes.toString("hex")}`)).toBe(true);
    expect((await contents())[2]).toBe(WORD);
  }
});

test.each([
  ["no gzip", "0x1234"],
  ["JSON without accounts", `0x${Buffer.from("{}").toString("hex")}`],
  ["a half archive", `0x${gzipSync('{"accounts":{}}').subarray(0, 20).toString("hex")}`],
  [
    "an account without a balance",
    `0x${Buffer.from(JSON.stringify({ accounts: { [NOBODY]: { nonce: 1 } } })).toString("hex")}`,
  ],
])("%s is refused and changes nothing", async (_case, state) => {
  await ask("anvil_reset");
  await expect(ask("anvil_loadState", state)).rejects.toMatchObject({
    code: -32602,
    message: expect.stringMatching(/^Failed to decode state dump/),
  });
  expect(await contents()).toEqual(["0x0", "0x0", "0x"]);
});

test("a state file is written when the chain stops, and the next chain starts with it", async () => {
  const file = join(directory, "state.json");
  const first = await startDevNode("--state", file);
  await call(first.http, "anvil_setBalance", NOBODY, "0x9");
  expect(existsSync(file)).toBe(false);
  expect(await first.knit.stop("SIGINT")).toBe(0);
  const second = await startDevNode("--load-state", file, "--dump-state", join(directory, "other.json"));
  expect(await call(second.http, "eth_getBalance", NOBODY, "latest")).toBe("0x9");
  await second.knit.stop();
  expect(JSON.parse(readFileSync(join(directory, "other.json"), "utf8"))).toMatchObject({
    accounts: { [NOBODY]: { balance: "0x9" } },
  });
  writeFileSync(file, "{");
  const { code, output } = await runKnit(
    "dev",
    "--state",
    file,
    "--rpcport",
    "0",
    "--wsport",
    "0",
    "--prometheusport",
    "0",
  );
  expect([code, output]).toEqual([1, expect.stringContaining(`${file} cannot be loaded`)]);
}, 60_000);
