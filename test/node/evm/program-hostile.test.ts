/** Callers' tracers that mean harm: each ends with a coded error, soon and in bounded memory, and leaves the node whole. */
import { expect, test } from "@jest/globals";
import { ProgramError } from "../../../node/evm/programs/error.ts";
import { createProgramTracer } from "../../../node/evm/programs/program-tracer.ts";
import { loadSandboxes } from "../../../node/evm/programs/sandbox.ts";
import { aWorld, runProgram } from "../../support/evm.ts";

const TRANSACTION = { gasLimit: 1n, gasUsed: 1n, gasPrice: 1n, block: 1 };
const SHORT_MS = 100;
const LONG_MS = 60_000;
const resulting = (body: string): string =>
  `{fault: 1, step: function () {}, result: function (ctx, db) { ${body} }}`;

async function attempt(code: string, forMs = LONG_MS): Promise<unknown> {
  const sandboxes = await loadSandboxes();
  const world = aWorld();
  const outcome = once(() => {
    const endsAt = performance.now() + forMs;
    using running = createProgramTracer(sandboxes, { code, world, endsAt });
    runProgram("1 0 MSTORE", { world, tracer: running.tracer });
    return running.result(TRANSACTION);
  });
  return outcome instanceof ProgramError ? `${outcome.code}: ${outcome.message}` : outcome;
}

function once(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

const LATE = "late: execution timeout";
const OUT_OF_MEMORY = /^threw: InternalError: out of memory/;
/** The stack of a test is shallower than a reader thread's: the engine may be given up instead. */
const DEEP = /^threw: (?:Internal|Syntax)Error: stack overflow|^engine-failed: /;

test.each([
  ["an endless loop", resulting("while (true);"), LATE],
  ["a loop as it is read", "(function () { while (true); })()", LATE],
  ["a loop for an opcode", "{fault: 1, step: function () { while (true); }, result: 1}", LATE],
  [
    "a loop that catches what stops it",
    resulting("while (true) { try { while (true); } catch (e) {} }"),
    LATE,
  ],
  ["a loop in words", resulting("throw {toString: function () { while (true); }}"), LATE],
  ["a proxy that loops", resulting("return new Proxy({}, {get: function () { while (true); }})"), LATE],
  [
    "a regular expression that tries all ways",
    resulting("return /^(a+)+$/.test('a'.repeat(50) + 'b')"),
    LATE,
  ],
  ["arrays without end", resulting("var a = []; while (true) a.push(new Uint8Array(1e6))"), OUT_OF_MEMORY],
  ["one huge buffer", resulting("return new ArrayBuffer(2e9)"), OUT_OF_MEMORY],
  [
    "text without end",
    resulting("var s = 'x'; while (true) s += s"),
    /^threw: InternalError: (?:string too long|out of)/,
  ],
  ["a huge number", resulting("return 1n << 2000000000n"), /^threw: RangeError: BigInt is too large/],
  ["deep recursion", resulting("return (function f() { return f() + 1 })()"), DEEP],
  ["deep brackets", "(".repeat(50_000), DEEP],
  [
    "deep texts of numbers",
    resulting("var o = {toString: function () { return '' + o }}; return '' + o"),
    DEEP,
  ],
  [
    "a deep result",
    resulting("var x = []; for (var i = 0; i < 1e5; i++) x = [x]; return x"),
    /json encode recursion limit|^engine-failed: /,
  ],
  ["a getter that throws", resulting("return {get a() { throw 'no' }}"), /^threw: no {4}in server-side/],
  ["words that throw", resulting("throw {toString: function () { throw 1 }}"), /^threw: Error {4}in/],
])("%s", async (_what, code, end) => {
  const outcome = await attempt(code, end === LATE ? SHORT_MS : LONG_MS);
  expect(outcome).toEqual(typeof end === "string" ? end : expect.stringMatching(end));
});

test.each([
  ["a prototype", "Object.prototype.toJSON = function () { return 'bent' }; return {}", '"bent"'],
  ["the reader of calls", "Function.prototype.apply = Array.prototype.join = null; return 1", "1"],
  ["what the helpers use", "Uint8Array.prototype.set = String.prototype.slice = null; return 1", "1"],
])("what bends %s bends it for itself alone", async (_what, body, own) => {
  const sandboxes = await loadSandboxes();
  const ask = (code: string): unknown => {
    const endsAt = performance.now() + 10_000;
    using running = createProgramTracer(sandboxes, { code, world: aWorld(), endsAt });
    return running.result(TRANSACTION);
  };
  expect(ask(resulting(body))).toBe(own);
  expect(ask(resulting("return [1, toHex(toWord('0x1')).length]"))).toBe("[1,66]");
  expect(({} as { toJSON?: unknown }).toJSON).toBeUndefined();
});

test("nothing of the node is in reach", async () => {
  const found =
    "return Object.getOwnPropertyNames(globalThis).concat(typeof this.constructor.constructor('return this')().process)";
  const names = JSON.parse(String(await attempt(resulting(found)))) as string[];
  expect(names.at(-1)).toBe("undefined");
  for (const name of [
    "process",
    "require",
    "module",
    "fetch",
    "Buffer",
    "WebAssembly",
    "setTimeout",
    "Atomics",
    "host",
  ]) {
    expect(names).not.toContain(name);
  }
});

test("what the state itself throws comes out as it is, whatever the program catches", async () => {
  const sandboxes = await loadSandboxes();
  const trouble = new Error("the disk is gone");
  const world = Object.assign(Object.create(aWorld()), {
    balance: () => {
      throw trouble;
    },
  });
  const code = resulting("try { db.getBalance(toAddress('0x1')) } catch (e) {} return 1");
  using running = createProgramTracer(sandboxes, { code, world, endsAt: performance.now() + 10_000 });
  expect(once(() => running.result(TRANSACTION))).toBe(trouble);
});
