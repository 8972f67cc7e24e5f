/**
 * Who had staked what, for any block: read from contracts, kept in memory, and kept on disk where a block far
 * behind is asked for, since its state will be gone then.
 */
import type { ChainConfig } from "../config/chain-config.ts";
import { rulesAt } from "../config/rules.ts";
import { StateError } from "../state/error.ts";
import { RecentMap } from "../state/recent-map.ts";
import type { Batch, Rows } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import type { ContractReader } from "./contract-reader.ts";
import { GovernanceError } from "./error.ts";
import { decodeStaking, encodeStaking, readStaking } from "./read-staking.ts";
import { noStaking, type StakingInfo, stakingSource } from "./staking.ts";

/** What stakes are read from. */
export interface StakedChain {
  readonly config: ChainConfig;
  readonly rows: Rows;
  readonly contracts: (number: number) => ContractReader;
}

/** See the head of this file. */
export interface Stakes {
  /** Stakes that count for block `number`. Throws `StateError` `state-missing`, `GovernanceError` `bad-answer`. */
  at(number: number): StakingInfo;
  /** Keeps the stakes of the block before `number` where later blocks will ask for them. */
  accept(number: number, batch: Batch): void;
}

const CACHED = 64;
/** Of `istanbul.policy`. */
const WEIGHTED_POLICY = 2;

/** Opens the stakes of a chain. */
export function openStakes({ config, rows, contracts }: StakedChain): Stakes {
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
      return row === undefined ? readOrNone(read, source) : decodeStaking(source, row);
    },
    accept: (number, batch) => {
      const source = number - 1;
      if (source % interval !== 0 || rulesAt(config, number).readsNewestStakes) return;
      const info = weighted ? read(source) : readOrNoAnswer(read, source);
      if (info.kef !== undefined) batch.put(tables.staking.key(source), encodeStaking(info));
    },
  };
}

/** Pools count from the block after the registry was installed. */
function countsPools(config: ChainConfig, source: number): boolean {
  const next = rulesAt(config, source + 1);
  return next.liquidityPools && next.randao === rulesAt(config, source).randao;
}

/** Where there are stakes to read there is a row: a state that is gone without one had none. */
function readOrNone(read: (source: number) => StakingInfo, source: number): StakingInfo {
  try {
    return read(source);
  } catch (error) {
    if (error instanceof StateError && error.code === "state-missing") return noStaking(source);
    throw error;
  }
}

/** On a chain that no stake decides about, an address book may be any contract: one that answers badly has none. */
function readOrNoAnswer(read: (source: number) => StakingInfo, source: number): StakingInfo {
  try {
    return read(source);
  } catch (error) {
    if (error instanceof GovernanceError) return noStaking(source);
    throw error;
  }
}
