/**
 * Cases about one opcode each: every number from 0 to 255 at every fork, on edge operands, in a frame of its own or
 * within a static, delegated or creating one, with plenty of gas or with gas that ends near it.
 */
import { concatBytes } from "../../../node/bytes/compare.ts";
import { toHex } from "../../../node/bytes/hex.ts";
import { opcodes } from "../../../node/evm/opcodes.ts";
import { randomProgram } from "../evm-programs.ts";
import { delegationTo } from "../evm-scenario.ts";
import { rulesUpTo } from "../suite-runners.ts";
import type { SuiteAccount } from "../suite-world.ts";
import { isForkSince, type TransactionFork } from "../transaction-differences.ts";
import { ABSENT, addressOfNumber, CONTRACTS, type Draw, operation, PLAIN } from "./draw.ts";

/** A world and the calldata of its first contract. */
export interface Scene {
  readonly pre: Record<string, SuiteAccount>;
  readonly input: Uint8Array;
}

const byNumber = new Map(opcodes.map((opcode) => [opcode.number, opcode]));
const CALLS: readonly number[] = [0xf1, 0xf2, 0xf4, 0xfa];
const MEMORY_BYTES = 192n;
const OPERANDS_OF_UNKNOWN = 3;

/** Returns a scene about an opcode. */
export function opcodeScene(draw: Draw, fork: TransactionFork, opcode: number): Scene {
  const code = concatBytes(prelude(draw), measureOpcode(draw, opcode), epilogue(draw));
  const wraps = draw.chance(0.35);
  const pre = surroundings(draw, fork);
  const [outer, inner] = CONTRACTS as [Uint8Array, Uint8Array];
  pre[toHex(wraps ? inner : outer)] = contract(draw, fork, code);
  if (wraps) pre[toHex(outer)] = contract(draw, fork, wrapper(draw, inner));
  return { pre, input: calldata(draw, fork) };
}

/** Returns the accounts that every scene has besides its own. */
export function surroundings(draw: Draw, fork: TransactionFork): Record<string, SuiteAccount> {
  const pre: Record<string, SuiteAccount> = { [toHex(PLAIN)]: account({ balance: "0x3" }) };
  const plan = {
    random: draw.random,
    revision: rulesUpTo(fork).evm,
    addresses: [...CONTRACTS, PLAIN, ABSENT],
  };
  for (const address of CONTRACTS.slice(1, 4)) {
    const delegates = isForkSince(fork, "prague") && draw.chance(0.2);
    if (delegates) pre[toHex(address)] = account({ code: delegationTo(draw.pick(CONTRACTS)) });
    else if (draw.chance(0.6)) pre[toHex(address)] = contract(draw, fork, randomProgram(plan, 4));
  }
  for (const address of [addressOfNumber(3), addressOfNumber(4), ABSENT])
    if (draw.chance(0.15)) pre[toHex(address)] = account({});
  return pre;
}

function account(change: Partial<SuiteAccount>): SuiteAccount {
  return { balance: "0x0", nonce: "0x0", code: "0x", storage: {}, ...change };
}

/** Returns a contract with some storage; now and then one from before Istanbul. */
export function contract(draw: Draw, fork: TransactionFork, code: Uint8Array): SuiteAccount {
  const storage: Record<string, string> = {};
  for (const key of [0, 1, 2])
    if (draw.chance(0.3))
      storage[`0x${key}`] = `0x${(draw.chance(0.7) ? 1n : draw.word() || 1n).toString(16)}`;
  const isOld = isForkSince(fork, "istanbul") && draw.chance(0.15);
  return {
    balance: draw.chance(0.5) ? "0x10" : "0x0",
    nonce: draw.chance(0.05) ? "0xffffffffffffffff" : "0x1",
    code: toHex(code),
    storage,
    ...(isOld && { vmVersion: 0 as const }),
  };
}

/** Copies the calldata to memory, warms or writes a slot, makes a call whose return data is there. */
function prelude(draw: Draw): Uint8Array {
  const parts: Uint8Array[] = [];
  if (draw.chance(0.8)) parts.push(Uint8Array.of(0x36, 0x60, 0, 0x60, 0, 0x37));
  if (draw.chance(0.2)) parts.push(operation(0x55, BigInt(draw.below(3)), BigInt(draw.below(3))));
  if (draw.chance(0.15)) parts.push(operation(0x54, BigInt(draw.below(3))), Uint8Array.of(0x50));
  if (draw.chance(0.25))
    parts.push(
      operation(0xf1, 30_000n, draw.pick([...CONTRACTS, addressOfNumber(4)]), 0n, 0n, 64n, 0n, 32n),
      Uint8Array.of(0x50),
    );
  return concatBytes(...parts);
}

function hasResult(row: { readonly leaves: number } | undefined): boolean {
  return row !== undefined && row.leaves > 0;
}

function measureOpcode(draw: Draw, number: number): Uint8Array {
  const row = byNumber.get(number);
  if (number >= 0x60 && number <= 0x7f)
    return concatBytes(Uint8Array.of(number), draw.bytes(draw.chance(0.9) ? number - 0x5f : 0));
  if (number === 0x56 || number === 0x57) return jump(draw, number);
  const takes = row?.takes ?? OPERANDS_OF_UNKNOWN;
  const operands = draw.chance(0.97) ? takes : Math.max(0, takes - 1);
  const code = operation(number, ...operandsOf(draw, number, operands));
  // The result is left in memory, where the epilogue returns it.
  const keeps = hasResult(row) ? operation(0x52, BigInt(32 * draw.below(3))) : new Uint8Array(0);
  return draw.chance(0.15) ? concatBytes(code, keeps, code, keeps) : concatBytes(code, keeps);
}

/** A jump whose target is a JUMPDEST, the data of a push, or any place. */
function jump(draw: Draw, number: number): Uint8Array {
  const target = draw.chance(0.3) ? draw.word() : BigInt(draw.below(80));
  const condition = number === 0x57 ? [draw.pick([0n, 1n, 1n << 255n])] : [];
  return concatBytes(
    operation(number, target, ...condition),
    Uint8Array.of(0x5b, 0x61, 0x5b, 0x5b, 0x5b, 0x50, 0x5b, 0x5b),
  );
}

function operandsOf(draw: Draw, number: number, count: number): (bigint | Uint8Array)[] {
  const address = (): Uint8Array =>
    draw.pick([...CONTRACTS, PLAIN, ABSENT, ...[1, 2, 4, 5, 9, 0x3fe, 0x400].map(addressOfNumber)]);
  const place = (): bigint => draw.place();
  const value = (): bigint => (draw.chance(0.6) ? 0n : draw.chance(0.7) ? 1n : draw.word());
  const gas = (): bigint => (draw.chance(0.6) ? 40_000n : draw.word());
  const slot = (): bigint => (draw.chance(0.6) ? BigInt(draw.below(3)) : draw.word());
  const length = (): bigint => draw.pick([0n, 1n, 32n, 64n, MEMORY_BYTES, place()]);
  const shapes: Readonly<Record<number, readonly (() => bigint | Uint8Array)[]>> = {
    0x20: [place, length],
    0x31: [address],
    0x37: [place, place, length],
    0x39: [place, place, length],
    0x3b: [address],
    0x3c: [address, place, place, length],
    0x3e: [place, place, length],
    0x3f: [address],
    0x40: [() => draw.pick([0n, 743n, 744n, 745n, 998n, 999n, 1000n, 1001n, draw.word()])],
    0x51: [place],
    0x52: [place],
    0x53: [place],
    0x54: [slot],
    0x55: [slot],
    0x5c: [slot],
    0x5d: [slot],
    0x5e: [place, place, length],
    0xa0: [place, length],
    0xa1: [place, length],
    0xa2: [place, length],
    0xa3: [place, length],
    0xa4: [place, length],
    0xf0: [value, place, length],
    0xf5: [value, place, length, slot],
    0xf1: [gas, address, value, place, length, place, length],
    0xf2: [gas, address, value, place, length, place, length],
    0xf4: [gas, address, place, length, place, length],
    0xfa: [gas, address, place, length, place, length],
    0xf3: [place, length],
    0xfd: [place, length],
    0xff: [address],
  };
  const shape = draw.chance(0.93) ? (shapes[number] ?? []) : [];
  return Array.from({ length: count }, (_, index) => (shape[index] ?? (() => draw.word()))());
}

/** Returns what is in memory and the gas that is left, or ends in another way. */
function epilogue(draw: Draw): Uint8Array {
  const end = draw.random();
  if (end < 0.1) return Uint8Array.of(0x00);
  if (end < 0.15) return operation(0xff, draw.pick([...CONTRACTS, PLAIN, ABSENT]));
  const opcode = end < 0.25 ? 0xfd : 0xf3;
  return concatBytes(
    Uint8Array.of(0x5a),
    operation(0x52, 128n),
    Uint8Array.of(0x3d),
    operation(0x52, 160n),
    operation(opcode, 0n, MEMORY_BYTES),
  );
}

/** Calls the inner contract, stores whether it succeeded, and returns its output. */
function wrapper(draw: Draw, inner: Uint8Array): Uint8Array {
  const kind = draw.pick(CALLS);
  const value = kind === 0xf1 || kind === 0xf2 ? [BigInt(draw.below(2))] : [];
  const gas = draw.chance(0.7) ? 1n << 40n : BigInt(draw.below(60_000));
  return concatBytes(
    Uint8Array.of(0x36, 0x60, 0, 0x60, 0, 0x37),
    operation(kind, gas, inner, ...value, 0n, 64n, 0n, 64n),
    Uint8Array.of(0x60, 7, 0x55),
    Uint8Array.of(0x3d, 0x60, 0, 0x60, 0, 0x3e, 0x3d, 0x60, 0, 0xf3),
  );
}

/** Calldata: init code of many kinds, or any bytes. */
export function calldata(draw: Draw, fork: TransactionFork): Uint8Array {
  const kind = draw.random();
  const size = draw.pick([0n, 1n, 32n, 24_575n, 24_576n, 24_577n, 49_152n]);
  if (kind < 0.15) return operation(0xf3, 0n, size);
  if (kind < 0.22)
    return concatBytes(operation(0x53, 0n, 0xefn), operation(0xf3, 0n, BigInt(1 + draw.below(40))));
  if (kind < 0.3) return operation(draw.pick([0xfd, 0xfe, 0x00, 0xff]), 0n, BigInt(draw.below(64)));
  const plan = { random: draw.random, revision: rulesUpTo(fork).evm, addresses: [...CONTRACTS, PLAIN] };
  if (kind < 0.5) return randomProgram(plan, 4).subarray(0, 192);
  return draw.bytes(draw.pick([0, 1, 4, 31, 32, 33, 64, 100, 192]));
}
