/** Tests of the opcodes with their effects, in OpenEthereum's form. */
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { createVmTracer, type VmOpcode, type VmTrace } from "../../../node/evm/tracers/vm-tracer.ts";
import { assemble, aWorld, CONTRACT, OTHER, putContract, runProgram } from "../../support/evm.ts";

const GAS = 200_000n;

/** Runs a program that may call `other`. */
function trace(program: string, other = "STOP", take: (bytes: number) => void = () => undefined): VmTrace {
  const world = aWorld();
  putContract(world, OTHER, assemble(other));
  world.endTransaction();
  const { tracer, result } = createVmTracer(take);
  runProgram(program, { world, tracer, gas: GAS });
  return result();
}

const names = ({ ops }: VmTrace): string => ops.map(({ op }) => op).join(" ");
function opOf({ ops }: VmTrace, name: string): VmOpcode {
  const found = ops.find(({ op }) => op === name);
  if (found === undefined) throw new Error(`no ${name} ran`);
  return found;
}

test("each opcode has its cost, the gas left, and the words that it leaves", () => {
  const traced = trace("7 5 DUP2 SWAP1 ADD POP");
  expect(traced.code).toBe(toHex(assemble("7 5 DUP2 SWAP1 ADD POP")));
  expect(names(traced)).toBe("PUSH1 PUSH1 DUP2 SWAP1 ADD POP STOP");
  expect(traced.ops.map(({ ex }) => ex?.push)).toEqual([
    ["0x7"],
    ["0x5"],
    ["0x7", "0x5", "0x7"],
    ["0x7", "0x5"],
    ["0xc"],
    [],
    [],
  ]);
  expect(traced.ops[1]).toEqual({
    cost: 3,
    ex: { mem: null, push: ["0x5"], store: null, used: Number(GAS) - 6 },
    pc: 2,
    sub: null,
    op: "PUSH1",
    idx: "1",
  });
});

test("writes to storage and memory are effects", () => {
  const traced = trace("9 4 SSTORE 1 40 MSTORE8 3 1 0 CALLDATACOPY 0 0 0 CALLDATACOPY 2 7 TSTORE");
  expect(opOf(traced, "SSTORE").ex).toMatchObject({ store: { key: "0x4", val: "0x9" }, push: [] });
  const writes = traced.ops.flatMap(({ op, ex }) => (ex?.mem ? [[op, ex.mem]] : []));
  expect(writes).toEqual([
    ["MSTORE8", { off: 40, data: "0x01" }],
    ["CALLDATACOPY", { off: 0, data: "0x000000" }],
  ]);
  expect(opOf(traced, "TSTORE").ex).toMatchObject({ store: null });
});

test("an inner call stands inside its opcode, which shows what came back", () => {
  const callee = "5 0 MSTORE8 1 0 RETURN";
  const traced = trace("2 8 0 0 0 0x07e4 50000 CALL POP", callee);
  const call = opOf(traced, "CALL");
  expect(call.sub?.code).toBe(toHex(assemble(callee)));
  expect(call.sub?.ops.map(({ idx }) => idx)).toEqual([0, 1, 2, 3, 4, 5].map((i) => `7-${i}`));
  expect(call.ex).toMatchObject({ push: ["0x1"], mem: { off: 8, data: "0x0500" } });
  expect(call.cost).toBeGreaterThan(50_000);
  const next = traced.ops[8];
  expect(call.ex?.used).toBe((next?.cost ?? 0) + (next?.ex?.used ?? 0));
});

test("creations show their init code and the gas that they were given", () => {
  const init = assemble("0 0 MSTORE8 1 0 RETURN");
  const traced = trace(`${toHex(init)} 0 MSTORE ${init.length} ${32 - init.length} 0 CREATE`);
  const create = opOf(traced, "CREATE");
  expect(create.sub?.code).toBe(toHex(init));
  expect(create.cost).toBeGreaterThan(100_000);
  expect(create.sub?.ops).toHaveLength(6);
});

test("calls without code have no opcodes; those of precompiled contracts and self-destructs are not there", () => {
  const traced = trace("0 0 0 0 0 0x99 0 CALL 0 0 0 0 4 5000 STATICCALL 0x99 SELFDESTRUCT");
  expect(opOf(traced, "CALL").sub).toEqual({ code: "0x", ops: [] });
  expect(opOf(traced, "STATICCALL")).toMatchObject({ sub: null, ex: { push: ["0x1"] } });
  expect(opOf(traced, "SELFDESTRUCT").sub).toBeNull();
  expect(createVmTracer(() => undefined).result()).toEqual({ code: "0x", ops: [] });
});

test.each([
  ["ADD", "0 ADD"],
  ["CALLDATACOPY", "0xffffffffffff 0 0 CALLDATACOPY"],
  ["RETURNDATACOPY", "1 0 0 RETURNDATACOPY"],
  ["JUMP", "3 JUMP"],
])("a failed %s has no effects, a REVERT has them", (name, program) => {
  expect(opOf(trace(program), name).ex).toBeNull();
  expect(opOf(trace("0 0 REVERT"), "REVERT").ex).toMatchObject({ push: [], mem: null });
});

test("the counted bytes are at least those of the result, whatever fills it", () => {
  const loop = "JUMPDEST";
  const programs = [
    `#5b7f${"ff".repeat(32)}600052602060005160203760006000fd`,
    `${loop} MSIZE MSIZE MSTORE MSIZE 0 0 CALLDATACOPY 0 JUMP`,
    `${loop} 0 0 0 0 0x07e4 500 DELEGATECALL POP GAS 1 SSTORE 0 JUMP`,
    `${loop} CALLER DUP1 DUP1 DUP1 DUP1 SWAP4 POP POP POP POP POP 0 JUMP`,
    // Each frame calls the contract again.
    `0 0 0 0 0 ${toHex(CONTRACT)} GAS CALL`,
  ];
  for (const program of programs) {
    let bytes = 0;
    const traced = trace(program, "JUMPDEST ".repeat(200), (more) => {
      bytes += more;
    });
    const size = JSON.stringify(traced).length;
    expect([bytes >= size - 30, bytes < 2 * size]).toEqual([true, true]);
  }
});

test("the tracer stops where its bytes may not be taken", () => {
  let left = 10_000;
  const take = (bytes: number): void => {
    left -= bytes;
    if (left < 0) throw new RangeError("no bytes left");
  };
  expect(() => trace("JUMPDEST 0 JUMP", "STOP", take)).toThrow("no bytes left");
});
