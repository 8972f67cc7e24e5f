/** Calls and creations: what passes between frames, and the rules for who may be called (`blockchain/vm/evm.go@v2.2.2`). */
import { beforeEach, describe, expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { toHex } from "../../../node/bytes/hex.ts";
import { bytesToBigint, fixedBytes } from "../../../node/bytes/integer.ts";
import type { EvmRevision } from "../../../node/config/rule-facts.ts";
import { createEvm } from "../../../node/evm/evm.ts";
import { emptyAccount } from "../../../node/model/account.ts";
import { FAIL_KEY } from "../../../node/model/account-key.ts";
import type { World } from "../../../node/state/world/world.ts";
import {
  assemble,
  aWorld,
  CALLER,
  CONTRACT,
  evmOptions,
  OTHER,
  putContract,
  rulesOf,
  runProgram,
} from "../../support/evm.ts";
import { contractsOfVersion, SuiteWorld } from "../../support/suite-world.ts";

let world: World;
beforeEach(() => {
  world = aWorld();
});

const RETURN_TOP = "0 MSTORE 32 0 RETURN";
const addressOf = (number: number): Uint8Array => fixedBytes(number, 20);
/** The word that a program leaves. */
const answer = (source: string, options: Parameters<typeof runProgram>[1] = {}): bigint => {
  const { output, failure } = runProgram(`${source} ${RETURN_TOP}`, { world, ...options });
  if (failure !== undefined) throw new Error(failure.message);
  return bytesToBigint(output);
};

/** A call of `OTHER`, whose output goes to the start of memory. */
const callThen = (rest: string): string => `32 0 0 0 0 0x07e4 50000 CALL ${rest}`;

describe("calls", () => {
  test("a call gets its input, and its output comes back as far as there is room", () => {
    putContract(world, OTHER, assemble("CALLDATASIZE 0 0 CALLDATACOPY 32 0 RETURN"));
    const program = "0 NOT 64 MSTORE 0x1122 0 MSTORE 2 64 4 30 0 0x07e4 GAS CALL POP 64 MLOAD";
    expect(answer(program)).toBe((0x1122n << 240n) | ((1n << 240n) - 1n));
    expect(answer("0x1122 0 MSTORE 0 0 4 30 0 0x07e4 GAS CALL POP RETURNDATASIZE")).toBe(32n);
  });

  test("what a reverted call says comes back, with its gas; any other failure takes all", () => {
    putContract(world, OTHER, assemble("7 0 MSTORE 32 0 REVERT"));
    expect(answer(callThen("POP 0 MLOAD"))).toBe(7n);
    expect(answer(callThen(""))).toBe(0n);
    expect(runProgram(callThen("STOP"), { world }).gasLeft).toBeGreaterThan(990_000n);
    putContract(world, OTHER, assemble("7 0 MSTORE #fe"));
    expect(answer(callThen("POP RETURNDATASIZE"))).toBe(0n);
    expect(runProgram(callThen("STOP"), { world }).gasLeft).toBeLessThan(950_000n);
  });

  test("who runs, who called and what was sent differ by the kind of call", () => {
    const reported = "ADDRESS 0 MSTORE CALLER 32 MSTORE CALLVALUE 64 MSTORE 96 0 RETURN";
    putContract(world, OTHER, assemble(reported));
    const tell = (call: string): bigint[] => {
      const { output } = runProgram(`96 0 0 0 ${call} POP 96 0 RETURN`, { world, value: 9n });
      return [0, 32, 64].map((at) => bytesToBigint(output.subarray(at, at + 32)));
    };
    const [self, other, caller] = [CONTRACT, OTHER, CALLER].map(bytesToBigint) as [bigint, bigint, bigint];
    expect(tell("5 0x07e4 GAS CALL")).toEqual([other, self, 5n]);
    expect(tell("5 0x07e4 GAS CALLCODE")).toEqual([self, self, 5n]);
    expect(tell("0x07e4 GAS DELEGATECALL")).toEqual([self, caller, 9n]);
    expect(tell("0x07e4 GAS STATICCALL")).toEqual([other, self, 0n]);
  });

  test("a call with value gets 2,300 gas for nothing, and costs 9,000", () => {
    putContract(world, OTHER, assemble(`GAS ${RETURN_TOP}`));
    expect(answer("32 0 0 0 1 0x07e4 0 CALL POP 0 MLOAD", { value: 1n })).toBe(2298n);
    const used = (value: number): bigint =>
      1_000_000n - runProgram(`0 0 0 0 ${value} 0x07e4 0 CALL STOP`, { world, value: 1n }).gasLeft;
    putContract(world, OTHER, new Uint8Array(0));
    expect(used(1) - used(0)).toBe(9000n - 2300n);
  });

  test("frames nest 1,025 deep; one more is refused and keeps its gas", () => {
    const program = `32 0 0 0 0 ADDRESS GAS CALL POP 0 MLOAD 1 ADD ${RETURN_TOP}`;
    const result = runProgram(program, { world, gas: 1n << 40n });
    expect([result.failure, bytesToBigint(result.output)]).toEqual([undefined, 1025n]);
    expect(result.gasLeft).toBeGreaterThan((1n << 40n) - 400_000n);
  });

  test.each([1n << 63n, (1n << 64n) - 1n, (1n << 53n) + 1n, (1n << 51n) + 1n, 1n << 51n])(
    "gas of %d is exact",
    (gas) => {
      putContract(world, OTHER, assemble(`GAS ${RETURN_TOP}`));
      expect(answer("GAS", { gas })).toBe(gas - 2n);
      const first = bytesToBigint(
        runProgram("32 0 0 0 0 0x07e4 GAS CALL POP 0 MLOAD 32 0 RETURN", { world, gas }).output,
      );
      const atCall = gas - 5n * 3n - 3n - 2n - 2600n - 3n;
      expect(first).toBe(atCall - atCall / 64n - 2n);
      const { gasLeft } = runProgram(`32 0 0 0 0 0x07e4 ${1n << 52n} CALL`, { world, gas });
      expect(gas - gasLeft).toBe(7n * 3n + 100n + 3n + 17n);
    },
  );
});

describe("who may be called", () => {
  test("an account that is not there: nothing happens without value, with value it is made", () => {
    expect(answer("0 0 0 0 0 0x5555 GAS CALL")).toBe(1n);
    expect(world.exists(addressOf(0x5555))).toBe(false);
    expect(answer("0 0 0 0 3 0x5555 GAS CALL", { value: 3n })).toBe(1n);
    expect(world.account(addressOf(0x5555))).toEqual({ ...emptyAccount(), balance: 3n });
  });

  test("sending what is not there fails and keeps the gas", () => {
    const { gasLeft } = runProgram("0 0 0 0 3 0x5555 100000 CALL STOP", { world });
    expect(gasLeft).toBeGreaterThan(950_000n);
    expect(answer("0 0 0 0 3 0x5555 GAS CALL")).toBe(0n);
  });

  test("reserved addresses are refused, precompiled contracts with value too; both keep the gas", () => {
    for (const to of [0x3fc, 0x200, 0x12]) expect([to, answer(`0 0 0 0 0 ${to} GAS CALL`)]).toEqual([to, 0n]);
    expect(answer("0 0 0 0 0 4 GAS CALL")).toBe(1n);
    expect(answer("0 0 0 0 1 4 GAS CALL", { value: 1n })).toBe(0n);
    expect(answer("0 0 0 0 1 0 GAS CALL", { value: 1n })).toBe(1n);
    const evm = createEvm(evmOptions({ world }));
    const message = { caller: CALLER, input: new Uint8Array(0), value: 0n, gas: 5000n };
    expect(evm.call({ ...message, to: addressOf(0x3fc) })).toMatchObject({
      gasLeft: 5000n,
      failure: { code: "reserved-address", message: "the address is reserved for pre-compiled contracts" },
    });
    expect(evm.call({ ...message, to: addressOf(4), gas: 14n })).toMatchObject({
      gasLeft: 0n,
      failure: { code: "out-of-gas" },
    });
  });

  test("a call makes a precompiled contract's account, which is gone after the transaction", () => {
    answer("0 0 0 0 0 4 GAS CALL");
    expect(world.account(addressOf(4))).toMatchObject({ kind: "contract", nonce: 0n });
    world.endTransaction();
    expect(world.exists(addressOf(4))).toBe(false);
  });

  test.each([
    ["0x5555 GAS STATICCALL", true],
    ["0 0x5555 GAS CALL", false],
  ])("an empty account that is there is touched by a call alone: %s, stays %s", (call, stays) => {
    const empty = fixedBytes(0x5555, 20);
    const nothing = { balance: "0x0", nonce: "0x0", code: "0x", storage: {} };
    ({ world } = new SuiteWorld({ [toHex(empty)]: nothing }, contractsOfVersion(1)));
    expect(answer(`0 0 0 0 ${call}`)).toBe(1n);
    world.endTransaction();
    expect(world.exists(empty)).toBe(stays);
  });

  test("code that cannot be borrowed is a success without output, also at a reserved address", () => {
    for (const call of ["0 0x5555 GAS CALLCODE", "0x3fc GAS DELEGATECALL", "0x12 GAS STATICCALL"]) {
      expect([call, answer(`0 0 0 0 ${call}`)]).toEqual([call, 1n]);
    }
  });

  test("contracts made before Istanbul go on seeing the first precompiled contracts", () => {
    const asks = assemble(`32 0 0 0 0 10 GAS CALL POP RETURNDATASIZE ${RETURN_TOP}`);
    putContract(world, OTHER, asks, 0x00);
    expect(answer("32 0 0 0 0 0x07e4 GAS CALL POP 0 MLOAD")).toBe(20n);
    putContract(world, OTHER, asks, 0x10);
    expect(answer("32 0 0 0 0 0x07e4 GAS CALL POP 0 MLOAD")).toBe(0n);
    expect(answer("0 0 0 0 0 0x3fe GAS CALL POP RETURNDATASIZE")).toBe(20n);
  });

  test("what is delegated to finds the precompiled contracts of who called its caller", () => {
    const delegates = assemble(`0 0 0 0 10 GAS DELEGATECALL POP RETURNDATASIZE ${RETURN_TOP}`);
    putContract(world, OTHER, delegates, 0x10);
    const program = assemble("32 0 0 0 0 0x07e4 GAS CALL POP 0 MLOAD 0 MSTORE 32 0 RETURN");
    putContract(world, CONTRACT, program, 0x00);
    const call = { caller: CALLER, to: CONTRACT, input: new Uint8Array(0), value: 0n, gas: 1_000_000n };
    expect(
      bytesToBigint(createEvm(evmOptions({ world, rules: rulesOf("istanbul") })).call(call).output),
    ).toBe(0n);
    world.setAccount(addressOf(10), emptyAccount());
    expect(
      bytesToBigint(createEvm(evmOptions({ world, rules: rulesOf("istanbul") })).call(call).output),
    ).toBe(20n);
  });
});

/** Code that makes a contract with this code. */
const deploy = (code: Uint8Array): Uint8Array =>
  concatBytes(assemble(`${code.length} 12 0 CODECOPY ${code.length} 0 RETURN`), code);

/** The transaction's own creation. */
const create = (code: Uint8Array, options: Parameters<typeof evmOptions>[0] & { gas?: bigint } = {}) => {
  if (world.balance(CALLER) === 0n) world.addBalance(CALLER, 100n);
  const { gas = 1_000_000n, ...rest } = options;
  return createEvm(evmOptions({ world, ...rest })).create({ caller: CALLER, code, value: 0n, gas });
};

/** Length of what a creation returns that fails. */
function failedOutput(program: string, gas: bigint, revision: EvmRevision = "osaka"): number {
  const { failure, output } = create(assemble(program), { gas, rules: rulesOf(revision) });
  expect(failure).toBeDefined();
  return output.length;
}

describe("creations", () => {
  test("a contract gets the code that was returned, a nonce of 1 and a key that signs nothing", () => {
    const code = assemble("1 2 ADD");
    const { created, output, failure, gasLeft } = create(deploy(code));
    expect([failure, output]).toEqual([undefined, code]);
    expect(world.account(created ?? CALLER)).toMatchObject({
      kind: "contract",
      nonce: 1n,
      key: FAIL_KEY,
      codeInfo: 0x10,
    });
    expect([world.code(created ?? CALLER), world.nonce(CALLER)]).toEqual([code, 1n]);
    expect(1_000_000n - gasLeft).toBe(5n * 3n + 3n + 3n + 3n + 200n * BigInt(code.length));
  });

  test("the address of CREATE2 follows from salt and code alone", () => {
    const { output } = runProgram(`0 0 0 0 CREATE2 ${RETURN_TOP}`, { world });
    expect(bytesToBigint(output)).not.toBe(0n);
    expect(answer("0 0 0 0 CREATE2")).toBe(0n);
  });

  test("code longer than 24,576 bytes, or too dear, takes all gas and leaves no contract", () => {
    for (const [program, gas, code] of [
      ["24577 0 RETURN", 10_000_000n, "code-size"],
      ["24576 0 RETURN", 4_000_000n, "code-store-out-of-gas"],
    ] as const) {
      const { failure, created, gasLeft } = create(assemble(program), { gas });
      expect([failure?.code, gasLeft, world.exists(created ?? CALLER)]).toEqual([code, 0n, false]);
    }
    expect(world.nonce(CALLER)).toBe(2n);
    expect(create(assemble("24576 0 RETURN"), { gas: 10_000_000n }).failure).toBeUndefined();
  });

  test("code that begins with 0xef: stored, stored but reported, refused, as the forks go", () => {
    const code = Uint8Array.of(0xef, 1);
    for (const [revision, failure, isStored, keepsGas] of [
      ["london", undefined, true, true],
      ["cancun", "invalid-code", true, true],
      ["prague", "invalid-code", false, false],
    ] as const) {
      const result = create(deploy(code), { rules: rulesOf(revision) });
      expect([revision, result.failure?.code, result.gasLeft > 0n]).toEqual([revision, failure, keepsGas]);
      expect(world.code(result.created ?? CALLER)).toEqual(isStored ? code : new Uint8Array(0));
    }
  });

  test("a creation whose code cannot be stored still says what it returned", () => {
    expect(failedOutput("24577 0 RETURN", 10_000_000n)).toBe(24_577);
    expect(failedOutput("100 0 RETURN", 19_000n)).toBe(100);
    expect(failedOutput("0xef 0 MSTORE8 3 0 RETURN", 100_000n)).toBe(3);
    expect(failedOutput("0xef 0 MSTORE8 3 0 RETURN", 100_000n, "kore")).toBe(3);
    expect(failedOutput("#fe", 100_000n)).toBe(0);
  });

  test("an address that is taken fails: any account before Shanghai, later one with nonce or code", () => {
    const { created } = create(new Uint8Array(0), { rules: rulesOf("kore") });
    const taken = created ?? CALLER;
    for (const [revision, change, code] of [
      ["kore", { balance: 5n }, "address-collision"],
      ["shanghai", { balance: 5n }, undefined],
      ["shanghai", { nonce: 1n }, "address-collision"],
    ] as const) {
      world = aWorld();
      world.setAccount(taken, { ...emptyAccount(), ...change });
      const { failure, gasLeft } = create(new Uint8Array(0), { rules: rulesOf(revision) });
      expect([failure?.code, gasLeft]).toEqual([code, code === undefined ? 1_000_000n : 0n]);
      expect([world.nonce(CALLER), world.balance(taken)]).toEqual([1n, world.balance(taken)]);
      if (code === undefined)
        expect(world.account(taken)).toMatchObject({ kind: "contract", balance: 5n, nonce: 1n });
    }
  });

  test("a creator whose nonce cannot rise keeps its gas", () => {
    world.setNonce(CALLER, (1n << 64n) - 1n);
    const { failure, gasLeft, created } = create(new Uint8Array(0));
    expect([failure?.message, gasLeft, created]).toEqual(["nonce uint64 overflow", 1_000_000n, undefined]);
  });

  test("a reverted creation says why, and its address is warm all the same", () => {
    const { failure, output, created, gasLeft } = create(assemble("7 0 MSTORE 32 0 REVERT"));
    expect([failure?.code, bytesToBigint(output), gasLeft > 990_000n]).toEqual(["reverted", 7n, true]);
    expect(world.isWarm(created ?? CALLER)).toBe(true);
  });

  test("a creating frame gets all but a 64th of the gas", () => {
    const init = assemble("GAS 0 SSTORE");
    const program = `${bytesToBigint(init)} 0 MSTORE ${init.length} ${32 - init.length} 0 CREATE`;
    const { output } = runProgram(`${program} ${RETURN_TOP}`, { world, gas: 640_000n });
    const atCreate = 640_000n - 5n * 3n - 3n - 3n - 32_000n - 2n;
    expect(world.slot(output.slice(12), 0n)).toBe(atCreate - atCreate / 64n - 2n);
  });
});
