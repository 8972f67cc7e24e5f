/**
 * Gas and refund of SSTORE under three sets of rules: the original ones, EIP-2200, and EIP-2200 with
 * EIP-2929.
 */
import { type CallFrame, totalGas } from "./frame.ts";
import type { Machine } from "./machine.ts";

/** Gas that a frame needs more than for SSTORE (EIP-2200). */
const SENTRY_GAS = 2300;
const SET_GAS = 20_000;
const RESET_GAS = 5000;
const COLD_SLOT_GAS = 2100;

interface Write {
  readonly key: bigint;
  readonly value: bigint;
}

/** Returns the gas of one write and counts its refund; `Infinity` for a frame that may not write. */
export function storeGas(m: Machine, f: CallFrame, gas: number, write: Write): number {
  const { schedule, world } = m;
  if (!schedule.netStorage) return plainGas(m, f, write);
  if (gas <= SENTRY_GAS && totalGas(f, gas) <= SENTRY_GAS) return Infinity;
  if (!schedule.warmth) return netGas(m, f, write, { touch: 800, reset: RESET_GAS });
  const cold = world.warmSlot(f.address, write.key) ? COLD_SLOT_GAS : 0;
  return cold + netGas(m, f, write, { touch: 100, reset: RESET_GAS - COLD_SLOT_GAS });
}

/** Original rules: only the current value counts. */
function plainGas({ world, schedule }: Machine, f: CallFrame, { key, value }: Write): number {
  const current = world.slot(f.address, key);
  if (current === 0n) return value === 0n ? RESET_GAS : SET_GAS;
  if (value === 0n) world.addRefund(schedule.clearRefund);
  return RESET_GAS;
}

/**
 * Net rules (EIP-2200): the first write of a transaction pays; later writes pay for the access and correct
 * the refund.
 */
function netGas(
  m: Machine,
  f: CallFrame,
  { key, value }: Write,
  gas: { touch: number; reset: number },
): number {
  const { world, schedule } = m;
  const current = world.slot(f.address, key);
  if (current === value) return gas.touch;
  const original = world.originalSlot(f.address, key);
  if (original === current) {
    if (original === 0n) return SET_GAS;
    if (value === 0n) world.addRefund(schedule.clearRefund);
    return gas.reset;
  }
  if (original !== 0n) {
    if (current === 0n) world.subtractRefund(schedule.clearRefund);
    else if (value === 0n) world.addRefund(schedule.clearRefund);
  }
  if (original === value) world.addRefund((original === 0n ? SET_GAS : gas.reset) - gas.touch);
  return gas.touch;
}
