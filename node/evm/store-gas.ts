/** What SSTORE costs and gives back: three ages of rules (execution.md 5.3). */
import { type Frame, totalGas } from "./frame.ts";
import type { Machine } from "./machine.ts";

/** A frame that has no more than this may not write (EIP-2200). */
const SENTRY_GAS = 2300;
const SET_GAS = 20_000;
const RESET_GAS = 5000;
const COLD_SLOT_GAS = 2100;

interface Write {
  readonly key: bigint;
  readonly value: bigint;
}

/** The gas of one write; also counts the refund. `Infinity` for a frame that may not write. */
export function storeGas(m: Machine, f: Frame, gas: number, write: Write): number {
  const { schedule, world } = m;
  if (!schedule.netStorage) return plainGas(m, f, write);
  if (gas <= SENTRY_GAS && totalGas(f, gas) <= SENTRY_GAS) return Infinity;
  if (!schedule.warmth) return netGas(m, f, write, { touch: 800, reset: RESET_GAS });
  const cold = world.warmSlot(f.address, write.key) ? COLD_SLOT_GAS : 0;
  return cold + netGas(m, f, write, { touch: 100, reset: RESET_GAS - COLD_SLOT_GAS });
}

/** Only the value that is there counts. */
function plainGas({ world, schedule }: Machine, f: Frame, { key, value }: Write): number {
  const current = world.slot(f.address, key);
  if (current === 0n) return value === 0n ? RESET_GAS : SET_GAS;
  if (value === 0n) world.addRefund(schedule.clearRefund);
  return RESET_GAS;
}

/** The first write of a transaction pays; later ones pay for the touch, and correct the refund. */
function netGas(m: Machine, f: Frame, { key, value }: Write, gas: { touch: number; reset: number }): number {
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
