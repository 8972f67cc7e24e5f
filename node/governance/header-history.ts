/**
 * What headers have decided, kept in memory: votes, governance data and the councils that followed from votes.
 * Fed in block order; answers for any block.
 */
import { sortedValidators, votedCouncil } from "./council.ts";
import type { ParameterValue, ParameterValues } from "./parameter-rows.ts";
import type { ParameterVote, ValidatorVote } from "./vote.ts";

/** What a block's header says. */
export interface Dated<T> {
  readonly number: number;
  readonly what: T;
}

/** See the head of this file. */
export class HeaderHistory {
  readonly #votes: Dated<ParameterVote>[] = [];
  readonly #removals: Dated<readonly Uint8Array[]>[] = [];
  readonly #data: Dated<ParameterValues>[] = [];
  readonly #councils: Dated<readonly Uint8Array[]>[];
  /** The last answer of `decidedValues`: it is asked for again and again. */
  #decided: Dated<ParameterValues> | undefined;

  constructor(genesisCouncil: readonly Uint8Array[]) {
    this.#councils = [{ number: -1, what: sortedValidators(genesisCouncil) }];
  }

  /** The council of a block: votes in earlier blocks count. */
  council(number: number): readonly Uint8Array[] {
    return lastBefore(this.#councils, number)?.what ?? [];
  }

  /** A vote of block `number`; the governing node is that block's. */
  addValidatorVote(number: number, vote: ValidatorVote, governingNode: Uint8Array): void {
    const council = this.council(number + 1);
    const next = votedCouncil(council, vote, governingNode);
    if (!vote.adds) this.#removals.push({ number, what: vote.addresses });
    this.#councils.push({ number, what: next });
  }

  /** Removals voted for in blocks `from` to `to - 1`. */
  removals(from: number, to: number): readonly Dated<readonly Uint8Array[]>[] {
    return this.#removals.filter(({ number }) => number >= from && number < to);
  }

  /** Votes for parameters, in block order. */
  get votes(): readonly Dated<ParameterVote>[] {
    return this.#votes;
  }

  /** Governance data, in block order; block 0 has the first. */
  get decisions(): readonly Dated<ParameterValues>[] {
    return this.#data;
  }

  addParameterVote(number: number, vote: ParameterVote): void {
    this.#votes.push({ number, what: vote });
  }

  /** The values that votes of blocks `from` to `to - 1` ask for, later ones counting. */
  votedValues(from: number, to: number): ParameterValues {
    const values = new Map<string, ParameterValue>();
    for (const { number, what } of this.#votes) {
      if (number >= from && number < to) values.set(what.name, what.value);
    }
    return values;
  }

  addData(number: number, values: ParameterValues): void {
    this.#data.push({ number, what: values });
    this.#decided = undefined;
  }

  /** Governance data of all blocks up to `number`, later ones counting. */
  decidedValues(number: number): ParameterValues {
    if (this.#decided?.number === number) return this.#decided.what;
    const values = new Map<string, ParameterValue>();
    for (const { number: since, what } of this.#data) {
      if (since <= number) for (const [name, value] of what) values.set(name, value);
    }
    this.#decided = { number, what: values };
    return values;
  }
}

/** Of entries in block order the last one before `number`. */
function lastBefore<T>(entries: readonly Dated<T>[], number: number): Dated<T> | undefined {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as Dated<T>).number < number)
      low = middle + 1; // in range: between low and high
    else high = middle;
  }
  return entries[low - 1];
}
