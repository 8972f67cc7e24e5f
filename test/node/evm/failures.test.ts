/** Tests of failing programs: order of failures, their gas, and hostile sizes, which are only failures. */
import { expect, test } from "@jest/globals";
import type { EvmRevision } from "../../../node/config/rule-facts.ts";
import type { EvmFailureCode } from "../../../node/evm/failure.ts";
import {
  assemble,
  aWorld,
  CALLER,
  CONTRACT,
  OTHER,
  putContract,
  rulesOf,
  runProgram,
} from "../../support/evm.ts";

const MAX = (1n << 256n) - 1n;
const NEAR_64 = 0xffff_ffff_ffff_ffe0n;

/** A program, its failure, and its text where it says more than the code. */
type Row = readonly [program: string, code: EvmFailureCode, message?: string, revision?: EvmRevision];

const rows: readonly Row[] = [
  ["ADD", "stack-underflow", "stack underflow (0 <=> 2)"],
  ["1 SWAP1", "stack-underflow", "stack underflow (1 <=> 2)"],
  ["#0c", "invalid-opcode", "invalid opcode 0xc"],
  ["#fe", "invalid-opcode", "invalid opcode 0xfe"],
  ["PUSH0", "invalid-opcode", "invalid opcode 0x5f", "kore"],
  ["CHAINID", "invalid-opcode", "invalid opcode 0x46", "base"],
  ["loop: 1 @loop JUMP", "stack-overflow", "stack limit reached 1024 (1023)"],
  ["3 JUMP", "invalid-jump", "evm: invalid jump destination"],
  ["#615b00 1 JUMP", "invalid-jump"],
  [`${MAX} JUMP`, "invalid-jump"],
  [`1 ${1n << 32n} JUMPI`, "invalid-jump"],
  ["1 0 0 RETURNDATACOPY", "return-data-out-of-bounds", "evm: return data out of bounds"],
  [`0 ${MAX} 0 RETURNDATACOPY`, "return-data-out-of-bounds"],
  ["loop: @loop JUMP", "out-of-gas", "out of gas"],
  ["0 0 REVERT", "reverted", "evm: execution reverted"],
  [`1 ${NEAR_64 - 1n} RETURN`, "out-of-gas"],
  [`32 ${NEAR_64} RETURN`, "gas-overflow", "gas uint64 overflow"],
  [`${MAX} MLOAD`, "gas-overflow"],
  [`${NEAR_64 - 32n} MLOAD`, "out-of-gas"],
  [`${1n << 40n} MLOAD`, "out-of-gas"],
  [`1 ${1n << 31n} MSTORE8`, "out-of-gas"],
  [`${MAX} 0 SHA3`, "gas-overflow"],
  [`${MAX} 0 0 CALLDATACOPY`, "gas-overflow"],
  [`${1n << 50n} 0 0 CALLDATACOPY`, "out-of-gas"],
  [`${MAX} 0 0 MCOPY`, "gas-overflow"],
  [`1 ${MAX} 0 MCOPY`, "gas-overflow"],
  [`${MAX} 0 LOG0`, "gas-overflow"],
  [`${1n << 60n} 0 LOG0`, "out-of-gas"],
  [`${MAX} 0 0 CREATE`, "gas-overflow"],
  [`49153 0 0 CREATE`, "out-of-gas"],
  [`1 ${MAX} 0 0 0x07e4 GAS DELEGATECALL`, "gas-overflow"],
  [`${1n << 36n} 0 0 0 0x07e4 GAS STATICCALL`, "out-of-gas"],
];

test.each(rows.map((row) => [`${row[0]} fails with ${row[1]} (${row[3] ?? "osaka"})`, row] as const))(
  "%s",
  (_name, [program, code, message, revision = "osaka"]) => {
    const gas = 1_000_000n;
    const { failure, gasLeft } = runProgram(program, { gas, rules: rulesOf(revision) });
    expect(failure?.code).toBe(code);
    if (message !== undefined) expect(failure?.message).toBe(message);
    if (code !== "reverted") expect(gasLeft).toBe(0n);
  },
);

test("an offset does not matter where nothing is copied", () => {
  const program = `0 ${MAX} RETURN`;
  expect(runProgram(`0 ${MAX} ${MAX} CALLDATACOPY 0 ${MAX} SHA3 ${program}`).failure).toBeUndefined();
});

test("the gas of an opcode is looked at before the computation that it adds", () => {
  const options = { computationLimit: 239, rules: rulesOf("cancun") };
  expect(runProgram("1 1", { ...options, gas: 5n }).failure?.code).toBe("out-of-gas");
  expect(runProgram("1 1", { ...options, gas: 6n }).failure?.code).toBe("computation-limit");
  expect(runProgram("1 1", { ...options, computationLimit: 240, gas: 6n }).failure).toBeUndefined();
});

test("computation adds up over frames, and a frame that reaches the limit takes its gas", () => {
  const world = aWorld();
  putContract(world, OTHER, assemble("loop: @loop JUMP"));
  const program = "0 0 0 0 0 0x07e4 100000 CALL POP 1";
  const result = runProgram(program, { world, computationLimit: 10_000 });
  expect(result.failure).toMatchObject({
    code: "computation-limit",
    message: "reached the opcode computation cost limit",
  });
  expect(result.gasLeft).toBe(0n);
});

test("the rules' own limit holds when none is given", () => {
  for (const [revision, limit] of [
    ["shanghai", 100_000_000],
    ["cancun", 150_000_000],
  ] as const) {
    expect(rulesOf(revision).computationLimit).toBe(limit);
  }
  const { failure } = runProgram("loop: @loop JUMP", { gas: 1n << 62n, rules: rulesOf("cancun") });
  expect(failure?.code).toBe("computation-limit");
});

test("a static frame may call but not write", () => {
  const world = aWorld();
  const writes = [
    "1 1 SSTORE",
    "1 1 TSTORE",
    "0 0 LOG0",
    "0 0 0 CREATE",
    "0 0 0 0 CREATE2",
    "0 SELFDESTRUCT",
  ];
  for (const write of [...writes, "0 0 0 0 1 0x07e4 0 CALL"]) {
    putContract(world, OTHER, assemble(write));
    const { output, gasLeft } = runProgram("0 0 0 0 0x07e4 50000 STATICCALL 0 MSTORE 32 0 RETURN", { world });
    expect([write, output.at(-1), gasLeft < 950_000n]).toEqual([write, 0, true]);
  }
  putContract(world, OTHER, assemble("0 0 0 0 0 0xca11e4 0 CALL STOP"));
  const { output } = runProgram("0 0 0 0 0x07e4 50000 STATICCALL 0 MSTORE 32 0 RETURN", { world });
  expect(output.at(-1)).toBe(1);
});

test("a failure takes back what the frame did, and what its frames did", () => {
  const world = aWorld();
  putContract(world, OTHER, assemble("7 1 SSTORE 0 0 LOG0"));
  runProgram("5 1 SSTORE 0 0 0 0 9 0x07e4 GAS CALL #fe", { world, value: 10n });
  expect([world.slot(CONTRACT, 1n), world.slot(OTHER, 1n), world.logs.length]).toEqual([0n, 0n, 0]);
  expect([world.balance(OTHER), world.balance(CALLER)]).toEqual([0n, 10n ** 20n]);
});
