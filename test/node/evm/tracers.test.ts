/** Tests of the built-in tracers. */
import { expect, test } from "@jest/globals";
import { fromBareHex, toHex } from "../../../node/bytes/hex.ts";
import { wordBytes } from "../../../node/bytes/word.ts";
import { createCallTracer } from "../../../node/evm/tracers/call-tracer.ts";
import {
  createBigramTracer,
  createFourByteTracer,
  createOpcodeCounter,
  createTrigramTracer,
  createUnigramTracer,
} from "../../../node/evm/tracers/count-tracers.ts";
import { createEvmdisTracer } from "../../../node/evm/tracers/evmdis-tracer.ts";
import { createPrestateTracer } from "../../../node/evm/tracers/prestate-tracer.ts";
import { createRevertTracer } from "../../../node/evm/tracers/revert-tracer.ts";
import { createStructLogger } from "../../../node/evm/tracers/struct-logger.ts";
import { assemble, aWorld, CALLER, CONTRACT, OTHER, putContract, runProgram } from "../../support/evm.ts";

const LIMIT = 150_000_000;
const digits = (word: bigint): string => toHex(wordBytes(word)).slice(2);
/** Reverts with `Error("no")`. */
const SAYS_NO = assemble(
  `#7f${"08c379a0".padEnd(64, "0")} 0 MSTORE 32 4 MSTORE 2 36 MSTORE #7f${"6e6f".padEnd(64, "0")} 68 MSTORE 100 0 REVERT`,
);

test("struct logs have the stack, the memory's words, what was written, and what is left of the computation", () => {
  const { tracer, result } = createStructLogger({ computationLimit: LIMIT });
  runProgram("7 0 MSTORE 5 1 SSTORE 6 0 SSTORE", { tracer, gas: 100_000n });
  const { structLogs, ...rest } = result({ gasUsed: 30_000n, failed: false, output: Uint8Array.of(1, 2) });
  expect(rest).toEqual({ gas: 30_000, failed: false, returnValue: "0102" });
  expect(structLogs.map(({ op }) => op).join(" ")).toBe(
    "PUSH1 PUSH1 MSTORE PUSH1 PUSH1 SSTORE PUSH1 PUSH1 SSTORE STOP",
  );
  expect(structLogs[1]).toEqual({
    pc: 2,
    op: "PUSH1",
    gas: 99_997,
    gasCost: 3,
    depth: 1,
    stack: [digits(7n)],
    memory: [],
    storage: {},
    computation: LIMIT - 120,
    computationCost: 120,
  });
  const last = structLogs.at(-1);
  expect(last?.memory).toEqual([digits(7n)]);
  // By key, whatever was written first.
  expect(Object.entries(last?.storage ?? {})).toEqual([
    [digits(0n), digits(6n)],
    [digits(1n), digits(5n)],
  ]);
  expect(structLogs[5]?.storage).toEqual({ [digits(1n)]: digits(5n) });
});

test("a disassembly has what opcodes leave on the stack, and what calls ran", () => {
  const world = aWorld();
  putContract(world, OTHER, assemble("7 0 MSTORE8 1 0 RETURN"));
  const { tracer, result } = createEvmdisTracer();
  runProgram("5 0 MSTORE8 6 DUP1 ADD POP 0 0 2 0 0x07e4 5000 DELEGATECALL POP JUMPDEST", {
    world,
    tracer,
    gas: 100_000n,
  });
  expect(JSON.stringify(result().slice(3))).toBe(
    `[${[
      '{"op":96,"depth":1,"result":["6"],"len":2}',
      '{"op":128,"depth":1,"result":["6","6"]}',
      '{"op":1,"depth":1,"result":["c"]}',
      '{"op":80,"depth":1,"result":[]}',
      ...["0", "0", "2", "0"].map((word) => `{"op":96,"depth":1,"result":["${word}"],"len":2}`),
      '{"op":97,"depth":1,"result":["7e4"],"len":3}',
      '{"op":97,"depth":1,"result":["1388"],"len":3}',
      '{"op":"DELEGATECALL","depth":1,"result":[],"gas":5000,"to":"7e4","input":{"0":5,"1":0},"error":null,' +
        `"return":{"0":7},"ops":[${[
          '{"op":96,"depth":2,"result":["7"],"len":2}',
          '{"op":96,"depth":2,"result":["0"],"len":2}',
          '{"op":83,"depth":2,"result":[]}',
          '{"op":96,"depth":2,"result":["1"],"len":2}',
          '{"op":96,"depth":2,"result":["0"],"len":2}',
          '{"op":243,"depth":2,"result":[]}',
        ].join(",")}]}`,
      // The first opcode after a call only ends it.
      '{"op":91,"depth":1,"result":[],"pc":26}',
      '{"op":0,"depth":1,"result":[]}',
    ].join(",")}]`,
  );
});

test("a struct log with a limit below 0 has no entries, as in the Go node", () => {
  const { tracer, result } = createStructLogger({ limit: -1, computationLimit: LIMIT });
  runProgram("7 0 MSTORE", { tracer, gas: 100_000n });
  expect(result({ gasUsed: 1n, failed: false, output: new Uint8Array(0) }).structLogs).toEqual([]);
});

test("struct logs leave out what they are told to, stop at the limit, and show no output of a failure", () => {
  const options = { disableMemory: true, disableStack: true, disableStorage: true, limit: 2 };
  const { tracer, result } = createStructLogger({ ...options, computationLimit: LIMIT });
  runProgram("7 0 MSTORE 0 0 REVERT", { tracer, gas: 100_000n });
  const { returnValue, structLogs } = result({ gasUsed: 1n, failed: true, output: Uint8Array.of(1) });
  expect(returnValue).toBe("");
  expect(structLogs).toHaveLength(2);
  expect(Object.keys(structLogs[0] ?? {})).toEqual([
    "pc",
    "op",
    "gas",
    "gasCost",
    "depth",
    "computation",
    "computationCost",
  ]);
});

test("an opcode that cannot run says why", () => {
  const { tracer, result } = createStructLogger({ computationLimit: LIMIT });
  runProgram("ADD", { tracer, gas: 100_000n });
  const { structLogs } = result({ gasUsed: 1n, failed: true, output: new Uint8Array(0) });
  expect(structLogs[0]?.error).toBe("stack underflow (0 <=> 2)");
});

test("calls show inside one another; the outermost has the transaction's gas", () => {
  const world = aWorld();
  putContract(world, OTHER, SAYS_NO);
  const { tracer, result } = createCallTracer();
  runProgram("0 0 0 0 0x07e4 5000 STATICCALL 0 0 0 0 1 0x07e4 5000 CALL", { world, tracer, gas: 100_000n });
  const trace = result({ gasLimit: 121_000n, gasUsed: 42_000n });
  expect([trace?.gas, trace?.gasUsed, trace?.type, trace?.error]).toEqual([
    "0x1d8a8",
    "0xa410",
    "CALL",
    undefined,
  ]);
  const [first, second] = trace?.calls ?? [];
  expect(first).toEqual({
    from: toHex(CONTRACT),
    gas: "0x1388",
    gasUsed: expect.stringMatching(/^0x/),
    to: toHex(OTHER),
    input: "0x",
    output: expect.stringMatching(/^0x08c379a0/),
    error: "execution reverted",
    revertReason: "no",
    reverted: { contract: toHex(OTHER), message: "no" },
    type: "STATICCALL",
  });
  // Nobody gave it anything to send.
  expect([second?.error, second?.gasUsed, second?.value]).toEqual([
    "insufficient balance for transfer",
    "0x0",
    "0x1",
  ]);
});

test("selectors are counted with the length behind them, of calls that reach code", () => {
  const input = fromBareHex("27dc297e0000");
  const { tracer, result } = createFourByteTracer(input);
  const same = "0 0 6 0 0 0x07e4 5000 CALL 0 0 6 0 0 0x07e4 5000 CALL";
  const world = aWorld();
  putContract(world, OTHER, assemble("STOP"));
  runProgram(`0 0 6 0 4 5000 STATICCALL ${same}`, { world, tracer, input, gas: 100_000n });
  expect(Object.entries(result())).toEqual([
    ["0x00000000-2", 2],
    ["0x27dc297e-2", 1],
  ]);
});

test("opcodes are counted, alone and in sequences", () => {
  const [all, ones, pairs] = [createOpcodeCounter(), createUnigramTracer(), createBigramTracer()];
  for (const { tracer } of [all, ones, pairs]) runProgram("1 2 ADD POP", { tracer, gas: 100_000n });
  expect(all.result()).toBe(5);
  expect(ones.result()).toEqual({ PUSH1: 2, ADD: 1, POP: 1, STOP: 1 });
  expect(pairs.result()).toEqual({ "PUSH1-PUSH1": 1, "PUSH1-ADD": 1, "ADD-POP": 1, "POP-STOP": 1 });
});

test("sequences of opcodes keep to their depth; those of three leave out the first one of each", () => {
  const [pairs, threes] = [createBigramTracer(), createTrigramTracer()];
  for (const { tracer } of [pairs, threes]) {
    const world = aWorld();
    putContract(world, OTHER, assemble("1 POP"));
    runProgram("0 0 0 0 0x07e4 GAS STATICCALL POP", { world, tracer, gas: 100_000n });
  }
  expect(pairs.result()).toEqual({
    "PUSH1-PUSH1": 3,
    "PUSH1-PUSH2": 1,
    "PUSH2-GAS": 1,
    "GAS-STATICCALL": 1,
    "PUSH1-POP": 1,
    "POP-STOP": 2,
  });
  expect(threes.result()).toEqual({
    "--PUSH1": 1,
    "-PUSH1-PUSH1": 1,
    "PUSH1-PUSH1-PUSH1": 1,
    "PUSH1-PUSH1-PUSH2": 1,
    "PUSH1-PUSH2-GAS": 1,
    "PUSH2-GAS-STATICCALL": 1,
    "--POP": 1,
    "-POP-STOP": 1,
    "--STOP": 1,
  });
});

test("a revert's message is that of the outermost frame alone", () => {
  const world = aWorld();
  putContract(world, OTHER, SAYS_NO);
  const inner = createRevertTracer();
  runProgram("0 0 0 0 0x07e4 5000 STATICCALL", { world, tracer: inner.tracer, gas: 100_000n });
  expect(inner.result()).toBe("");
  const outer = createRevertTracer();
  runProgram(`#${toHex(SAYS_NO).slice(2)}`, { tracer: outer.tracer, gas: 100_000n });
  expect(outer.result()).toBe("no");
  const checked = createRevertTracer();
  runProgram(`#7f${"4e487b71".padEnd(64, "0")} 0 MSTORE 1 35 MSTORE8 36 0 REVERT`, {
    tracer: checked.tracer,
    gas: 100_000n,
  });
  expect(checked.result()).toBe(""); // one of Solidity's own checks
});

test("the state before has what was looked at, with values as they were, but not what was created", () => {
  const world = aWorld();
  world.addBalance(CALLER, 100n);
  world.addBalance(OTHER, 7n);
  putContract(world, CONTRACT, assemble("STOP"));
  world.setSlot(CONTRACT, 1n, 9n);
  world.endTransaction();
  const tracer = createPrestateTracer(world, () => undefined);
  tracer.record(CALLER);
  const program = "5 1 SSTORE 1 SLOAD POP 0x07e4 BALANCE POP 2 SLOAD POP 0 0 0 CREATE";
  runProgram(program, { world, tracer: tracer.tracer, gas: 200_000n, value: 3n });
  const before = tracer.result();
  expect(Object.keys(before).sort()).toEqual([OTHER, CONTRACT, CALLER].map(toHex).sort());
  expect(before[toHex(CALLER)]?.balance).toBe("0x64");
  expect(before[toHex(OTHER)]).toEqual({ balance: "0x7", nonce: 0, code: "0x", storage: {} });
  expect(before[toHex(CONTRACT)]?.storage).toEqual({
    [toHex(wordBytes(1n))]: toHex(wordBytes(9n)),
    [toHex(wordBytes(2n))]: toHex(wordBytes(0n)),
  });
});

test("the Go node's list has what opcodes named and created, in that order, and the sender with what others paid", () => {
  const world = aWorld();
  world.addBalance(CALLER, 100n);
  putContract(world, CONTRACT, assemble("STOP"));
  putContract(world, OTHER, assemble("0x99 SELFDESTRUCT"));
  world.endTransaction();
  const tracer = createPrestateTracer(world, () => undefined);
  tracer.record(CALLER);
  const program = "0x55 BALANCE POP 0 0 0 CREATE 0 0 0 0 0 0x07e4 50000 CALL";
  runProgram(program, { world, tracer: tracer.tracer, gas: 300_000n });
  const listed = tracer.goList({ sender: CALLER, to: OTHER, paid: 11n });
  const [contract, asked, created, called, sender, ...more] = Object.entries(listed);
  expect([contract, asked, called, sender].map((entry) => entry?.[0])).toEqual([
    toHex(CONTRACT),
    `0x${"55".padStart(40, "0")}`,
    toHex(OTHER),
    toHex(CALLER),
  ]);
  expect(created?.[1]).toEqual({ balance: "0x0", nonce: 0, code: "0x", storage: {} });
  expect(sender?.[1]?.balance).toBe("0x6f");
  expect(more).toEqual([]);
});

test("of a transaction without code the Go node lists where it goes, then the sender", () => {
  const tracer = createPrestateTracer(aWorld(), () => undefined);
  expect(Object.keys(tracer.goList({ sender: CALLER, to: OTHER, paid: 0n }))).toEqual(
    [OTHER, CALLER].map(toHex),
  );
});
