/** Traces: results, limits, and the errors for untraceable requests. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { storeReading } from "../../../node/calls/chain-reading.ts";
import { type ProfileName, rpcProfiles } from "../../../node/compat/profiles.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import type { Method } from "../../../node/jsonrpc/method.ts";
import { encodeBlock } from "../../../node/model/block.ts";
import { traceMethods } from "../../../node/rpc/traces.ts";
import { adaptRows } from "../../support/adapt-rows.ts";
import { askRow } from "../../support/ask-row.ts";
import { aChain, type TestChain } from "../../support/chain.ts";
import { makerGenesis } from "../../support/transfer-chain.ts";

const at = (name: number): string => `0x${name.toString(16).padStart(40, "0")}`;
const CODE = {
  /** Stores 1 in slot 0 and returns 42. */
  writer: [at(0x1001), "0x6001600055602a60005260206000f3"],
  /** Calls the writer. */
  caller: [at(0x1002), `0x600060006000600060006110015af1`],
  /** Runs until its gas is used up. */
  endless: [at(0x1003), "0x5b600056"],
  /** Calls the identity contract with a megabyte, again and again. */
  loud: [at(0x1004), "0x5b6000600062100000600060045afa50600056"],
  /** Reads one slot after the other. */
  curious: [at(0x1006), "0x5b59545060005952600056"],
  /** Adds what is not there. */
  broken: [at(0x1005), "0x01"],
} as const;

const alloc = Object.fromEntries(
  Object.values(CODE).map(([address, code]) => [address, { balance: "0x7", code }]),
);

let chain: TestChain;
beforeAll(async () => {
  chain = await aChain(parseGenesis(makerGenesis(alloc, { istanbulCompatibleBlock: 0 })));
});
afterAll(async () => {
  await chain[Symbol.asyncDispose]();
});

function rowsOf(profile: ProfileName, { store } = chain): readonly Method[] {
  const rows = traceMethods({
    open: storeReading(store),
    limits: { upperGas: 500_000_000n, gasCap: 0n },
    maxBytes: 1_000_000,
    ...rpcProfiles[profile].options,
  });
  return adaptRows(profile, rows);
}

function ask(name: string, params: readonly unknown[], profile: ProfileName = "service"): Promise<unknown> {
  return askRow(rowsOf(profile), name, ...params);
}

const call = (to: string, config?: object): Promise<unknown> =>
  ask("debug_traceCall", [{ to }, "latest", ...(config === undefined ? [] : [config])]);

test("a struct log has an entry per opcode, with the requested members", async () => {
  const { structLogs, ...rest } = (await call(CODE.writer[0])) as { structLogs: object[] };
  expect(rest).toMatchObject({ failed: false, returnValue: "2a".padStart(64, "0") });
  expect(structLogs).toHaveLength(9);
  expect(structLogs[2]).toMatchObject({ op: "SSTORE", stack: ["1".padStart(64, "0"), "0".repeat(64)] });
  const bare = { DisableStack: true, disablememory: true, disableStorage: true, limit: 3 };
  const short = (await call(CODE.writer[0], bare)) as { structLogs: object[] };
  expect(short.structLogs).toHaveLength(3);
  expect(Object.keys(short.structLogs[2] ?? {})).toEqual(
    "pc op gas gasCost depth computation computationCost".split(" "),
  );
});

test.each([
  ["callTracer", { type: "CALL", to: CODE.caller[0], calls: [{ type: "CALL", to: CODE.writer[0] }] }],
  [
    "prestateTracer",
    { [CODE.writer[0]]: { balance: "0x7", storage: { [`0x${"0".repeat(64)}`]: `0x${"0".repeat(64)}` } } },
  ],
  ["unigramTracer", { SSTORE: 1, CALL: 1 }],
  ["bigramTracer", { "GAS-CALL": 1 }],
  ["trigramTracer", { "-PUSH1-SSTORE": 1 }],
  ["evmdisTracer", expect.arrayContaining([expect.objectContaining({ op: 241, to: "1001" })])],
  ["noopTracer", {}],
])("%s sees the call of another contract", async (tracer, seen) => {
  expect(await call(CODE.caller[0], { tracer })).toMatchObject(seen);
});

const STEPS = "{n: 0, step: function () { this.n++ }, fault: 1, result: function () { return this.n }}";

test("a JavaScript tracer sees a call, and its result is the trace", async () => {
  expect(await call(CODE.writer[0], { tracer: STEPS })).toBe(9);
});

test.each([
  [
    "undefined",
    "json: error calling MarshalJSON for type json.RawMessage: invalid character 'u' looking for beginning of value",
  ],
  ["'x'.repeat(2000000)", "trace is larger than 1000000 bytes"],
  ["nested(1001)", "RangeError: json encode recursion limit    in server-side tracer function 'result'"],
])("an invalid result is an error: %s", async (result, message) => {
  const nested = "function nested(n) { var x = []; while (--n) x = [x]; return x }";
  const tracer = `{step: function () {}, fault: 1, result: function () { ${nested} return ${result} }}`;
  await expect(call(CODE.writer[0], { tracer })).rejects.toMatchObject({ message });
});

test("a result may be a thousand levels deep, and brackets in strings do not count", async () => {
  const tracer = `{step: function () {}, fault: 1, result: function () {
    var x = ["\\"" + "[".repeat(2000)]; for (var i = 1; i < 1000; i++) x = [x]; return x }}`;
  expect(JSON.stringify(await call(CODE.writer[0], { tracer }))).toMatch(/^\[{1000}"/);
});

test("JavaScript tracers are refused while unsafe methods are off", async () => {
  const row = rowsOf("service").find(({ name }) => name === "debug_traceCall");
  const context = {
    signal: new AbortController().signal,
    modules: [],
    document: () => "",
    refusesPrograms: true,
  };
  const params = [{ to: CODE.writer[0] }, "latest", { tracer: STEPS }];
  const refused = { code: -32000, message: "Only predefined tracers are supported" };
  await expect(row?.invoke(params, context)).rejects.toMatchObject(refused);
});

test("the older line shows the frame's own gas, its members in another order", async () => {
  const tracer = { tracer: "fastCallTracer" };
  const trace = await ask(
    "debug_traceCall",
    [{ to: CODE.caller[0], gas: "0x186a0" }, "latest", tracer],
    "klaytn",
  );
  expect(Object.keys(trace as object)).toEqual(
    "type from to value gas gasUsed input output calls".split(" "),
  );
  expect(trace).toMatchObject({ type: "CALL", gas: `0x${(100_000 - 21_000).toString(16)}` });
});

test.each([
  ["service", "stack underflow (0 <=> 2)"],
  ["klaytn", {}],
  ["kaia", {}],
] as const)("profile %s tells of an opcode that failed: %j", async (profile, error) => {
  const trace = await ask("debug_traceCall", [{ to: CODE.broken[0] }, "latest"], profile);
  const { structLogs } = trace as { structLogs: readonly { error: unknown }[] };
  expect(structLogs.map((step) => step.error)).toEqual([error]);
});

test("a traced call without a price pays the base fee only in the newer line", async () => {
  const names = ["istanbul", "london", "ethTxType", "magma", "kore", "shanghai", "cancun", "kaia"];
  const forks = Object.fromEntries(names.map((name) => [`${name}CompatibleBlock`, 0]));
  await using later = await aChain(parseGenesis(makerGenesis(alloc, forks)));
  const traced = (profile: ProfileName) =>
    askRow(rowsOf(profile, later), "debug_traceCall", { to: CODE.writer[0] }, "latest");
  for (const profile of ["service", "klaytn"] as const) {
    expect(await traced(profile)).toMatchObject({ failed: false });
  }
  const message = "tracing failed: insufficient balance of the fee payer to pay for gas";
  await expect(traced("kaia")).rejects.toMatchObject({ message });
});

test.each([
  ["no such tracer", { tracer: "nope" }, "ReferenceError: identifier 'nope' undefined"],
  ["a name of every object", { tracer: "constructor" }, "Trace object must expose a function fault()"],
  [
    "a program that is none",
    { tracer: "{result: function() { return 1 }}" },
    "Trace object must expose a function fault()",
  ],
  ["a time that is none", { tracer: "callTracer", timeout: "soon" }, 'time: invalid duration "soon"'],
  ["a named tracer out of time", { tracer: "opcountTracer", timeout: "5ms" }, "execution timeout"],
  ["a time before it began", { tracer: "opcountTracer", timeout: "-1m30s" }, "execution timeout"],
  ["a default trace out of time", { loggerTimeout: "0", limit: 1 }, "trace logger timeout"],
  ["more than an answer holds", {}, "trace is larger than 1000000 bytes"],
])("%s is an error", async (_what, config, message) => {
  await expect(call(CODE.endless[0], config)).rejects.toMatchObject({ message });
});

test("the state before counts by its accounts and slots", async () => {
  await expect(call(CODE.curious[0], { tracer: "prestateTracer" })).rejects.toMatchObject({
    message: "trace is larger than 1000000 bytes",
  });
});

test("frames count by the size of their data", async () => {
  await expect(call(CODE.loud[0], { tracer: "callTracer" })).rejects.toMatchObject({
    message: "trace is larger than 1000000 bytes",
  });
});

const GO_HEADER = "types.Header, decoding into (types.Block)(types.extblock).Header";

test.each<[string, unknown[], string]>([
  ["debug_traceBlockByNumber", ["0x0"], "genesis is not traceable"],
  ["debug_traceBlockByNumber", ["0x9"], "the block does not exist (block number: 9)"],
  ["debug_traceBlockByNumberRange", [null, null], "end block #0 needs to come after start block #-1"],
  ["debug_traceBlockByNumberRange", ["latest", "safe"], "end block #-1 needs to come after start block #-2"],
  ["debug_traceBlockByNumberRange", ["pending", "0x1"], "the block does not exist (block number: -3)"],
  ["debug_traceBlockByNumberRange", ["0x5", "0x6"], "the block does not exist (block number: 4)"],
  ["debug_traceBlock", ["0x"], "could not decode block: EOF"],
  ["debug_traceBlock", ["0x01"], "could not decode block: rlp: expected input list for types.extblock"],
  ...(
    [
      ["0xffff", "value size exceeds available input length"],
      ["0xabcd", "value size exceeds available input length"],
      ["0xc1", "value size exceeds available input length"],
      ["0xb8", "value size exceeds available input length"],
      ["0xf800", "non-canonical size information for types.extblock"],
      ["0xb801", "non-canonical size information for types.extblock"],
      ["0x8101", "expected input list for types.extblock"],
      ["0xc0", "too few elements for types.extblock"],
      ["0xc0c0", "too few elements for types.extblock"],
      ["0xc101", `expected input list for ${GO_HEADER}`],
      ["0xc3820101", `expected input list for ${GO_HEADER}`],
      ["0xc2c0c0", `too few elements for ${GO_HEADER}`],
      ["0xc3c0c0c0", `too few elements for ${GO_HEADER}`],
    ] as const
  ).map(([rlp, fault]): [string, unknown[], string] => [
    "debug_traceBlock",
    [rlp],
    `could not decode block: rlp: ${fault}`,
  ]),
  ["debug_traceBadBlock", [`0x${"11".repeat(32)}`], "data is not found with the given key"],
])("%s of %j returns the Go node's error", async (name, params, message) => {
  await expect(ask(name, params)).rejects.toMatchObject({ code: -32000, message });
});

test("a truncated block, or one with an unknown parent, is refused", async () => {
  const block = chain.chain.head();
  const rlp = encodeBlock(block);
  await expect(ask("debug_traceBlock", [toHex(rlp.subarray(0, 200))])).rejects.toMatchObject({
    message: expect.stringMatching(/^could not decode block: /),
  });
  const stray = encodeBlock({ ...block, header: { ...block.header, number: 7 } });
  await expect(ask("debug_traceBlock", [toHex(stray)])).rejects.toMatchObject({
    message: expect.stringMatching(/^the block does not exist \(block hash: 0x0+\)$/),
  });
});
