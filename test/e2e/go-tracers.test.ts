/**
 * The Go node judges traces: default traces and tracers written in JavaScript, on every transaction of a recorded
 * chain. Needs its binary: KNIT_PEER_KCN.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { storeReading } from "../../node/calls/chain-reading.ts";
import { rpcProfiles } from "../../node/compat/profiles.ts";
import { parseGenesis } from "../../node/config/genesis.ts";
import { decodeBlock } from "../../node/model/block.ts";
import { traceMethods } from "../../node/rpc/traces.ts";
import { askRow } from "../support/ask-row.ts";
import { aChain, type TestChain } from "../support/chain.ts";
import { blocksWithoutFirst, type GoImporter, hasGoNode, openGoImporter } from "../support/go-node.ts";
import { readRecordedChain } from "../support/recorded-chain.ts";

const FOLDER = "test/vectors/chains/prague";
const ENOUGH = "60s";
/** Tracer that records opcodes and failed opcodes. */
const STEPS = `{list: [], n: 0,
  step: function (log, db) {
    if (this.n++ > 300) return;
    var contract = log.contract;
    this.list.push([log.op.toString(), log.op.toNumber(), log.op.isPush(), log.getPC(), log.getGas(), log.getCost(),
      log.getDepth(), log.getRefund(), log.getError(), log.stack.length(), log.stack.peek(0), log.stack.peek(1),
      log.stack.peek(log.stack.length() - 1), log.stack.peek(2000)]);
    if (this.n % 5 === 0) this.list.push([toHex(log.memory.slice(0, 32)), toHex(log.memory.slice(32, 96)),
      log.memory.getUint(64), toHex(contract.getCaller()), toHex(contract.getAddress()), contract.getValue(),
      toHex(contract.getInput()), db.getBalance(contract.getAddress()), db.getNonce(contract.getAddress()),
      toHex(db.getCode(contract.getAddress())).length, toHex(db.getState(contract.getAddress(), toWord("0x0")))]);
  },
  fault: function (log) {
    this.list.push(["fault", log.op.toString(), log.getPC(), log.getError(), log.stack.length(), log.stack.peek(0),
      toHex(log.memory.slice(0, 64))]);
  },
  result: function () { return [this.n, this.list] }}`;
/** Tracer that records frames and the transaction. */
const FRAMES = `{list: [],
  fault: function () { this.list.push("fault") },
  enter: function (frame) {
    this.list.push([frame.getType(), toHex(frame.getFrom()), toHex(frame.getTo()), toHex(frame.getInput()),
      frame.getGas(), frame.getValue()]);
  },
  exit: function (end) { this.list.push([end.getGasUsed(), toHex(end.getOutput()), end.getError()]) },
  result: function (ctx, db) {
    var shown = {};
    Object.keys(ctx).sort().forEach(function (key) {
      var value = ctx[key];
      shown[key] = typeof value === "object" && value.length !== undefined ? toHex(value) : value;
    });
    return [this.list, shown, db.getBalance(ctx.from), db.getNonce(ctx.from), db.exists(ctx.to)];
  }}`;

let directory: string;
let chain: TestChain | undefined;
let go: GoImporter | undefined;

const judged = hasGoNode ? test : test.skip;
const reason = hasGoNode ? "" : " (skipped: KNIT_PEER_KCN names no Go node)";

beforeAll(async () => {
  if (!hasGoNode) return;
  directory = await mkdtemp(join(tmpdir(), "knit-go-tracers-"));
  const genesis = join(FOLDER, "genesis.json");
  go = await openGoImporter({ genesis, directory, flags: ["--gcmode", "archive"] });
  await go?.secondsOf(await blocksWithoutFirst(join(FOLDER, "chain.rlp.gz")));
  const opened = await aChain(parseGenesis(await readFile(genesis, "utf8")));
  for (const item of readRecordedChain(FOLDER).blocks.slice(1)) await opened.writer.insert(decodeBlock(item));
  await opened.writer.settle();
  chain = opened;
}, 120_000);
afterAll(async () => {
  if (!hasGoNode) return;
  await go?.[Symbol.asyncDispose]();
  await chain?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

judged.each([
  ["opcode by opcode", { loggerTimeout: ENOUGH }],
  ["a tracer of opcodes", { tracer: STEPS, timeout: ENOUGH }],
  ["a tracer of frames", { tracer: FRAMES, timeout: ENOUGH }],
])(
  `traces are those of the Go node: %s${reason}`,
  async (_what, config) => {
    if (chain === undefined) throw new Error("the chain is not open");
    const rows = traceMethods({
      open: storeReading(chain.store),
      limits: { upperGas: 500_000_000n, gasCap: 0n },
      maxBytes: 100_000_000,
      ...rpcProfiles.kaia.options,
    });
    const head = chain.chain.head().header.number;
    for (let number = 1; number <= head; number++) {
      const place = `0x${number.toString(16)}`;
      const params = [place, place, config];
      const own = await askRow(rows, "debug_traceBlockByNumberRange", ...params);
      expect(own).toEqual(await go?.ask("debug_traceBlockByNumberRange", ...params));
    }
  },
  600_000,
);
