/**
 * Members of the next header that a development chain sets against the rules, and its limits of gas. A block with such a
 * member is none that other nodes accept; they accept one with less gas. On every other chain nothing is ever set.
 */
import type { Hash } from "../bytes/brands.ts";

/** Members that are set in place of those that follow from the parent. */
export interface HeaderOverrides {
  /** In peb. */
  readonly baseFee?: bigint;
  /** The random value of the block, which the header then holds without a reveal. */
  readonly mixHash?: Hash;
}

/** The overrides of one block. */
export class NextHeader {
  #number = -1;
  #overrides: HeaderOverrides = {};
  /** Limits in the order of their first blocks. */
  #gasLimits: readonly { readonly since: number; readonly limit: bigint }[] = [];

  /** Sets members of a block, beside those that were set before. */
  set(number: number, overrides: HeaderOverrides): void {
    this.#overrides = { ...this.at(number), ...overrides };
    this.#number = number;
  }

  /** Returns what was set for a block. */
  at(number: number): HeaderOverrides {
    return number === this.#number ? this.#overrides : {};
  }

  /** Sets the limit of gas of a block and of all after it. */
  setGasLimit(number: number, limit: bigint): void {
    this.#gasLimits = [...this.#gasLimits.filter(({ since }) => since < number), { since: number, limit }];
  }

  /** Returns the limit of gas of a block; undefined for none. */
  gasLimitAt(number: number): bigint | undefined {
    return this.#gasLimits.findLast(({ since }) => since <= number)?.limit;
  }

  /** Forgets what was set for blocks after one. */
  forgetAfter(number: number): void {
    this.#overrides = {};
    this.#gasLimits = this.#gasLimits.filter(({ since }) => since <= number);
  }
}
