/**
 * Opcodes that read or change the world, with their dynamic gas (EIP-2929, EIP-1884, EIP-6780). As in
 * `memory-ops.ts` each function returns the gas left, negative for a failure.
 */
import type { Address } from "../bytes/brands.ts";
import { indexOf } from "../bytes/word.ts";
import { EMPTY_HASH } from "../crypto/keccak.ts";
import { addressOf, wordOf } from "./address.ts";
import { charge, FAILED, rejectWrite } from "./charge.ts";
import type { CallFrame } from "./frame.ts";
import type { Machine } from "./machine.ts";
import { copy } from "./memory-ops.ts";
import { byteLength } from "./operations.ts";
import { isWarmFromStart } from "./precompiles.ts";
import { storeGas } from "./store-gas.ts";

const COLD_ADDRESS_GAS = 2500;
const COLD_BENEFICIARY_GAS = 2600;
const COLD_SLOT_GAS = 2100;
const WARM_SLOT_GAS = 100;
const EXP_GAS = 10;
const EXP_BYTE_GAS = 50;
const DESTROY_GAS = 5000;
const NEW_ACCOUNT_GAS = 25_000;
const EMPTY_CODE_HASH = wordOf(EMPTY_HASH);

/** Returns the gas for access to an address beyond the constant 100; zero before EIP-2929. */
export function coldAddressGas(m: Machine, address: Address): number {
  return m.schedule.warmth && isColdNow(m, address) ? COLD_ADDRESS_GAS : 0;
}

/** Marks an address as warm. Returns true when it was cold. */
export function isColdNow({ world, rules }: Machine, address: Address): boolean {
  return world.warmAddress(address) && !isWarmFromStart(address, rules);
}

export function balance(m: Machine, f: CallFrame, sp: number, gas: number): number {
  const address = addressOf(f.stack[sp - 1] as bigint);
  const left = charge(m, f, gas, coldAddressGas(m, address));
  if (left >= 0) f.stack[sp - 1] = m.world.balance(address);
  return left;
}

export function extcodesize(m: Machine, f: CallFrame, sp: number, gas: number): number {
  const address = addressOf(f.stack[sp - 1] as bigint);
  const left = charge(m, f, gas, coldAddressGas(m, address));
  if (left >= 0) f.stack[sp - 1] = BigInt(m.codes.at(address).bytes.length);
  return left;
}

export function extcodecopy(m: Machine, f: CallFrame, sp: number, gas: number): number {
  const address = addressOf(f.stack[sp - 1] as bigint);
  const cold = coldAddressGas(m, address);
  return copy(m, f, { sp: sp - 1, gas, more: cold }, m.codes.at(address).bytes);
}

/** EXTCODEHASH: the hash of no bytes for accounts without code; from Cancun on zero for empty accounts. */
export function extcodehash(m: Machine, f: CallFrame, sp: number, gas: number): number {
  const { world, schedule, rules } = m;
  const address = addressOf(f.stack[sp - 1] as bigint);
  const left = charge(m, f, gas, rules.plainCodeHash ? 0 : coldAddressGas(m, address));
  if (left < 0) return left;
  const hash = world.codeHash(address);
  if (schedule.emptyHashIsZero && world.isEmpty(address)) f.stack[sp - 1] = 0n;
  else f.stack[sp - 1] = hash === EMPTY_HASH ? EMPTY_CODE_HASH : wordOf(hash);
  return left;
}

export function sload(m: Machine, f: CallFrame, sp: number, gas: number): number {
  const { world, schedule } = m;
  const key = f.stack[sp - 1] as bigint;
  const cost = schedule.warmth ? (world.warmSlot(f.address, key) ? COLD_SLOT_GAS : WARM_SLOT_GAS) : 0;
  const left = charge(m, f, gas, cost);
  if (left < 0) return left;
  const value = world.slot(f.address, key);
  f.stack[sp - 1] = value;
  m.watch?.tracer.storageRead?.(f.address, key, value);
  return left;
}

export function sstore(m: Machine, f: CallFrame, sp: number, gas: number): number {
  const [key, value] = [f.stack[sp - 1] as bigint, f.stack[sp - 2] as bigint];
  const cost = storeGas(m, f, gas, { key, value });
  const left = charge(m, f, gas, cost);
  if (left < 0) return left;
  if (f.isStatic) return rejectWrite(f);
  m.watch?.tracer.storageWrite?.(f.address, key, value);
  m.world.setSlot(f.address, key, value);
  return left;
}

/** TSTORE (EIP-1153). Returns false in a static frame. */
export function tstore(m: Machine, f: CallFrame, sp: number): boolean {
  if (f.isStatic) {
    rejectWrite(f);
    return false;
  }
  m.world.setTransient(f.address, f.stack[sp - 1] as bigint, f.stack[sp - 2] as bigint);
  return true;
}

export function exp(m: Machine, f: CallFrame, sp: number, gas: number): number {
  return charge(m, f, gas, EXP_GAS + EXP_BYTE_GAS * byteLength(f.stack[sp - 2] as bigint));
}

/** BLOCKHASH: the hash of one of the 256 blocks before this one, else zero. */
export function blockhash(m: Machine, f: CallFrame, sp: number): void {
  const number = indexOf(f.stack[sp - 1] as bigint);
  const current = m.number;
  const hash = number < current && number >= current - 256 ? m.blockHash(number) : undefined;
  f.stack[sp - 1] = hash === undefined ? 0n : wordOf(hash);
}

export function blobhash(m: Machine, f: CallFrame, sp: number): void {
  const hash = m.context.blobHashes[indexOf(f.stack[sp - 1] as bigint)];
  f.stack[sp - 1] = hash === undefined ? 0n : wordOf(hash);
}

/**
 * SELFDESTRUCT: transfers the balance. The contract is destroyed at the end of the transaction, from Cancun
 * on only if the transaction created it (EIP-6780).
 */
export function selfdestruct(m: Machine, f: CallFrame, sp: number, gas: number): number {
  const { world, schedule } = m;
  const beneficiary = addressOf(f.stack[sp - 1] as bigint);
  const value = world.balance(f.address);
  const left = charge(m, f, gas, destroyGas(m, beneficiary, value));
  if (left < 0) return FAILED;
  if (f.isStatic) return rejectWrite(f);
  if (schedule.destroyRefund > 0 && !world.isDestroyed(f.address)) world.addRefund(schedule.destroyRefund);
  m.watch?.selfdestruct(f, beneficiary, value);
  if (schedule.destroysNewOnly) world.subtractBalance(f.address, value);
  world.addBalance(beneficiary, value);
  if (!schedule.destroysNewOnly || world.isCreated(f.address)) world.destroy(f.address);
  return left;
}

function destroyGas(m: Machine, beneficiary: Address, value: bigint): number {
  const { world, schedule } = m;
  const cost = value !== 0n && world.isEmpty(beneficiary) ? NEW_ACCOUNT_GAS : 0;
  if (!schedule.warmth) return cost + DESTROY_GAS;
  return isColdNow(m, beneficiary) ? cost + COLD_BENEFICIARY_GAS : cost;
}
