/**
 * Governance of blocks: parameters in force, council and qualified validators, stakes, proposer and
 * committee. Computed from headers and contracts and kept up to date by `accept`. After a restart the headers
 * that a row of the database names are read again.
 */
import type { Address, Hash } from "../bytes/brands.ts";
import { equalBytes, isZero } from "../bytes/compare.ts";
import { fromHex, mapKey } from "../bytes/hex.ts";
import type { ChainConfig } from "../config/chain-config.ts";
import { type Rules, rulesAt } from "../config/rules.ts";
import type { Header } from "../model/header.ts";
import { roundOf } from "../model/istanbul-extra.ts";
import { RecentMap } from "../runtime/recent-map.ts";
import type { Batch, Rows } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { type BlsKeys, openBlsKeys } from "./bls-keys.ts";
import {
  committeeOf,
  type Election,
  type KlaytnSelection,
  klaytnCommitteeOf,
  proposerOf,
} from "./committee.ts";
import type { ContractReader } from "./contract-reader.ts";
import { checkGovernanceData, checkVote, type VoteDeps } from "./header-fields.ts";
import type { HeaderHistory } from "./header-history.ts";
import { type HeaderIndex, openHeaderIndex, rewindIndex } from "./header-index.ts";
import type { ParameterValues } from "./parameter-rows.ts";
import { configuredValues, type GovernanceParameters, parametersOf, valuesOf } from "./parameters.ts";
import { drawProposers, remainingProposers } from "./proposers.ts";
import { openStakes, type Stakes } from "./stakes.ts";
import { type StakingInfo, stakesOf } from "./staking.ts";
import { contractParameters, type RegisteredKey, type RegisteredNode } from "./system-contracts.ts";
import { type ValidatorSet, validatorSet } from "./validators.ts";

/** Dependencies of governance. */
export interface OpenGovernanceDeps {
  readonly config: ChainConfig;
  readonly rows: Rows;
  /** Returns the number of the newest block, durable or not. */
  readonly tip: () => number;
  /** Returns a block by number; undefined without one. */
  readonly block: (number: number) => GovernanceBlock | undefined;
  /** Returns the contracts after a block. Throws `StateError` `state-missing`. */
  readonly contracts: (number: number) => ContractReader;
}

/** A block as governance sees it. */
export interface GovernanceBlock {
  readonly header: Header;
  readonly hash: Hash;
  readonly author: () => Address | undefined;
}

/** Governance of a chain. Answers are valid for blocks up to the one after the tip. */
export interface Governance {
  parameters(number: number): GovernanceParameters;
  /** Returns all parameters as values by name. */
  values(number: number): ParameterValues;
  /** Votes and governance data of the headers so far. */
  readonly headerHistory: Pick<HeaderHistory, "votes" | "allVotes" | "decisions" | "decidedValues">;
  /** Returns the values that the governance contract sets for a block. */
  contractValues(number: number): ParameterValues;
  /** Returns the contracts after a block. Throws `StateError` `state-missing`. */
  contracts(number: number): ContractReader;
  /** Returns all validators of block `number`, qualified or not. */
  council(number: number): readonly Address[];
  validators(number: number): ValidatorSet;
  staking(number: number): StakingInfo;
  /** Returns the proposer of block `number` in a round; for the round of an existing block its author. */
  proposer(number: number, round: number): Address;
  /** Returns the committee of block `number` in a round. */
  committee(number: number, round: number): readonly Address[];
  /** Returns the proposers and the committees of block `number` as Klaytn selects them. */
  klaytnSelection(number: number): KlaytnSelection;
  /** Returns the BLS key of a node as registered before block `number`; undefined without one. */
  blsKey(number: number, node: Address): RegisteredKey | undefined;
  /** Returns all BLS keys by node as registered before block `number`. */
  blsKeys(number: number): readonly RegisteredNode[];
  /** Returns the governance data that block `number` must carry; undefined where none is allowed. */
  expectedData(number: number): ParameterValues | undefined;
  /** Returns what a vote in block `number`, at most the one after the tip, is checked against. */
  voteDeps(number: number): VoteDeps;
  /** Checks vote and governance data of the block after the tip. Throws `GovernanceError`. */
  checkHeader(header: Header, author: Address): void;
  /** Applies a header that enters the chain with this batch. */
  accept(header: Header, batch: Batch): void;
  /**
   * Removes the blocks after `number` with this batch. The returned function is called once chain and state
   * are at `number`; it drops what later blocks decided.
   */
  rewind(number: number, batch: Batch): () => void;
}

const CACHED = 64;
const NO_VALUES: ParameterValues = new Map();

/** Opens the governance of a chain. */
export function openGovernance(deps: OpenGovernanceDeps): Governance {
  return new HeaderGovernance(deps);
}

/** Takes back the rows that tell of blocks after `number`; an open governance must be opened again afterwards. */
export function rewindGovernance(
  rows: Rows,
  batch: Batch,
  { head, number }: { readonly head: number; readonly number: number },
): void {
  rewindIndex(rows, number, batch);
  for (let block = number; block < head; block++) batch.delete(tables.staking.key(block));
}

class HeaderGovernance implements Governance {
  readonly #deps: OpenGovernanceDeps;
  readonly #configured: ParameterValues;
  #index: HeaderIndex;
  #stakes: Stakes;
  #blsKeys: BlsKeys;
  readonly #epoch: number;
  readonly #parameters = new RecentMap<GovernanceParameters>(CACHED);
  readonly #validators = new RecentMap<ValidatorSet>(CACHED);
  readonly #draws = new RecentMap<readonly Address[]>(CACHED);

  constructor(deps: OpenGovernanceDeps) {
    this.#deps = deps;
    this.#configured = configuredValues(deps.config);
    this.#epoch = deps.config.istanbul.epoch || Number.POSITIVE_INFINITY;
    this.#stakes = openStakes(deps);
    this.#blsKeys = openBlsKeys(deps);
    this.#index = openHeaderIndex(deps, (number, history) => this.#governingNode(number, history));
  }

  get #history(): HeaderHistory {
    return this.#index.history;
  }

  parameters(number: number): GovernanceParameters {
    return this.#parametersBy(number, this.#history);
  }

  values(number: number): ParameterValues {
    return valuesOf(...this.#layers(number, this.#history));
  }

  get headerHistory(): Governance["headerHistory"] {
    return this.#history;
  }

  contractValues(number: number): ParameterValues {
    const contract = this.#contract(number, this.#history);
    return contract === undefined ? NO_VALUES : this.#fromContract(contract, number);
  }

  contracts(number: number): ContractReader {
    return this.#deps.contracts(number);
  }

  #parametersBy(number: number, history: HeaderHistory): GovernanceParameters {
    const since = this.#decisive(number);
    const key = this.#contract(number, history) === undefined ? `${since}` : `${since}/${number}`;
    const known = this.#parameters.get(key);
    if (known !== undefined) return known;
    const found = parametersOf(...this.#layers(number, history));
    if (number <= this.#deps.tip() + 1) this.#parameters.set(key, found);
    return found;
  }

  #layers(number: number, history: HeaderHistory): readonly ParameterValues[] {
    const contract = this.#contract(number, history);
    const decided = [this.#configured, history.decidedValues(this.#decisive(number))];
    return contract === undefined ? decided : [...decided, this.#fromContract(contract, number)];
  }

  /** Returns the block up to which governance data of headers is in force at block `number`. */
  #decisive(number: number): number {
    const epoch = this.#epoch;
    if (number <= epoch) return 0;
    const counted = this.#rules(number).governanceCountsBlock ? number : number - 1;
    return counted - (counted % epoch) - epoch;
  }

  /** Returns the governance contract, where the rules have one and headers name it. */
  #contract(number: number, history: HeaderHistory): Address | undefined {
    if (!this.#rules(number).governanceContract) return undefined;
    const text = history.decidedValues(this.#decisive(number)).get("governance.govparamcontract");
    const address = text === undefined ? undefined : fromHex(String(text));
    return address === undefined || isZero(address) ? undefined : address;
  }

  /** Reads the contract at the newest state before the block, as the Go node does. */
  #fromContract(contract: Address, number: number): ParameterValues {
    const state = Math.min(Math.max(0, number - 1), this.#deps.tip());
    return contractParameters(this.#deps.contracts(state), contract, number);
  }

  #governingNode(number: number, history: HeaderHistory): Address {
    return this.#parametersBy(number, history).governingNode;
  }

  council(number: number): readonly Address[] {
    return this.#history.council(number);
  }

  validators(number: number): ValidatorSet {
    const known = this.#validators.get(`${number}`);
    if (known !== undefined) return known;
    const council = this.#history.council(number);
    const parameters = this.parameters(number);
    const qualified = this.#qualifiedMembers(number, council, parameters);
    const set = validatorSet(council, qualified, parameters.committeeSize);
    if (number <= this.#deps.tip() + 1) this.#validators.set(`${number}`, set);
    return set;
  }

  #qualifiedMembers(
    number: number,
    council: readonly Address[],
    parameters: GovernanceParameters,
  ): readonly Address[] {
    const { policy, minimumStake, governanceMode, governingNode } = parameters;
    if (number === 0 || policy !== "weighted" || !this.#rules(number).demotesValidators) return council;
    const stakes = stakesOf(council, this.staking(number));
    const qualified = council.filter((_, i) => (stakes[i] ?? 0n) >= minimumStake);
    if (qualified.length === 0) return council;
    const kept = new Set(qualified.map(mapKey));
    if (governanceMode === "single") kept.add(mapKey(governingNode));
    return council.filter((validator) => kept.has(mapKey(validator)));
  }

  staking(number: number): StakingInfo {
    return this.#stakes.at(number);
  }

  proposer(number: number, round: number): Address {
    const made = this.#deps.block(number);
    const author = made !== undefined && roundOf(made.header.extra) === round ? made.author() : undefined;
    if (author !== undefined) return author;
    return proposerOf(this.#election(number), round);
  }

  committee(number: number, round: number): readonly Address[] {
    if (number === 0) return this.#history.council(0);
    return committeeOf(this.#election(number), round);
  }

  klaytnSelection(number: number): KlaytnSelection {
    const election = this.#klaytnElection(number);
    const { list = [], since = 0 } = election.proposers?.() ?? {};
    return {
      list,
      since,
      firstProposer: proposerOf(election, 0),
      committee: (round) => klaytnCommitteeOf(election, round, this.proposer(number, round)),
    };
  }

  /** In Klaytn the proposers of the first interval are all validators of block 0, in their order. */
  #klaytnElection(number: number): Election {
    const election = this.#election(number);
    const drawn = election.proposers?.();
    if (drawn === undefined || drawn.since > 0) return election;
    const list = remainingProposers(this.#history.council(0), this.#removedProposers(0, number));
    return { ...election, proposers: () => ({ ...drawn, list }) };
  }

  blsKey(number: number, node: Address): RegisteredKey | undefined {
    return this.#blsKeys.key(number, node);
  }

  blsKeys(number: number): readonly RegisteredNode[] {
    return this.#blsKeys.all(number);
  }

  #election(number: number): Election {
    const { qualified } = this.validators(number);
    const { policy, committeeSize, proposerUpdateInterval } = this.parameters(number);
    const parent = this.#deps.block(number - 1);
    const since = number - 1 - ((number - 1) % proposerUpdateInterval);
    return {
      number,
      policy,
      qualified,
      committeeSize,
      parentHash: parent?.hash ?? new Uint8Array(32),
      parentMix: this.#rules(number).randao ? (parent?.header.mixHash ?? new Uint8Array(32)) : undefined,
      seedRounds: this.#rules(number).demotesValidators,
      parentAuthor: number === 1 ? qualified[0] : parent?.author(),
      proposers: () => ({
        list: this.#proposers(number, since),
        since,
        interval: proposerUpdateInterval,
      }),
    };
  }

  /** Returns the list drawn at block `since` without the validators that votes before `number` removed. */
  #proposers(number: number, since: number): readonly Address[] {
    let drawn = this.#draws.get(`${since}`);
    if (drawn === undefined) {
      const even = this.#rules(since + 1).drawsProposersEvenly;
      drawn = drawProposers({
        qualified: this.validators(since + 1).qualified,
        hash: this.#deps.block(since)?.hash ?? new Uint8Array(32),
        weights: even
          ? undefined
          : { staking: this.staking(since), useGini: this.parameters(since + 1).useGini },
      });
      this.#draws.set(`${since}`, drawn);
    }
    return remainingProposers(drawn, this.#removedProposers(since, number));
  }

  /** Returns the qualified validators that votes of blocks `since` to `number - 1` removed. */
  #removedProposers(since: number, number: number): readonly Address[] {
    return this.#history.removals(since, number).flatMap(({ number: voted, value: what }) => {
      const { qualified } = this.validators(voted);
      return what.filter((address) => qualified.some((each) => equalBytes(each, address)));
    });
  }

  expectedData(number: number): ParameterValues | undefined {
    if (number % this.#epoch !== 0) return undefined;
    return this.#history.votedValues(number - this.#epoch, number);
  }

  checkHeader(header: Header, author: Address): void {
    const { number } = header;
    if (header.vote.length > 0) checkVote(header.vote, author, this.voteDeps(number));
    checkGovernanceData(header.governance, this.expectedData(number));
  }

  voteDeps(number: number): VoteDeps {
    return {
      validators: this.validators(number),
      formerCouncil: this.#history.council(number - 1),
      decided: parametersOf(this.#history.decidedValues(this.#decisive(number))),
      account: (address) => this.#deps.contracts(number - 1).account(address),
    };
  }

  accept(header: Header, batch: Batch): void {
    this.#stakes.accept(header.number, batch);
    this.#index.accept(header, batch);
  }

  rewind(number: number, batch: Batch): () => void {
    rewindGovernance(this.#deps.rows, batch, { head: this.#deps.tip(), number });
    return () => {
      for (const cache of [this.#parameters, this.#validators, this.#draws]) cache.clear();
      this.#stakes = openStakes(this.#deps);
      this.#blsKeys = openBlsKeys(this.#deps);
      this.#index = openHeaderIndex(this.#deps, (at, history) => this.#governingNode(at, history));
    };
  }

  #rules(number: number): Rules {
    return rulesAt(this.#deps.config, number);
  }
}
