/**
 * Members of the next header that a development chain sets against the rules. A block with one is none that other nodes
 * accept; on every other chain nothing is ever set.
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

  /** Sets members of a block, beside those that were set before. */
  set(number: number, overrides: HeaderOverrides): void {
    this.#overrides = { ...this.at(number), ...overrides };
    this.#number = number;
  }

  /** Returns what was set for a block. */
  at(number: number): HeaderOverrides {
    return number === this.#number ? this.#overrides : {};
  }

  clear(): void {
    this.#overrides = {};
  }
}
