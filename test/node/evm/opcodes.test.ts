/** Tests of the opcode table. */
import { expect, test } from "@jest/globals";
import { EVM_REVISIONS, type EvmRevision, isRevisionSince } from "../../../node/config/rule-facts.ts";
import { opcodes } from "../../../node/evm/opcodes.ts";
import { NEVER, tablesOf } from "../../../node/evm/revision.ts";

const numberOf = new Map(opcodes.map(({ name, number }) => [name, number]));

/** The same value in every revision, or the values in the order of `EVM_REVISIONS`; -1 where it is no opcode. */
function values(name: string, table: "gas" | "cost"): number | number[] {
  const number = numberOf.get(name) ?? -1;
  const all = EVM_REVISIONS.map((revision) => {
    const tables = tablesOf({ evm: revision, plainCodeHash: isRevisionSince(revision, "cancun") });
    return tables.minStack[number] === NEVER ? -1 : (tables[table][number] ?? -2);
  });
  return new Set(all).size === 1 ? (all[0] ?? -2) : all;
}

test("each opcode has its own number and name", () => {
  expect(numberOf.size).toBe(opcodes.length);
  expect(new Set(opcodes.map(({ number }) => number)).size).toBe(opcodes.length);
  expect(opcodes).toHaveLength(28 + 27 + 16 + 32 + 16 + 16 + 5 + 9);
});

test("the gas of opcodes changes with the revision as in the Go node's jump table", () => {
  expect(values("SLOAD", "gas")).toEqual([200, 800, 800, 0, 0, 0, 0, 0]);
  expect(values("BALANCE", "gas")).toEqual([400, 700, 700, 100, 100, 100, 100, 100]);
  expect(values("EXTCODESIZE", "gas")).toEqual([700, 700, 700, 100, 100, 100, 100, 100]);
  expect(values("EXTCODEHASH", "gas")).toEqual([400, 700, 700, 100, 100, 400, 400, 400]);
  for (const name of ["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"]) {
    expect(values(name, "gas")).toEqual([700, 700, 700, 100, 100, 100, 100, 100]);
  }
  expect([values("BLOCKHASH", "gas"), values("CREATE", "gas"), values("CREATE2", "gas")]).toEqual([
    20, 32_000, 32_000,
  ]);
});

/** Values in the order of `EVM_REVISIONS`: of base, of the four from Istanbul on, of the three from Cancun on. */
const inTurn = (first: number, istanbul: number, cancun = istanbul): number[] =>
  EVM_REVISIONS.map((_, i) => (i === 0 ? first : i < 5 ? istanbul : cancun));

test("computation costs are the Go node's, with the changes of Istanbul, Kore and Cancun", () => {
  const changed: Readonly<Record<string, number[]>> = {
    ADDMOD: inTurn(3349, 1410, 360),
    MULMOD: inTurn(4757, 1760, 700),
    SHL: inTurn(1603, 478),
    SHR: inTurn(1346, 498),
    SAR: inTurn(1815, 834),
    XOR: inTurn(657, 454),
    NOT: inTurn(1289, 364),
    SDIV: inTurn(739, 739, 360),
    MOD: inTurn(812, 812, 320),
    EXP: inTurn(5000, 5000, 720),
    SHA3: inTurn(2465, 2465, 560),
    MSTORE8: inTurn(5142, 5142, 230),
    SLOAD: inTurn(835, 835, 2550),
    SSTORE: inTurn(1548, 1548, 2510),
    LOG4: inTurn(1000, 1000, 500),
    DIFFICULTY: [180, 180, 180, 1498, 1498, 1498, 1498, 1498],
  };
  for (const [name, costs] of Object.entries(changed))
    expect([name, values(name, "cost")]).toEqual([name, costs]);
  const constant = {
    ADD: 150,
    SUB: 219,
    AND: 288,
    JUMPDEST: 10,
    PUSH1: 120,
    PUSH32: 120,
    DUP15: 237,
    SWAP7: 199,
  };
  for (const [name, cost] of Object.entries(constant))
    expect([name, values(name, "cost")]).toEqual([name, cost]);
});

test("an opcode is there from its revision on", () => {
  const firsts: Readonly<Record<string, EvmRevision>> = {
    CHAINID: "istanbul",
    SELFBALANCE: "istanbul",
    BASEFEE: "london",
    PUSH0: "shanghai",
    MCOPY: "cancun",
    TLOAD: "cancun",
    TSTORE: "cancun",
    BLOBHASH: "cancun",
    BLOBBASEFEE: "cancun",
    CLZ: "osaka",
  };
  for (const { name, since } of opcodes) expect([name, since]).toEqual([name, firsts[name] ?? "base"]);
});
