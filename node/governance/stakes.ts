/**
 * Stakes by block: read from contracts, cached in memory, and stored where a block far behind its source uses
 * them, since the state of the source will be gone then.
 */
import type { ChainConfig } from "../config/chain-config.ts";
import { rulesAt } from "../config/rules.ts";
import { RecentMap } from "../runtime/recent-map.ts";
import { StateError } from "../state/error.ts";
import type { Batch, Rows } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import type { ContractReader } from "./contract-reader.ts";
import { GovernanceError } from "./error.ts";
import { noStaking, type StakingInfo, stakingSource } from "./staking.ts";
import { decodeStaking, encodeStaking, readStaking } from "./staking-contracts.ts";

/** Dependencies of the stakes. */
export interface StakesDeps {
  readonly config: ChainConfig;
  readonly rows: Rows;
  readonly contracts: (number: number) => ContractReader;
}

/** Stakes of a chain. */
export interface Stakes {
  /**
   * Returns the stakes in effect at block `number`. Throws `StateError` `state-missing`, `GovernanceError`
   * `bad-answer`.
   */
  at(number: number): StakingInfo;
  /** Stores the stakes of the block before `number` where later blocks use them. */
  accept(number: number, batch: Batch): void;
}

const CACHED = 64;
/** Value of `istanbul.policy`. */
const WEIGHTED_POLICY = 2;

/** Opens the stakes of a chain. */
export function openStakes({ config, rows, contracts }: StakesDeps): Stakes {
  const cached = new RecentMap<StakingInfo>(CACHED);
  const interval = config.governance.reward.stakingUpdateInterval;
  const weighted = config.istanbul.policy === WEIGHTED_POLICY;
  const read = (source: number): StakingInfo => {
    const known = cached.get(`${source}`);
    if (known !== undefined) return known;
    const info = readStaking(contracts(source), source, countsPools(config, source));
    cached.set(`${source}`, info);
    return info;
  };
  return {
    at: (number) => {
      const newest = rulesAt(config, number).readsNewestStakes;
      const source = stakingSource(number, { newest, interval });
      if (newest) return read(source);
      const row = rows.get(tables.staking.key(source));
      return row === undefined ? readOrPruned(read, source) : decodeStaking(source, row);
    },
    accept: (number, batch) => {
      const source = number - 1;
      if (source % interval !== 0 || rulesAt(config, number).readsNewestStakes) return;
      const info = weighted ? read(source) : readOrNoAnswer(read, source);
      if (info.kef !== undefined) batch.put(tables.staking.key(source), encodeStaking(info));
    },
  };
}

/** Returns true from the block after the installation of the contract registry. */
function countsPools(config: ChainConfig, source: number): boolean {
  const next = rulesAt(config, source + 1);
  return next.liquidityPools && next.randao === rulesAt(config, source).randao;
}

/** Reads stakes; a missing state without a row had no stakes. */
function readOrPruned(read: (source: number) => StakingInfo, source: number): StakingInfo {
  try {
    return read(source);
  } catch (error) {
    if (error instanceof StateError && error.code === "state-missing") return noStaking(source);
    throw error;
  }
}

/**
 * Reads stakes of a chain without the weighted policy. Its address book may be any contract, so an invalid
 * result means no stakes.
 */
function readOrNoAnswer(read: (source: number) => StakingInfo, source: number): StakingInfo {
  try {
    return read(source);
  } catch (error) {
    if (error instanceof GovernanceError) return noStaking(source);
    throw error;
  }
}
