/** Tests of `npm run vectors`: kinds of vectors, verdicts and totals. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { fromBareHex } from "../../node/bytes/hex.ts";
import { isLowS } from "../../node/crypto/secp256k1.ts";
import { readSuite } from "../support/core-vectors.ts";
import { cryptoVectors, type WycheproofCase } from "../support/crypto-vectors.ts";
import type { BlockCase } from "../support/suite-blocks.ts";
import type { StateCase } from "../support/suite-state.ts";
import { judgeVector } from "../support/vectors-kinds.ts";

/** Every kind of transaction and account key, contracts of every fork level, votes; by default the newest forks. */
const RECORDED = [
  "osaka-randao",
  ...(process.env["KNIT_ALL_CASES"] === "1"
    ? ["none", "london", "kore", "cancun", "prague", "fork-ladder", "four-validators"]
    : []),
];
const VECTORS = join(import.meta.dirname, "../vectors");
let directory = "";

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-vectors-"));
});

afterAll(() => rmSync(directory, { recursive: true }));

/** Writes a vector of one's own. */
function aVector(name: string, json: unknown): string {
  const path = join(directory, name);
  const text = JSON.stringify(json);
  writeFileSync(path, name.endsWith(".gz") ? gzipSync(text) : text);
  return path;
}

function run(...paths: string[]) {
  const { stdout, status } = spawnSync(process.execPath, ["scripts/vectors.ts", ...paths], {
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  return { lines: stdout.trimEnd().split("\n"), status };
}

test("suites of encodings pass case by case, and the last line has the totals", () => {
  const suites = ["rlp.json.gz", "kaia-transaction.json.gz"].map((name) => join(VECTORS, "core-tests", name));
  const { lines, status } = run(...suites);
  expect(lines.at(-1)).toBe("118 passed, 0 failed");
  expect(lines).toHaveLength(3);
  expect(status).toBe(0);
});

test("a chain of transfers passes to the last account of its state", async () => {
  const { passed, failures } = await judgeVector(join(VECTORS, "chains/transfers"));
  expect(failures).toEqual([]);
  expect(passed).toBeGreaterThan(28_000 + 41 + 3_102);
});

test.each(RECORDED)(
  "the recorded chain %s replays to the same roots, refusals and accounts",
  async (name) => {
    const { passed, failures } = await judgeVector(join(VECTORS, "chains", name));
    expect(passed).toBeGreaterThan(300);
    expect(failures.filter((line) => !line.includes(": not yet: "))).toEqual([]);
  },
  120_000,
);

test("a file of a recorded chain stands for the whole folder", async () => {
  const folder = join(VECTORS, "chains/none");
  expect(await judgeVector(join(folder, "receipts.json.gz"))).toEqual(await judgeVector(folder));
});

test("a chain that is not packed is judged too, and fails where it was changed", async () => {
  const folder = join(directory, "changed");
  mkdirSync(folder);
  cpSync(join(VECTORS, "chains/flex-osaka/genesis.json"), join(folder, "genesis.json"));
  const bytes = gunzipSync(readFileSync(join(VECTORS, "chains/flex-osaka/chain.rlp.gz")));
  const at = bytes.length - 40; // in the newest block's header
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  const file = join(folder, "chain.rlp");
  writeFileSync(file, bytes);
  const { failures, passed } = await judgeVector(file);
  expect(passed).toBeGreaterThan(24);
  expect(failures).toEqual(["execution: expected every block to be taken, found block 24: unauthorized"]);
});

test("recorded connections pass, by their folder and by their file", async () => {
  const [folder, file] = await Promise.all([
    judgeVector(join(VECTORS, "network")),
    judgeVector(join(VECTORS, "network/connections.json.gz")),
  ]);
  expect(folder.failures).toEqual([]);
  expect(folder.passed).toBeGreaterThan(100);
  expect(file).toEqual(folder);
});

test("samples of handshakes, frames and node URLs pass, sections that nothing reads are not yet", async () => {
  const samples = JSON.parse(readFileSync(join(VECTORS, "network/samples.json"), "utf8")) as object;
  const { passed, failures } = await judgeVector(aVector("network.json", { ...samples, comets: {} }));
  expect(failures).toEqual(["comets: not yet: nothing here reads it"]);
  expect(passed).toBeGreaterThan(20);
});

test("a wrong expectation is shown with what was found, and the exit code says so", () => {
  const path = aVector("rlp-own.json.gz", {
    "a.json": { good: { in: "VALID", out: "c0" }, bad: { in: "VALID", out: "8100" } },
  });
  const { lines, status } = run(path);
  expect(lines).toEqual([`${path}: a.json bad: expected "VALID", found "INVALID"`, "1 passed, 1 failed"]);
  expect(status).toBe(1);
});

test("a state test passes by its root and logs, and fails when either is another", async () => {
  const suite = readSuite<StateCase>(join(VECTORS, "core-tests/kaia-state.json.gz"));
  const one = suite["stCodeCopyTest/ExtCodeCopyTests.json"]?.["ExtCodeCopyTests"];
  const [expected] = one?.post["Byzantium"] ?? [];
  const changed = {
    ...one,
    post: { Byzantium: [{ ...expected, hash: `0x${"11".repeat(32)}` }], Tomorrow: [expected] },
  };
  const path = aVector("own-state.json.gz", { "a.json": { right: one, wrong: changed, empty: {} } });
  const { passed, failures, excluded } = await judgeVector(path);
  expect([passed, excluded]).toEqual([1, { fork: 1 }]);
  expect(failures).toEqual([
    expect.stringMatching(/^a.json wrong Byzantium 0: expected root 0x1111.*, found 0x/),
    expect.stringMatching(/^a.json empty: /),
  ]);
});

test("a case that differs by a rule is counted under it, with the Go file, and one without a rule fails", () => {
  const suite = readSuite<StateCase>(join(VECTORS, "core-tests/kaia-state.json.gz"));
  const excluded = suite["stArgsZeroOneBalance/callNonConst.json"]?.["callNonConst"];
  const path = aVector("rules-state.json.gz", { "a.json": { callNonConst: excluded } });
  const { lines, status } = run(path);
  expect(lines).toContain(
    "| reserved-address | 1 | precompiled contracts take no value, and are no recipients of transfers | `blockchain/vm/evm.go@v2.2.2` |",
  );
  expect([lines.at(-1), status]).toEqual(["0 passed, 0 failed", 0]);
});

test("a file of Ethereum's suites is judged by its members, whatever its name", async () => {
  const blocks = readSuite<BlockCase>(join(VECTORS, "core-tests/spec-blockchain.json.gz"));
  const [tests = {}] = Object.values(blocks);
  const [name = ""] = Object.keys(tests);
  const { postState = {}, ...one } = tests[name] as BlockCase;
  const [, address = ""] = Object.keys(postState); // the first one is the contract of beacon roots
  const changed = { ...postState, [address]: { ...postState[address], balance: "0x1234567" } };
  const path = aVector("anything.json", {
    right: { ...one, postState },
    wrong: { ...one, postState: changed },
  });
  const { passed, failures } = await judgeVector(path);
  expect(passed).toBe(1);
  expect(failures).toEqual([
    expect.stringMatching(/^anything.json wrong: 0x[0-9a-f]{40}: expected .*19088743/),
  ]);
});

test("a file of Wycheproof is judged case by case, and forms that no signature here has fall under a rule", async () => {
  const [p1363] =
    cryptoVectors<WycheproofCase>("wycheproof")["ecdsa"]?.filter(
      ({ result, signature }) => result === "valid" && isLowS(fromBareHex(signature).subarray(32)),
    ) ?? [];
  if (p1363 === undefined) throw new Error("the recorded cases have a valid one");
  const { publicKey, message: msg, signature: sig } = p1363;
  const group = { publicKey: { curve: "secp256k1", uncompressed: publicKey }, sha: "SHA-256" };
  const ofResult = (...results: string[]) =>
    results.map((result, tcId) => ({ tcId, comment: "", msg, sig, result }));
  const path = aVector("ecdsa_test.json", {
    numberOfTests: 4,
    testGroups: [
      { ...group, type: "EcdsaP1363Verify", tests: ofResult("valid", "invalid") },
      { ...group, type: "EcdsaVerify", tests: ofResult("invalid") },
      { type: "RsaesOaepDecrypt", tests: ofResult("valid") },
    ],
  });
  expect(await judgeVector(path)).toEqual({
    passed: 1,
    failed: 1,
    failures: ["case 1 (): expected invalid, found valid"],
    excluded: { "der-signature": 1, algorithm: 1 },
  });
});

test("counts are written under the name of a suite, in the place of an earlier run", () => {
  const file = join(directory, "results.json");
  const suites = ["rlp.json.gz", "kaia-transaction.json.gz"].map((name) => join(VECTORS, "core-tests", name));
  const [rlp, transactions] = suites;
  writeFileSync(
    file,
    JSON.stringify([{ suite: "encodings", date: "2020-01-01", go: 7, passed: 1, failed: 1 }]),
  );
  expect(run("--results", file, `encodings=${rlp}`, `transactions=${transactions}`).status).toBe(0);
  const date = expect.stringMatching(/^20[2-9]\d-\d\d-\d\d$/);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual([
    { suite: "encodings", date, go: 7, passed: expect.any(Number), excluded: {}, failed: 0 },
    { suite: "transactions", date, passed: expect.any(Number), excluded: {}, failed: 0 },
  ]);
});

test("a trie suite compares roots", async () => {
  const root = "0x29b235a58c3c25ab83010c327d5932bcf05324b7d6b1185e650798034783ca9d";
  const changes = [
    ["do", "verb"],
    ["ether", "wookiedoo"],
    ["horse", "stallion"],
    ["shaman", "horse"],
    ["doge", "coin"],
    ["ether", null],
    ["dog", "puppy"],
    ["shaman", null],
  ];
  const path = aVector("trie.json.gz", {
    "a_secure.json": { right: { in: changes, root }, wrong: { in: changes.slice(1), root } },
    "b.json": { plain: { in: changes, root } },
  });
  const { passed, failures } = await judgeVector(path);
  expect(passed).toBe(1);
  expect(failures).toEqual([
    expect.stringMatching(/^a_secure.json wrong: expected "0x29b235.*", found "0x/),
    "b.json plain: not yet: tries here have hashed keys",
  ]);
});

test("a transcript is played against a node: every answer is compared, byte for byte", async () => {
  const path = aVector("transcript.json.gz", {
    chain: "transfers",
    node: "kaia-2.2.1",
    networkId: 77,
    nodeKey: "01".repeat(32),
    entries: [
      recordedAnswer(0, "net_version", '"77"'),
      recordedAnswer(1, "klay_blockNumber", '"0x29"', { via: "ipc" }),
      recordedAnswer(2, "net_version", '"78"'),
      recordedAnswer(3, "admin_datadir", '"DATADIR"'),
    ],
  });
  expect(await judgeVector(path)).toEqual({
    passed: 3,
    failed: 1,
    failures: [
      expect.stringMatching(/^entry 2 \(chain-reads\) net_version: at \d+: expected .*78.*, found .*77/),
    ],
  });
});

test.each([
  ["a file of no kind", () => aVector("other.json", { a: 1 })],
  ["a file that is not JSON", () => join(VECTORS, "core-tests/LICENSE")],
  ["an empty folder", () => mkdtempSync(join(directory, "empty-"))],
  ["nothing at all", () => join(directory, "missing")],
])("%s is one failure", async (_name, path) => {
  const { passed, failed } = await judgeVector(path());
  expect({ passed, failed }).toEqual({ passed: 0, failed: 1 });
});

test("without a path there is nothing to pass", () => {
  expect(run()).toEqual({ lines: ["0 passed, 1 failed"], status: 1 });
});

/** An entry of a transcript. */
function recordedAnswer(n: number, method: string, result: string, more: object = {}): object {
  return {
    n,
    group: "chain-reads",
    via: "http",
    request: JSON.stringify({ jsonrpc: "2.0", id: n, method, params: [] }),
    status: 200,
    response: `{"jsonrpc":"2.0","id":${n},"result":${result}}\n`,
    ...more,
  };
}
