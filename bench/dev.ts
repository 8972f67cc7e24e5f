/**
 * Development chains as a test suite uses them, Knit beside Anvil: milliseconds to the first answer, 1,000 transfers
 * and 1,000 token transfers one after another with a block each, a suite of 200 tests, and a snapshot with its revert
 * over a state of many accounts. Each transaction is waited for until its receipt is there, as tools do: Anvil answers
 * before. The two run alternately; figures are medians of the rounds.
 *
 *   npm run build && node bench/dev.ts [--runs 5] [--transactions 1000] [--accounts 100000] [--install]
 */
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { fromHex, toHex } from "../node/bytes/hex.ts";
import { freePort } from "../test/support/go-node.ts";
import { TOKEN_CODE, tokenSlot, tokenTransfer } from "../test/support/token.ts";
import { ask } from "./rpc/ask.ts";
import { peerFile, peerPackages, peerPlace } from "./rpc/peers.ts";
import { type RunningNode, startNode } from "./rpc/running.ts";
import { BUILT_MAIN } from "./support/built-knit.ts";
import { median, report, roundTo } from "./support/figures.ts";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "5" },
    transactions: { type: "string", default: "1000" },
    accounts: { type: "string", default: "100000" },
    install: { type: "boolean", default: false },
  },
});
const [runs, transactions, accounts] = [values.runs, values.transactions, values.accounts].map(Number) as [
  number,
  number,
  number,
];

/** The first account of both. */
const FROM = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
/** Returns the code of the token. */
const DEPLOYMENT = `0x61${TOKEN_CODE.length.toString(16).padStart(4, "0")}80600c6000396000f3${toHex(TOKEN_CODE).slice(2)}`;
/** Tokens of the sender. */
const HELD = `0x${"1".padStart(64 - 8, "0")}${"0".repeat(8)}`;
const TOKEN = `0x${"70".repeat(20)}`;
const ACCOUNTS_A_CALL = 5_000;
const REVERTS = 20;

type Row = "first answer" | "transfers" | "token transfers" | "suite" | "snapshot and revert";

/** Tests of the suite, each with a contract of its own. */
const TESTS = 200;
const figures = new Map<string, Map<Row, number[]>>();

function add(target: string, row: Row, value: number): void {
  const rows = figures.get(target) ?? new Map<Row, number[]>();
  figures.set(target, rows.set(row, [...(rows.get(row) ?? []), value]));
}

async function launch(target: string): Promise<RunningNode | undefined> {
  const port = String(await freePort());
  const targets = { http: `http://127.0.0.1:${port}` };
  if (target === "knit") {
    const args = [BUILT_MAIN, "dev", "--rpcport", port, "--wsport", "0", "--prometheusport", "0"];
    return startNode({ command: process.execPath, args, targets });
  }
  const command = peerFile(await peerPlace(undefined, values.install), peerPackages.anvil);
  if (command === undefined) return undefined;
  return startNode({ command, args: ["--silent", "--port", port], targets });
}

interface Receipt {
  readonly status: string;
  readonly contractAddress: string;
}

/** Sends a transaction and asks until its receipt is there. */
async function send(http: string, call: object): Promise<Receipt> {
  const sent = await ask<string>(http, "eth_sendTransaction", [{ from: FROM, ...call }]);
  for (;;) {
    const receipt = await ask<Receipt | null>(http, "eth_getTransactionReceipt", [sent]);
    if (receipt === null) continue;
    if (receipt.status !== "0x1") throw new Error("a transaction failed");
    return receipt;
  }
}

/** Returns transactions a second. */
async function sendAll(http: string, callOf: (i: number) => object): Promise<number> {
  const started = performance.now();
  for (let i = 0; i < transactions; i++) await send(http, callOf(i));
  return (transactions * 1000) / (performance.now() - started);
}

/** Recipient of a transfer. */
function to(i: number): string {
  return `0x${(0x1_0000 + i).toString(16).padStart(40, "0")}`;
}

async function measure(target: string): Promise<void> {
  await using node = await launch(target);
  if (node === undefined) return;
  const { http } = node.targets;
  add(target, "first answer", node.firstAnswerMs);
  add(target, "transfers", await sendAll(http, (i) => ({ to: to(i), value: "0x1", gas: "0x5208" })));
  await ask(http, "anvil_setCode", [TOKEN, toHex(TOKEN_CODE)]);
  await ask(http, "anvil_setStorageAt", [TOKEN, toHex(tokenSlot(fromHex(FROM))), HELD]);
  const call = (i: number): object => ({
    to: TOKEN,
    data: toHex(tokenTransfer(fromHex(to(i)), 1)),
    gas: "0x186a0",
  });
  add(target, "token transfers", await sendAll(http, call));
  add(target, "suite", await runSuite(http));
  await fill(http);
  const started = performance.now();
  for (let i = 0; i < REVERTS; i++) {
    const id = await ask<string>(http, "evm_snapshot", []);
    await send(http, { to: to(i), value: "0x1", gas: "0x5208" });
    await ask(http, "evm_revert", [id]);
  }
  add(target, "snapshot and revert", (performance.now() - started) / REVERTS);
}

/**
 * Runs tests as a project has them: each takes a snapshot, deploys a token, sends, reads, searches logs, moves
 * the clock and reverts. Returns milliseconds.
 */
async function runSuite(http: string): Promise<number> {
  const started = performance.now();
  for (let i = 0; i < TESTS; i++) {
    const id = await ask<string>(http, "evm_snapshot", []);
    const { contractAddress: token } = await send(http, { data: DEPLOYMENT, gas: "0x2dc6c0" });
    await ask(http, "anvil_setStorageAt", [token, toHex(tokenSlot(fromHex(FROM))), HELD]);
    const call = { from: FROM, to: token, data: toHex(tokenTransfer(fromHex(to(i)), 1)) };
    const gas = await ask<string>(http, "eth_estimateGas", [call]);
    await send(http, { ...call, gas });
    for (let read = 0; read < 5; read++) await ask(http, "eth_call", [call, "latest"]);
    await ask(http, "eth_getLogs", [{ address: token, fromBlock: "0x0" }]);
    await ask(http, "evm_increaseTime", [60]);
    await ask(http, "evm_mine", []);
    await ask(http, "evm_revert", [id]);
  }
  return performance.now() - started;
}

/** Members that Anvil wants. */
const EMPTY_DUMP = { block: null, best_block_number: null, blocks: [], transactions: [] };

/** Gives both the same accounts, through a dump. */
async function fill(http: string): Promise<void> {
  for (let from = 0; from < accounts; from += ACCOUNTS_A_CALL) {
    const count = Math.min(ACCOUNTS_A_CALL, accounts - from);
    const list = Array.from({ length: count }, (_, i) => [
      `0x${(0x9_0000_0000 + from + i).toString(16).padStart(40, "0")}`,
      { nonce: 1, balance: "0x1", code: "0x", storage: {} },
    ]);
    const state = gzipSync(JSON.stringify({ ...EMPTY_DUMP, accounts: Object.fromEntries(list) }));
    await ask(http, "anvil_loadState", [`0x${state.toString("hex")}`]);
  }
}

for (let run = 0; run < runs; run++) for (const target of ["knit", "anvil"]) await measure(target);
for (const [target, rows] of figures)
  for (const [row, all] of rows)
    report({ bench: "dev", target, row, runs, transactions, accounts, value: roundTo(median(all)) });
