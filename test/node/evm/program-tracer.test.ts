/** Callers' tracers: what they find around them, and what is told of their faults. Values are the Go node's answers. */
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { createProgramTracer, type ProgramTransaction } from "../../../node/evm/programs/program-tracer.ts";
import { loadSandboxes } from "../../../node/evm/programs/sandbox.ts";
import {
  assemble,
  aWorld,
  CALLER,
  CONTRACT,
  OTHER,
  putContract,
  type RunOptions,
  runProgram,
} from "../../support/evm.ts";

const sandboxes = await loadSandboxes();
const TRANSACTION: ProgramTransaction = { gasLimit: 121_000n, gasUsed: 5n, gasPrice: 25n, block: 7 };

interface Traced extends Omit<RunOptions, "transaction"> {
  readonly program?: string;
  readonly transaction?: Partial<ProgramTransaction>;
}

function trace(code: string, { program = "STOP", transaction, ...options }: Traced = {}): unknown {
  const { world = aWorld() } = options;
  const endsAt = performance.now() + 10_000;
  using running = createProgramTracer(sandboxes, { code, world, endsAt });
  runProgram(program, { gas: 100_000n, ...options, world, tracer: running.tracer });
  return JSON.parse(running.result({ ...TRANSACTION, ...transaction }));
}

/** A tracer whose result is this expression, of `ctx` and `db`. */
const giving = (expression: string): string =>
  `{step: function () {}, fault: function () {}, result: function (ctx, db) { return ${expression} }}`;
/** A tracer that lists this expression, of `log` and `db`, for every opcode, and `fault` of each that failed. */
const listing = (expression: string): string =>
  `{list: [], step: function (log, db) { this.list.push(${expression}) },
    fault: function (log) { this.list.push(["fault", log.op.toString(), log.stack.length(), log.getError()]) },
    result: function () { return this.list }}`;

test("an opcode is shown with its place, its gas, the stack and how large it makes memory", () => {
  const seen = listing(`[log.op.toString(), log.op.toNumber(), log.op.isPush(), log.getPC(), log.getGas(),
    log.getCost(), log.getDepth(), log.getRefund(), log.stack.length(), log.stack.peek(0), log.stack.peek(9),
    log.memory.slice(0, 32).length, toHex(log.memory.slice(31, 33)), log.memory.getUint(0), log.memory.getUint(-1)]`);
  const stack = ["0", "0", 0, "0x", "0", "0"];
  expect(trace(seen, { program: `${2n ** 255n} 0 MSTORE` })).toEqual([
    ["PUSH32", 127, true, 0, 100_000, 3, 1, 0, 0, ...stack],
    ["PUSH1", 96, true, 33, 99_997, 3, 1, 0, 1, `${2n ** 255n}`, ...stack.slice(1)],
    ["MSTORE", 82, false, 35, 99_994, 6, 1, 0, 2, "0", "0", 32, "0x", "0", "0"],
    ["STOP", 0, false, 36, 99_988, 0, 1, 0, 0, "0", "0", 32, "0x", `${2n ** 255n}`, "0"],
  ]);
});

test("an opcode that fails is shown again without the words it took, a revert too", () => {
  expect(trace(listing("log.op.toString()"), { program: "5 0 0 REVERT" })).toEqual([
    ..."PUSH1 PUSH1 PUSH1 REVERT".split(" "),
    ["fault", "REVERT", 1, "evm: execution reverted"],
  ]);
  const failing = listing("[log.op.toString(), log.getError()]");
  expect(trace(failing, { program: "ADD" })).toEqual([["ADD", "stack underflow (0 <=> 2)"]]);
});

test("a program can read the running contract and the state", () => {
  const world = aWorld();
  putContract(world, OTHER, assemble("7 3 SSTORE"));
  world.addBalance(OTHER, 5n);
  const other = `toAddress("${toHex(OTHER)}")`;
  const seen =
    listing(`[toHex(log.contract.getCaller()), toHex(log.contract.getAddress()), log.contract.getValue(),
    toHex(log.contract.getInput()), db.getBalance(${other}), db.getNonce(${other}), toHex(db.getCode(${other})),
    toHex(db.getState(${other}, toWord("0x3"))).slice(-2), db.exists(${other}), db.exists(toAddress("0x99"))]`);
  const steps = trace(seen, {
    world,
    program: "0 0 2 0 1 0x07e4 50000 CALL",
    value: 9n,
    input: Uint8Array.of(1),
  }) as unknown[];
  const code = toHex(assemble("7 3 SSTORE"));
  expect(steps[0]).toEqual([toHex(CALLER), toHex(CONTRACT), "9", "0x01", "5", 1, code, "00", true, false]);
  expect(steps.at(-2)).toEqual([
    toHex(CONTRACT),
    toHex(OTHER),
    "1",
    "0x0000",
    "6",
    1,
    code,
    "07",
    true,
    false,
  ]);
});

test("inner frames are entered and left, with the value that they carry", () => {
  const world = aWorld();
  putContract(world, OTHER, assemble("1 0 0 REVERT"));
  const frames = `{list: [], fault: function () {}, result: function () { return this.list },
    enter: function (frame) { this.list.push([frame.getType(), toHex(frame.getFrom()), toHex(frame.getTo()),
      toHex(frame.getInput()), frame.getGas(), String(frame.getValue())]) },
    exit: function (end) { this.list.push([end.getGasUsed(), toHex(end.getOutput()), end.getError()]) }}`;
  const program = "0 0 1 0 0x07e4 50000 STATICCALL 0 0 1 0 3 0x07e4 0 CALL 0x66 SELFDESTRUCT";
  const [from, to] = [toHex(CONTRACT), toHex(OTHER)];
  const reverted = [9, "0x", "evm: execution reverted"];
  expect(trace(frames, { program, world, value: 9n })).toEqual([
    ["STATICCALL", from, to, "0x00", 50_000, "undefined"],
    reverted,
    ["CALL", from, to, "0x00", 2300, "3"],
    reverted,
    ["SELFDESTRUCT", from, `0x${"66".padStart(40, "0")}`, "0x", 0, "9"],
    [0, "0x", null],
  ]);
});

test("the result has the facts of the transaction", () => {
  const shown = giving(`Object.keys(ctx).sort().map(function (key) {
    return [key, typeof ctx[key] === "object" && ctx[key].length !== undefined ? toHex(ctx[key]) : ctx[key]] })`);
  const facts = { gasUsed: 2n ** 32n + 5n, gasPrice: 10n ** 20n };
  const options = {
    program: "1 0 MSTORE8 1 0 REVERT",
    value: 4n,
    input: Uint8Array.of(2),
    transaction: facts,
  };
  expect(trace(shown, options)).toEqual([
    ["block", 7],
    ["error", "evm: execution reverted"],
    ["from", toHex(CALLER)],
    ["gas", 100_000],
    ["gasPrice", "100000000000000000000"],
    ["gasUsed", 5], // the Go node's engine takes 32 bits
    ["input", "0x02"],
    ["intrinsicGas", 21_000],
    ["output", "0x01"],
    ["to", toHex(CONTRACT)],
    ["type", "CALL"],
    ["value", "4"],
  ]);
});

test.each([
  [
    "bytes are filled up or cut on the left",
    'toHex(toWord("0x" + Array(34).join("ab") + "1"))',
    `0xb${"ab".repeat(31)}1`,
  ],
  ["text is read up to the first bad pair", 'toHex(toAddress("12zz34"))', `0x${"12".padStart(40, "0")}`],
  ["what is no bytes is none", '[toHex("0x12"), toHex(5), toHex(toAddress(7)).length]', ["0x", "0x", 42]],
  ["bytes are written by their place", 'JSON.stringify(slice(toWord("0x0102"), 30, 32))', '{"0":1,"1":2}'],
  [
    "slices take whole numbers only",
    `[slice(toWord("0xff"), 0, 4), slice(toWord("0xff"), 4, 2), slice(toWord("0xff"), -1, 2),
      slice(toWord("0xff"), 30, 33), slice(toWord("0xff"), 1.9, 3.9), slice(toWord("0xff"), "1", "3"),
      slice(toWord("0xff"), bigInt(1), 3), slice(toWord("0xff"), NaN, 3), slice("abc", 0, 0)]
      .map(function (part) { return part.length })`,
    [4, 0, 0, 0, 2, 0, 3, 3, 0],
  ],
  [
    "addresses of new contracts",
    `[toContract("0x80c124d8c862cae29db855a829a4f1a69b27a48d", 0),
      toContract(toAddress("0x80c124d8c862cae29db855a829a4f1a69b27a48d"), 300),
      toContract("0x80c124d8c862cae29db855a829a4f1a69b27a48d", -1),
      toContract2("0x80c124d8c862cae29db855a829a4f1a69b27a48d", "0x12", "0x6000"),
      toContract2("80c124d8c862cae29db855a829a4f1a69b27a48d", "12", toWord("0x1"))].map(toHex)`,
    [
      "0x037d2d02f9f17ba12b55940044fa065ddb888b5a",
      "0xd1aba06f0125e7e5fa281388f66e264d5c7188be",
      "0xb0bca13c4d0cb01ed68109129900943331b7b602",
      "0x172af369ef404d27ccf14b2950f38597fe77fab9",
      "0x77f2b309a8ab521465c229fdb3a3db80a1b74177",
    ],
  ],
  [
    "the first eleven contracts are precompiled",
    '["0x0", "0x1", "0x9", "0xb", "0xc", "0x3fd"].map(function (a) { return isPrecompiled(toAddress(a)) })',
    [false, true, true, true, false, false],
  ],
  ["what is written by another function", 'JSON.stringify = function () { return "[1 ]" }', [1]],
])("helpers: %s", (_what, expression, value) => {
  expect(trace(giving(expression))).toEqual(value);
});

test.each([
  [
    '[bigInt(5), bigInt("123456789012345678901234567890"), bigInt("0x10"), bigInt("1e3"), bigInt("1.5e20")]',
    ["5", "123456789012345678901234567890", "16", "1000", "150000000000000000000"],
  ],
  [
    '[bigInt("ff", 16), bigInt("-ff", 16), bigInt(255).toString(16), String(bigInt(-5))]',
    ["255", "-255", "ff", "-5"],
  ],
  [
    '[+bigInt(7), bigInt(7) + 1, "a" + bigInt(7), bigInt(7).valueOf(), typeof bigInt(1)]',
    [7, 8, "a7", 7, "object"],
  ],
  [
    "[bigInt(), bigInt.one, bigInt[5], bigInt[-5], bigInt.zero, bigInt.minusOne]",
    ["0", "1", "5", "-5", "0", "-1"],
  ],
  ["[bigInt(10).pow(30), bigInt(2).pow(-1), bigInt(-1).pow(3)]", [`1${"0".repeat(30)}`, "0", "-1"]],
  [
    "[bigInt(7).divide(-2), bigInt(-7).mod(3), bigInt(10).divmod(3)]",
    ["-3", "-1", { quotient: "3", remainder: "1" }],
  ],
  [
    "[bigInt(-7).shiftRight(1), bigInt(1).shiftLeft(70), bigInt(5).and(3), bigInt(5).or(3), bigInt(-5).xor(3), bigInt(5).not()]",
    ["-4", `${1n << 70n}`, "1", "7", "-8", "-6"],
  ],
  [
    "[bigInt(3).compare(5), bigInt(3).eq(3), bigInt(3).neq(3), bigInt(3).gt(2), bigInt(3).leq(2), bigInt(-9).compareAbs(3), bigInt(3).lt(Infinity)]",
    [-1, true, false, true, false, 1, true],
  ],
  [
    "[bigInt(4).add(1), bigInt(4).minus(5), bigInt(4).times(2), bigInt(4).square(), bigInt(4).negate(), bigInt(-4).abs(), bigInt(4).next(), bigInt(4).prev()]",
    ["5", "-1", "8", "16", "-4", "4", "5", "3"],
  ],
  [
    "[bigInt(4).isEven(), bigInt(-3).isOdd(), bigInt(0).isZero(), bigInt(-1).isUnit(), bigInt(0).isPositive(), bigInt(-1).isNegative(), bigInt(9).isDivisibleBy(3)]",
    [true, true, true, true, false, true, true],
  ],
  [
    "[bigInt(3).modPow(100, 7), bigInt(3).modInv(11), bigInt(97).isPrime(), bigInt(561).isPrime(), bigInt('18446744073709551557').isProbablePrime()]",
    ["4", "4", true, false, true],
  ],
  [
    "[bigInt.max(3, 9), bigInt.min(3, 9), bigInt.gcd(12, 18), bigInt.lcm(4, 6), bigInt.isInstance(bigInt(1)), bigInt.fromArray([1, 0], 16), bigInt.randBetween(5, 5)]",
    ["9", "3", "6", "12", true, "16", "5"],
  ],
])("bigInt: %s", (expression, values) => {
  expect(trace(giving(expression))).toEqual(values);
});

const STEP = "    in server-side tracer function 'step'";
const RESULT = "    in server-side tracer function 'result'";

test.each([
  ["", "SyntaxError: empty expression not allowed (line 1)"],
  [" \n", "SyntaxError: empty expression not allowed (line 2)"],
  ["nope", "ReferenceError: identifier 'nope' undefined"],
  ["1", "Trace object must expose a function fault()"],
  ["null", "Trace object must expose a function fault()"],
  ["{step: function () {}, fault: function () {}}", "Trace object must expose a function result()"],
  ["{fault: 1, result: 1}", "trace object must expose either step() or both enter() and exit()"],
  ["{enter: 1, fault: 1, result: 1}", "trace object must expose either both or none of enter() and exit()"],
  ["{\n\nstep: function () { var x = ; }}", "SyntaxError: unexpected token in expression: ';' (line 3)"],
  [
    "{step: 1, fault: 1, result: function () {}}",
    `TypeError: 1 not callable (property 'step' of [object Object])${STEP}`,
  ],
  ["{step: function () { throw 'hey' }, fault: 1, result: function () { return 1 }}", `hey${STEP}`],
  [
    "{step: function () { throw new Error('hey') }, fault: 1, result: function () { return 1 }}",
    `Error: hey${STEP}`,
  ],
  [
    "{step: function () { throw 'hey' }, fault: 1, result: function () { throw {} }}",
    `[object Object]${RESULT}`,
  ],
  [
    "{step: function (log) { log.foo.bar }, fault: 1, result: function () {}}",
    `TypeError: cannot read property 'bar' of undefined${STEP}`,
  ],
  [
    "{step: function (log) { log.foo.bar = 1 }, fault: 1, result: function () {}}",
    `TypeError: cannot write property 'bar' of undefined${STEP}`,
  ],
  [giving("(function () { var a = {}; a.a = a; return a })()"), `TypeError: cyclic input${RESULT}`],
  [giving('bigInt("xyz")'), `Error: Invalid integer: xyz${RESULT}`],
  [giving("bigInt(1.5)"), `Error: 1.5 is not an integer.${RESULT}`],
  [giving("bigInt(1).divide(0)"), `Error: Cannot divide by zero${RESULT}`],
])("%j is told what is wrong", (code, message) => {
  expect(() => trace(code)).toThrow(expect.objectContaining({ code: "threw", message }));
});

test("a transaction that begins no frame is reported as the options say, or not at all", () => {
  const none = createProgramTracer(sandboxes, { code: giving("ctx"), world: aWorld(), endsAt: Infinity });
  expect(JSON.parse(none.result(TRANSACTION))).toEqual({ gasUsed: 5 });
  const frameless = { from: CALLER, to: CALLER, value: 0n, gas: 121_000n, input: Uint8Array.of(1) };
  expect(JSON.parse(none.result({ ...TRANSACTION, frameless }))).toMatchObject({
    type: "CALL",
    intrinsicGas: 0,
  });
  none[Symbol.dispose]();
});
