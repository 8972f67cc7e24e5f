/** Tests of single opcodes as small programs: one row each. */
import { describe, expect, test } from "@jest/globals";
import { bytesToBigint } from "../../../node/bytes/integer.ts";
import type { EvmRevision } from "../../../node/config/rule-facts.ts";
import { CALLER, CONTRACT, OTHER, rulesOf, runProgram } from "../../support/evm.ts";

const MAX = (1n << 256n) - 1n;
const LOW = 1n << 255n;
const word = (value: bigint): bigint => BigInt.asUintN(256, value);

/** A program that leaves one word, and that word. */
type Row = readonly [program: string, result: bigint, revision?: EvmRevision];

const arithmetic: readonly Row[] = [
  [`${MAX} 2 ADD`, 1n],
  [`${MAX} ${MAX} MUL`, 1n],
  ["2 1 SUB", MAX],
  ["3 1 SUB", word(-2n)],
  ["0 5 DIV", 0n],
  ["3 10 DIV", 3n],
  [`3 ${word(-10n)} SDIV`, word(-3n)],
  [`${MAX} ${LOW} SDIV`, LOW],
  ["0 5 SDIV", 0n],
  ["3 10 MOD", 1n],
  ["0 10 MOD", 0n],
  [`${word(-3n)} ${word(-10n)} SMOD`, word(-1n)],
  ["0 10 SMOD", 0n],
  [`7 ${MAX} ${MAX} ADDMOD`, (MAX + MAX) % 7n],
  [`0 ${MAX} ${MAX} ADDMOD`, 0n],
  [`${MAX - 1n} ${MAX} ${MAX} MULMOD`, (MAX * MAX) % (MAX - 1n)],
  ["0 1 1 MULMOD", 0n],
  ["0 0 EXP", 1n],
  ["256 2 EXP", 0n],
  ["255 2 EXP", LOW],
  [`${MAX} 6 EXP`, 0n],
  ["3 5 EXP", 125n],
  [`77 ${MAX} EXP`, MAX],
  ["1000 0x123456789abcdef123 EXP", BigInt.asUintN(256, 0x123456789abcdef123n ** 1000n)],
  ["0x7fff 0 SIGNEXTEND", MAX],
  ["0x80 31 SIGNEXTEND", 0x80n],
  [`0x80 ${MAX} SIGNEXTEND`, 0x80n],
  ["0xff7f 0 SIGNEXTEND", 0x7fn],
];

const comparisons: readonly Row[] = [
  ["2 1 LT", 1n],
  ["1 2 GT", 1n],
  [`0 ${MAX} SLT`, 1n],
  [`${MAX} 0 SGT`, 1n],
  [`${MAX} ${MAX} SGT`, 0n],
  ["5 5 EQ", 1n],
  ["0 ISZERO", 1n],
  ["7 ISZERO", 0n],
  ["12 10 AND", 8n],
  ["12 10 OR", 14n],
  ["12 10 XOR", 6n],
  ["0 NOT", MAX],
  ["0x1234 30 BYTE", 0x12n],
  ["0x1234 32 BYTE", 0n],
  ["0xff00 31 BYTE", 0n],
  [`${MAX} 8 SHL`, MAX - 0xffn],
  ["1 255 SHL", LOW],
  ["1 256 SHL", 0n],
  [`${MAX} ${MAX} SHL`, 0n],
  [`${MAX} 255 SHR`, 1n],
  [`${MAX} 256 SHR`, 0n],
  [`${LOW} 255 SAR`, MAX],
  [`${LOW} 256 SAR`, MAX],
  ["0x100 4 SAR", 0x10n],
  ["0x100 256 SAR", 0n],
  ["0 CLZ", 256n],
  ["1 CLZ", 255n],
  [`${LOW} CLZ`, 0n],
  ["0x1234 CLZ", 243n],
];

const context: readonly Row[] = [
  ["ADDRESS", bytesToBigint(CONTRACT)],
  ["CALLER", bytesToBigint(CALLER)],
  ["ORIGIN", bytesToBigint(CALLER)],
  ["CALLVALUE", 0n],
  ["GASPRICE", 50_000_000_000n],
  ["COINBASE", 0xa07402n],
  ["TIMESTAMP", 1_700_000_000n],
  ["NUMBER", 1000n],
  ["DIFFICULTY", 0x4a4dn],
  ["DIFFICULTY", 1n, "london"],
  ["GASLIMIT", 0n],
  ["CHAINID", 1001n],
  ["BASEFEE", 25_000_000_000n],
  ["BLOBBASEFEE", 200_000_000_000n],
  ["0 BLOBHASH", 0n],
  [`${MAX} BLOBHASH`, 0n],
  ["999 BLOCKHASH", 999n],
  ["744 BLOCKHASH", 744n],
  ["743 BLOCKHASH", 0n],
  ["1000 BLOCKHASH", 0n],
  [`${MAX} BLOCKHASH`, 0n],
  [`${bytesToBigint(CALLER)} BALANCE`, 10n ** 20n],
  ["SELFBALANCE", 0n],
  ["CODESIZE", 9n],
  [`${bytesToBigint(OTHER)} EXTCODESIZE`, 0n],
  ["ADDRESS EXTCODESIZE", 10n],
  [`${bytesToBigint(OTHER)} EXTCODEHASH`, 0n],
  [
    `${bytesToBigint(OTHER)} EXTCODEHASH`,
    0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470n,
    "shanghai",
  ],
  ["RETURNDATASIZE", 0n],
  ["PC", 0n],
  ["MSIZE", 0n],
  ["33 MLOAD POP MSIZE", 96n],
  ["0xff 31 MSTORE8 0 MLOAD", 0xffn],
  ["0x1ff 0 MSTORE8 0 MLOAD", 0xffn << 248n],
  ["GAS", 999_998n],
  ["5 1 TSTORE 1 TLOAD", 5n],
  ["1 TLOAD", 0n],
  ["5 1 SSTORE 1 SLOAD", 5n],
  ["PUSH0", 0n],
  ["0 0 SHA3", 0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470n],
  ["32 0 SHA3", 0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563n],
  ["0x11 0 MSTORE 32 31 1 MCOPY 0 MLOAD", 0x11n << 240n],
];

const data: readonly Row[] = [
  ["0 CALLDATALOAD", 0x0102030405n << 216n],
  ["4 CALLDATALOAD", 0x05n << 248n],
  [`${MAX} CALLDATALOAD`, 0n],
  ["CALLDATASIZE", 5n],
  [`0 NOT 0 MSTORE 3 4 0 CALLDATACOPY 0 MLOAD`, (0x050000n << 232n) | ((1n << 232n) - 1n)],
  [`0 NOT 0 MSTORE 2 ${MAX} 0 CALLDATACOPY 0 MLOAD`, (1n << 240n) - 1n],
  ["3 0 0 CODECOPY 0 MLOAD", 0x600360n << 232n],
  ["2 0 0 ADDRESS EXTCODECOPY 0 MLOAD", 0x6002n << 240n],
];

const flow: readonly Row[] = [
  ["7 @over JUMP 8 over:", 7n],
  ["7 0 @over JUMPI POP 8 over:", 8n],
  ["7 1 @over JUMPI POP 8 over:", 7n],
  ["1 2 3 DUP3 SWAP2 POP SWAP2 SWAP1 POP POP", 3n],
];

/** The result is stored, and returned. */
function resultOf([program, , revision = "osaka"]: Row): bigint {
  const { output, failure } = runProgram(`${program} 0 MSTORE 32 0 RETURN`, {
    rules: rulesOf(revision),
    input: Uint8Array.of(1, 2, 3, 4, 5),
  });
  if (failure !== undefined) throw new Error(failure.message);
  return bytesToBigint(output);
}

describe.each([
  ["arithmetic", arithmetic],
  ["comparisons and bits", comparisons],
  ["context", context],
  ["data", data],
  ["jumps and stack", flow],
] as const)("%s", (_, rows) => {
  test.each(rows.map((row) => [`${row[0]} is ${row[1]} (${row[2] ?? "osaka"})`, row] as const))(
    "%s",
    (_name, row) => {
      expect(resultOf(row)).toBe(row[1]);
    },
  );
});

test("a constant cut short by the end of the code has zeros", () => {
  expect(runProgram("1 0 MSTORE 32 0 RETURN #61ff").failure).toBeUndefined();
  expect(runProgram("#62ff").failure).toBeUndefined();
});

test("code that ends stops", () => {
  expect(runProgram("1 2")).toMatchObject({ failure: undefined, gasLeft: 999_994n });
});
