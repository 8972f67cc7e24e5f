/** Tests of the events that tracers receive. */
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import type { EvmFailure } from "../../../node/evm/failure.ts";
import type { OpcodeStep, Tracer } from "../../../node/evm/tracer.ts";
import { assemble, aWorld, OTHER, putContract, rulesOf, runProgram } from "../../support/evm.ts";

const why = (failure: EvmFailure | undefined): string => (failure === undefined ? "" : ` ${failure.code}`);
const stepText = ({ pc, op, gas, gasCost, stack, stackLength }: OpcodeStep): string =>
  `${pc} 0x${op.toString(16)} gas ${gas} cost ${gasCost} [${stack.slice(0, stackLength).join(" ")}]`;

/** An observer that notes one line for each thing it is told. */
function notes(): { readonly lines: string[]; readonly tracer: Tracer } {
  const lines: string[] = [];
  const tracer: Tracer = {
    enter: ({ kind, depth, to, gas, isPrecompile }) =>
      lines.push(`enter ${kind} ${depth} ${toHex(to).slice(-4)} ${gas}${isPrecompile ? " precompile" : ""}`),
    exit: ({ depth, gasUsed, output, failure }) =>
      lines.push(`exit ${depth} ${gasUsed} ${output.length}${why(failure)}`),
    step: (at, failure) => lines.push(stepText(at) + why(failure)),
    fault: ({ pc, stack, stackLength }, failure) =>
      lines.push(`fault ${pc} [${stack.slice(0, stackLength).join(" ")}]${why(failure)}`),
    storageRead: (_, key, value) => lines.push(`read ${key} ${value}`),
    storageWrite: (_, key, value) => lines.push(`write ${key} ${value}`),
  };
  return { lines, tracer };
}

test("a tracer sees each opcode with its whole cost before it takes effect", () => {
  const { lines, tracer } = notes();
  runProgram("5 1 SSTORE 1 SLOAD 40 MSTORE", { tracer, gas: 100_000n });
  expect(lines).toEqual([
    "enter CALL 0 de00 100000",
    "0 0x60 gas 100000 cost 3 []",
    "2 0x60 gas 99997 cost 3 [5]",
    "4 0x55 gas 99994 cost 22100 [5 1]",
    "write 1 5",
    "5 0x60 gas 77894 cost 3 []",
    "7 0x54 gas 77891 cost 100 [1]",
    "read 1 5",
    "8 0x60 gas 77791 cost 3 [5]",
    "10 0x52 gas 77788 cost 12 [5 40]",
    "11 0x0 gas 77776 cost 0 []",
    "exit 0 22224 0",
  ]);
});

test("a call's cost has the gas that it hands over, and frames show inside one another", () => {
  const world = aWorld();
  putContract(world, OTHER, assemble("0 SLOAD 0 0 REVERT"));
  const { lines, tracer } = notes();
  runProgram("0 0 0 0 0x07e4 5000 STATICCALL 0 0 0 0 4 100 STATICCALL", { world, tracer, gas: 100_000n });
  expect(lines.filter((line) => !/ 0x6[01] /.test(line))).toEqual([
    "enter CALL 0 de00 100000",
    "14 0xfa gas 99982 cost 7600 [0 0 0 0 2020 5000]",
    "enter STATICCALL 1 07e4 5000",
    "2 0x54 gas 4997 cost 2100 [0]",
    "read 0 0",
    "7 0xfd gas 2891 cost 0 [0 0 0]",
    "fault 7 [0] reverted",
    "exit 1 2109 0 reverted",
    "27 0xfa gas 95255 cost 200 [0 0 0 0 0 4 100]",
    "enter STATICCALL 1 0004 100 precompile",
    "exit 1 15 0",
    "28 0x0 gas 95140 cost 0 [0 1]",
    "exit 0 4860 0",
  ]);
});

test("an opcode that fails is shown once with its failure, or as a fault when it was shown before", () => {
  for (const [program, expected] of [
    ["ADD", "0 0x1 gas 10 cost 0 [] stack-underflow"],
    ["1 ADD", "2 0x1 gas 7 cost 3 [1] stack-underflow"], // the cost is that of the opcode before
    ["1 #fe", "2 0xfe gas 7 cost 3 [1] invalid-opcode"],
    ["1 1 SSTORE", "4 0x55 gas 4 cost 20000 [1 1] out-of-gas"],
    ["1 1 1 1", "6 0x60 gas 1 cost 3 [1 1 1] out-of-gas"],
    ["0 MLOAD", "2 0x51 gas 7 cost 6 [0]"],
    ["9 JUMP", "2 0x56 gas 7 cost 8 [9] out-of-gas"],
    ["#fe", "0 0xfe gas 10 cost 0 [] invalid-opcode"],
    ["9 #5b56", "fault 3 [] invalid-jump"],
    ["7 0 0 REVERT", "fault 6 [7] reverted"],
  ] as const) {
    const { lines, tracer } = notes();
    runProgram(program, { tracer, gas: program.endsWith("56") ? 20n : 10n, rules: rulesOf("base") });
    expect([program, lines.join("; ").includes(expected)]).toEqual([program, true]);
  }
});

test.each([
  ["1 0 SSTORE", "4 0x55 gas 49994 cost 22100 [1 0]", "fault 4 [1 0] write-protection"],
  ["1 0 TSTORE", "4 0x5d gas 49994 cost 100 [1 0]", "fault 4 [1 0] write-protection"],
  ["5 0 LOG0", "4 0xa0 gas 49994 cost 418 [5 0]", "fault 4 [5 0] write-protection"],
  ["33 0 0 CREATE", "6 0xf0 gas 49991 cost 32010 [33 0 0]", "fault 6 [33 0 0] write-protection"],
  ["0 33 0 0 CREATE2", "8 0xf5 gas 49988 cost 32022 [0 33 0 0]", "fault 8 [0 33 0 0] write-protection"],
  ["0x66 SELFDESTRUCT", "2 0xff gas 49997 cost 7600 [102]", "fault 2 [102] write-protection"],
  // With the gas that the called frame would have had; its words are taken by then.
  [
    "7 0 0 0 0 1 0x66 9 CALL",
    "16 0xf1 gas 49976 cost 36609 [7 0 0 0 0 1 102 9]",
    "fault 16 [7] write-protection",
  ],
  ["7 0 0 0 0 0 0x66 9 CALL", "16 0xf1 gas 49976 cost 2609 [7 0 0 0 0 0 102 9]", "enter CALL 2 0066 9"],
])("a static frame pays for a write before it is refused: %s", (program, step, then) => {
  const world = aWorld();
  putContract(world, OTHER, assemble(program));
  const { lines, tracer } = notes();
  runProgram("0 0 0 0 0x07e4 50000 STATICCALL", { world, tracer, gas: 100_000n });
  const at = lines.findIndex((line) =>
    line.startsWith(`${step.split(" ")[0]} 0x${step.split("0x")[1]?.slice(0, 2)}`),
  );
  expect(lines.slice(at, at + 2)).toEqual([step, then]);
});

test.each([
  ["2000", 2000, "cost 100"], // not enough for meeting the account
  ["20000", 20_000, "cost 36609"], // what the called frame is given is worked out below zero
  ["20000 and all gas", 20_000, "cost 18158513697557860111"],
])("a call that its frame cannot pay is shown with the Go node's sum: %s", (name, gas, cost) => {
  const { lines, tracer } = notes();
  const asked = name.endsWith("all gas") ? `${1n << 64n}` : "9";
  runProgram(`0 0 0 0 1 0x66 ${asked} CALL`, { tracer, gas: BigInt(gas) });
  expect(lines.at(-2)).toMatch(new RegExp(`^\\d+ 0xf1 .* ${cost} .*out-of-gas$`));
});

test("an opcode whose fixed gas is not there is shown with the computation of the one before", () => {
  const costs: number[] = [];
  const step: Tracer["step"] = ({ computationCost }) => costs.push(computationCost);
  runProgram("1 1 TSTORE", { tracer: { step }, gas: 10n });
  expect(costs).toEqual([120, 120, 120]);
  runProgram("1 1 TSTORE", { tracer: { step }, gas: 106n });
  expect(costs.slice(3)).toEqual([120, 120, 280, 0]);
});

test("a write that a static frame could not pay either fails for the gas", () => {
  const world = aWorld();
  putContract(world, OTHER, assemble("1 0 SSTORE"));
  const { lines, tracer } = notes();
  runProgram("0 0 0 0 0x07e4 5000 STATICCALL", { world, tracer, gas: 100_000n });
  expect(lines).toContain("4 0x55 gas 4994 cost 22100 [1 0] out-of-gas");
});

test("a SELFDESTRUCT is shown as a frame", () => {
  const { lines, tracer } = notes();
  runProgram("0x6666 SELFDESTRUCT", { tracer, value: 3n });
  expect(lines.slice(-3)).toEqual([
    "enter SELFDESTRUCT 1 6666 0",
    "exit 1 0 0",
    expect.stringContaining("exit 0"),
  ]);
});
