/** Gas that depends on the state, fork by fork (EIP-1884, EIP-2200, EIP-2929, EIP-3529). */
import { beforeEach, describe, expect, test } from "@jest/globals";
import { bytesToBigint, fixedBytes } from "../../../node/bytes/integer.ts";
import type { EvmRevision } from "../../../node/config/rule-facts.ts";
import { emptyAccount } from "../../../node/model/account.ts";
import type { World } from "../../../node/state/world/world.ts";
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

let world: World;
beforeEach(() => {
  world = aWorld();
});

/** Gas that a program uses, without the `pushes` of 3 gas each. */
function gasUsed(program: string, revision: EvmRevision, pushes: number): bigint {
  const { gasLeft, failure } = runProgram(program, { world, rules: rulesOf(revision) });
  if (failure !== undefined) throw new Error(failure.message);
  return 1_000_000n - gasLeft - BigInt(pushes) * 3n;
}

describe("SSTORE", () => {
  /** Original value, values written one after another; gas and refund by the three ages. */
  const rows: readonly (readonly [number, readonly number[], ...(readonly [number, number])[]])[] = [
    [0, [0], [5000, 0], [800, 0], [2200, 0]],
    [0, [1], [20_000, 0], [20_000, 0], [22_100, 0]],
    [0, [1, 0], [25_000, 15_000], [20_800, 19_200], [22_200, 19_900]],
    [0, [1, 2], [25_000, 0], [20_800, 0], [22_200, 0]],
    [0, [1, 1], [25_000, 0], [20_800, 0], [22_200, 0]],
    [1, [0], [5000, 15_000], [5000, 15_000], [5000, 4800]],
    [1, [2], [5000, 0], [5000, 0], [5000, 0]],
    [1, [1], [5000, 0], [800, 0], [2200, 0]],
    [1, [0, 1], [25_000, 15_000], [5800, 4200], [5100, 2800]],
    [1, [0, 2], [25_000, 15_000], [5800, 0], [5100, 0]],
    [1, [2, 0], [10_000, 15_000], [5800, 15_000], [5100, 4800]],
    [1, [2, 1], [10_000, 0], [5800, 4200], [5100, 2800]],
    [1, [2, 0, 1], [30_000, 15_000], [6600, 4200], [5200, 2800]],
  ];
  const ages = ["base", "istanbul", "kore"] as const;
  const cases = rows.flatMap(([original, writes, ...expected]) =>
    ages.map((age, i) => [age, original, writes, expected[i]] as const),
  );

  test.each(cases)("%s: from %d over %j costs and gives back %j", (revision, original, writes, expected) => {
    putContract(world, CONTRACT, new Uint8Array(0));
    world.setSlot(CONTRACT, 7n, BigInt(original));
    world.endTransaction();
    const program = writes.map((value) => `${value} 7 SSTORE`).join(" ");
    expect([Number(gasUsed(program, revision, writes.length * 2)), world.refund]).toEqual(expected);
  });

  test("a frame with 2,300 gas or less may not write since Istanbul", () => {
    for (const [revision, gas, failure] of [
      ["istanbul", 2306n, "out-of-gas"],
      ["istanbul", 2307n, undefined],
      ["base", 5006n, undefined],
    ] as const) {
      putContract(world, CONTRACT, new Uint8Array(0));
      const result = runProgram("0 1 SSTORE", { world, rules: rulesOf(revision), gas });
      expect([revision, gas, result.failure?.code]).toEqual([revision, gas, failure]);
    }
  });
});

describe("accounts and slots", () => {
  const rows: readonly (readonly [
    string,
    readonly [number, number, number],
    (readonly [number, number])?,
  ])[] = [
    ["7 SLOAD", [200, 800, 2100]],
    ["0x07e4 BALANCE", [400, 700, 2600]],
    ["0x07e4 EXTCODESIZE", [700, 700, 2600]],
    ["0x07e4 EXTCODEHASH", [400, 700, 2600]],
    ["0 0 0 0x07e4 EXTCODECOPY", [700, 700, 2600]],
    ["0 0 0 0 0 0x07e4 0 CALL", [700, 700, 2600]],
    ["0 0 0 0 0x07e4 0 DELEGATECALL", [700, 700, 2600]],
  ];

  test.each(rows)("%s costs %j, and 100 once met", (program, [base, istanbul, kore]) => {
    const pushes = program.split(" ").length - 1;
    expect(gasUsed(program, "base", pushes)).toBe(BigInt(base));
    expect(gasUsed(program, "istanbul", pushes)).toBe(BigInt(istanbul));
    world.endTransaction();
    expect(gasUsed(program, "kore", pushes)).toBe(BigInt(kore));
    expect(gasUsed(program, "kore", pushes)).toBe(100n);
  });

  test("EXTCODEHASH costs 400 again since Cancun, and meets nobody", () => {
    expect(gasUsed("0x07e4 EXTCODEHASH 0x07e4 EXTCODEHASH", "cancun", 2)).toBe(800n);
    expect(world.isWarm(OTHER)).toBe(false);
  });

  test("EXP costs 50 for each byte of the exponent", () => {
    expect(gasUsed("0x0100 2 EXP", "osaka", 2)).toBe(110n);
    expect(gasUsed("0 2 EXP", "base", 2)).toBe(10n);
  });

  test("memory costs 3 a word and the square over 512", () => {
    expect(gasUsed("0 MLOAD", "osaka", 1)).toBe(6n);
    expect(gasUsed(`${32 * 1023} MLOAD`, "osaka", 1)).toBe(3n + 3n * 1024n + 2048n);
    expect(gasUsed(`0 MLOAD ${32 * 1023} MLOAD 0 MLOAD`, "osaka", 3)).toBe(9n + 3n * 1024n + 2048n);
  });

  test("logs cost by topic and byte, copies and hashes by word, creations by word of their code since Shanghai", () => {
    expect(gasUsed("1 2 33 0 LOG2", "osaka", 4)).toBe(375n * 3n + 8n * 33n + 6n);
    expect(gasUsed("33 0 0 CALLDATACOPY", "osaka", 3)).toBe(3n + 6n + 6n);
    expect(gasUsed("33 0 SHA3", "osaka", 2)).toBe(30n + 12n + 6n);
    for (const [program, revision, gas] of [
      ["33 0 0 CREATE", "kore", 6n],
      ["33 0 0 CREATE", "shanghai", 6n + 4n],
      ["0 33 0 0 CREATE2", "kore", 6n + 12n],
      ["0 33 0 0 CREATE2", "shanghai", 6n + 16n],
    ] as const) {
      world = aWorld();
      expect([program, gasUsed(program, revision, program.split(" ").length - 1)]).toEqual([
        program,
        32_000n + gas,
      ]);
    }
  });
});

describe("SELFDESTRUCT", () => {
  const OWNER = fixedBytes(0x6666, 20);
  const rows: readonly (readonly [EvmRevision, boolean, bigint, number])[] = [
    ["base", false, 5000n, 24_000],
    ["istanbul", true, 30_000n, 24_000],
    ["kore", false, 7600n, 0],
    ["kore", true, 32_600n, 0],
  ];

  test.each(rows)(
    "%s: with a balance %p it costs %d and gives back %d",
    (revision, hasBalance, gas, refund) => {
      if (hasBalance) world.addBalance(CONTRACT, 5n);
      expect(gasUsed("0x6666 SELFDESTRUCT", revision, 1)).toBe(gas);
      expect([world.refund, world.balance(OWNER)]).toEqual([refund, hasBalance ? 5n : 0n]);
      world.endTransaction();
      expect(world.exists(CONTRACT)).toBe(false);
    },
  );

  test("since Cancun a contract of an earlier transaction only gives its balance away", () => {
    world.addBalance(CONTRACT, 5n);
    runProgram("0x6666 SELFDESTRUCT", { world });
    world.endTransaction();
    expect([world.exists(CONTRACT), world.balance(CONTRACT), world.balance(OWNER)]).toEqual([true, 0n, 5n]);
    runProgram("ADDRESS SELFDESTRUCT", { world, value: 7n });
    world.endTransaction();
    expect(world.balance(CONTRACT)).toBe(7n);
  });

  test("since Cancun a contract that the transaction made goes, and with itself as heir its balance too", () => {
    const init = assemble("ADDRESS SELFDESTRUCT");
    const program = `${bytesToBigint(init)} 0 MSTORE ${init.length} ${32 - init.length} 4 CREATE 0 MSTORE 32 0 RETURN`;
    const { output } = runProgram(program, { world, value: 4n });
    const made = output.slice(12);
    expect([world.exists(made), world.isDestroyed(made), world.balance(made)]).toEqual([true, true, 0n]);
    world.endTransaction();
    expect(world.exists(made)).toBe(false);
  });

  test("a balance given to oneself is lost before Cancun", () => {
    world.addBalance(CONTRACT, 5n);
    runProgram("ADDRESS SELFDESTRUCT", { world, rules: rulesOf("shanghai") });
    expect(world.balance(CONTRACT)).toBe(0n);
  });
});

describe("delegations", () => {
  const AUTHORITY = fixedBytes(0x7702, 20);
  const delegate = (): void => {
    putContract(world, OTHER, assemble("ADDRESS 0 MSTORE CODESIZE 32 MSTORE 64 0 RETURN"));
    world.setAccount(AUTHORITY, { ...emptyAccount(), nonce: 1n, codeInfo: 0x10 });
    world.setCode(AUTHORITY, Uint8Array.of(0xef, 0x01, 0x00, ...OTHER));
    world.endTransaction();
  };

  test("a call runs the other account's code in the place of the one that delegates", () => {
    delegate();
    const { output } = runProgram("64 0 0 0 0 0x7702 GAS CALL POP 64 0 RETURN", { world });
    expect([output.subarray(0, 32), output.subarray(32)].map(bytesToBigint)).toEqual([0x7702n, 13n]);
    const own = runProgram("0x7702 EXTCODESIZE 0 MSTORE 32 0 RETURN", { world }).output;
    expect(bytesToBigint(own)).toBe(23n);
  });

  test("a call pays for meeting both accounts, and before Prague runs the marker itself", () => {
    delegate();
    expect(gasUsed("0 0 0 0 0 0x7702 0 CALL", "prague", 7)).toBe(2600n + 2600n);
    expect(gasUsed("0 0 0 0 0 0x7702 0 CALL", "prague", 7)).toBe(200n);
    world.endTransaction();
    expect(gasUsed("0 0 0 0 0 0x7702 0 CALL", "cancun", 7)).toBe(2600n);
    const { output } = runProgram("0 0 0 0 0 0x7702 GAS CALL 0 MSTORE 32 0 RETURN", {
      world,
      rules: rulesOf("cancun"),
    });
    expect(bytesToBigint(output)).toBe(0n);
    expect(world.exists(CALLER)).toBe(true);
  });
});
