/** Tests of the accounts and slots that a transaction changes. */
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import type { EvmRevision } from "../../../node/config/rule-facts.ts";
import { type AccountChange, createStateChanges } from "../../../node/evm/tracers/state-changes.ts";
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

const GAS = 500_000n;

interface ChangesOptions {
  readonly revision?: EvmRevision;
  readonly value?: bigint;
}

/** The changes by address, and the bytes that the tracer counted. */
function changesOf(world: World, program: string, { revision = "osaka", value = 0n }: ChangesOptions = {}) {
  let bytes = 0;
  const { tracer, record, changes } = createStateChanges(world, (more) => {
    bytes += more;
  });
  record(CALLER);
  runProgram(program, { world, tracer, gas: GAS, value, rules: rulesOf(revision) });
  world.endTransaction();
  const found = new Map<string, AccountChange>(changes().map((each) => [toHex(each.address), each]));
  return { found, bytes };
}

function worldWith(code: string, slots: Readonly<Record<number, bigint>> = {}): World {
  const world = aWorld();
  world.addBalance(CALLER, 100n);
  putContract(world, OTHER, assemble(code));
  world.addBalance(OTHER, 2n);
  for (const [key, value] of Object.entries(slots)) world.setSlot(OTHER, BigInt(key), value);
  world.endTransaction();
  return world;
}

/** Returns one byte of code, a STOP. */
const INIT_CODE = "0x600060005360016000f3";
const CALL_OTHER = "0 0 0 0 0 0x07e4 200000 CALL";

test("slots are those that differ in the end", () => {
  const world = worldWith("5 1 SSTORE 6 2 SSTORE 0 3 SSTORE 7 4 SSTORE 4 4 SSTORE 9 SLOAD", {
    2: 1n,
    3: 3n,
    4: 4n,
  });
  const { found } = changesOf(world, CALL_OTHER);
  expect([...found.keys()]).toEqual([toHex(OTHER)]);
  const { amounts, code, slots } = found.get(toHex(OTHER)) ?? {};
  expect(amounts).toEqual({ before: { balance: 2n, nonce: 1n }, after: { balance: 2n, nonce: 1n } });
  expect(code).toBeUndefined();
  expect([...(slots ?? [])]).toEqual([
    [1n, { before: 0n, after: 5n }],
    [2n, { before: 1n, after: 6n }],
    [3n, { before: 3n, after: 0n }],
  ]);
});

test("a created contract has no account before, and code after", () => {
  const world = worldWith("STOP");
  const { found } = changesOf(world, `${INIT_CODE} 0 MSTORE 10 22 0 CREATE`);
  expect(found.size).toBe(2); // with the creator's nonce
  const created = [...found.values()].find(({ amounts }) => amounts.before === undefined);
  expect(created?.amounts.after).toEqual({ balance: 0n, nonce: 1n });
  expect(created?.code).toEqual({ before: new Uint8Array(0), after: Uint8Array.of(0) });
});

test("a contract that destroys itself had balance, code and slots before Cancun; since it hands its balance on", () => {
  const code = "1 0 SSTORE 0x99 SELFDESTRUCT";
  const earlier = changesOf(worldWith(code, { 0: 8n }), CALL_OTHER, { revision: "shanghai" }).found;
  const gone = earlier.get(toHex(OTHER));
  expect(gone?.amounts).toEqual({ before: { balance: 2n, nonce: 1n }, after: undefined });
  expect(gone?.code).toEqual({ before: assemble(code), after: new Uint8Array(0) });
  expect([...(gone?.slots ?? [])]).toEqual([[0n, { before: 8n, after: 0n }]]);
  const heir = `0x${"99".padStart(40, "0")}`;
  expect(earlier.get(heir)?.amounts).toEqual({ before: undefined, after: { balance: 2n, nonce: 0n } });
  const later = changesOf(worldWith(code, { 0: 8n }), CALL_OTHER).found.get(toHex(OTHER));
  expect(later?.amounts.after).toEqual({ balance: 0n, nonce: 1n });
  expect(later?.code).toBeUndefined();
});

test("what was undone is no change, and accounts that are read are not kept", () => {
  const world = worldWith("5 1 SSTORE 0 0 REVERT");
  const reads = Array.from({ length: 50 }, (_, i) => `${i + 0x1000} BALANCE POP ${i} SLOAD POP`).join(" ");
  const { found, bytes } = changesOf(world, `${reads} 0 0 0 0 1 0x07e4 200000 CALL`, { value: 3n });
  expect([...found.keys()].sort()).toEqual([CALLER, CONTRACT].map(toHex).sort());
  expect(bytes).toBeLessThan(3000);
});
