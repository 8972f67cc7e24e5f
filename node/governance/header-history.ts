/**
 * Votes, governance data and councils by block, in memory. Headers are added in block order; look-ups work
 * for any block.
 */

import type { Address } from "../bytes/brands.ts";
import type { ParameterValue, ParameterValues } from "./parameter-rows.ts";
import { councilAfterVote, sortedValidators } from "./validators.ts";
import type { ParameterVote, ValidatorVote, Vote } from "./vote.ts";

/** A value of a block's header. */
export interface HeaderEntry<T> {
  readonly number: number;
  readonly value: T;
}

/** History of the governance fields of headers. */
export class HeaderHistory {
  readonly #votes: HeaderEntry<ParameterVote>[] = [];
  readonly #validatorVotes: HeaderEntry<ValidatorVote>[] = [];
  readonly #removals: HeaderEntry<readonly Address[]>[] = [];
  readonly #data: HeaderEntry<ParameterValues>[] = [];
  readonly #councils: HeaderEntry<readonly Address[]>[];
  /** Last result of `decidedValues`, which is requested repeatedly. */
  #decided: HeaderEntry<ParameterValues> | undefined;

  constructor(genesisCouncil: readonly Address[]) {
    this.#councils = [{ number: -1, value: sortedValidators(genesisCouncil) }];
  }

  /** Returns the council of a block, by the votes of earlier blocks. */
  council(number: number): readonly Address[] {
    return lastBefore(this.#councils, number)?.value ?? [];
  }

  /** Adds a vote of block `number`; `governingNode` is that block's. */
  addValidatorVote(number: number, vote: ValidatorVote, governingNode: Address): void {
    const council = this.council(number + 1);
    const next = councilAfterVote(council, vote, governingNode);
    this.#validatorVotes.push({ number, value: vote });
    this.#councils.push({ number, value: next });
    if (next.length < council.length) this.#removals.push({ number, value: vote.addresses });
  }

  /**
   * Returns the addresses of votes for removal in blocks `from` to `to - 1` that changed the council
   * (`scanBlocks`, `kaiax/valset/impl/getter_proposers.go@v2.2.2`).
   */
  removals(from: number, to: number): readonly HeaderEntry<readonly Address[]>[] {
    return inRange(this.#removals, from, to);
  }

  /** Returns the votes of both kinds in blocks `from` to `to - 1`, in block order. */
  allVotes(from: number, to: number): readonly HeaderEntry<Vote>[] {
    const both = [...inRange(this.#votes, from, to), ...inRange(this.#validatorVotes, from, to)];
    return both.sort((a, b) => a.number - b.number);
  }

  /** Votes for parameters, in block order. */
  get votes(): readonly HeaderEntry<ParameterVote>[] {
    return this.#votes;
  }

  /** Governance data in block order; block 0 has the first. */
  get decisions(): readonly HeaderEntry<ParameterValues>[] {
    return this.#data;
  }

  addParameterVote(number: number, vote: ParameterVote): void {
    this.#votes.push({ number, value: vote });
  }

  /** Returns the values by votes of blocks `from` to `to - 1`; later votes override earlier ones. */
  votedValues(from: number, to: number): ParameterValues {
    const values = new Map<string, ParameterValue>();
    for (const { number, value: what } of this.#votes) {
      if (number >= from && number < to) values.set(what.name, what.value);
    }
    return values;
  }

  addData(number: number, values: ParameterValues): void {
    this.#data.push({ number, value: values });
    this.#decided = undefined;
  }

  /**
   * Returns the values by governance data of all blocks up to `number`; later data overrides earlier data.
   */
  decidedValues(number: number): ParameterValues {
    if (this.#decided?.number === number) return this.#decided.value;
    const values = new Map<string, ParameterValue>();
    for (const { number: since, value: what } of this.#data) {
      if (since <= number) for (const [name, value] of what) values.set(name, value);
    }
    this.#decided = { number, value: values };
    return values;
  }
}

/** Returns the last entry before `number` of entries in block order. */
function lastBefore<T>(entries: readonly HeaderEntry<T>[], number: number): HeaderEntry<T> | undefined {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as HeaderEntry<T>).number < number)
      low = middle + 1; // in range: between low and high
    else high = middle;
  }
  return entries[low - 1];
}

function inRange<T>(entries: readonly HeaderEntry<T>[], from: number, to: number): readonly HeaderEntry<T>[] {
  return entries.filter(({ number }) => number >= from && number < to);
}
