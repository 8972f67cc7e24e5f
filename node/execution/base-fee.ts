/** Dynamic base fee (KIP-71). */
import type { BaseFeeParameters } from "../governance/parameters.ts";

/** Values of the parent block that the rule reads. */
export interface BaseFeeParent {
  readonly number: number;
  readonly baseFee: bigint | undefined;
  readonly gasUsed: bigint;
}

const FALLBACK_DENOMINATOR = 64n;

/**
 * Returns the base fee of the block after `parent`, in peb, always even. `parameters` are those of the new
 * block. Both divisions are integer divisions from left to right, as in KIP-71.
 */
export function nextBaseFee(parent: BaseFeeParent, parameters: BaseFeeParameters): bigint {
  const lower = parameters.lowerBound + (parameters.lowerBound & 1n);
  const upper = parameters.upperBound - (parameters.upperBound & 1n);
  if (parent.number === 0 || parent.baseFee === undefined) return even(lower);
  // The upper bound comes first: two bounds of the same odd value are the wrong way round once they are even.
  const current = parent.baseFee >= upper ? upper : max(parent.baseFee, lower);
  const gasUsed = min(parent.gasUsed, parameters.maxBlockGasUsed);
  return even(adjustBaseFee(current, gasUsed, { ...parameters, lowerBound: lower, upperBound: upper }));
}

function adjustBaseFee(current: bigint, gasUsed: bigint, bounds: BaseFeeParameters): bigint {
  const { gasTarget: target, lowerBound, upperBound } = bounds;
  const denominator = bounds.denominator === 0n ? FALLBACK_DENOMINATOR : bounds.denominator;
  if (gasUsed === target || target === 0n) return current;
  if (gasUsed > target) {
    const step = (current * (gasUsed - target)) / target / denominator;
    return min(upperBound, current + max(1n, step));
  }
  return max(lowerBound, current - (current * (target - gasUsed)) / target / denominator);
}

function even(value: bigint): bigint {
  return value - (value & 1n);
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
