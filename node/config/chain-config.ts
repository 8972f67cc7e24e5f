/**
 * A chain's configuration: the `config` member of a genesis (`params/config.go@v2.2.2`). Absent members get the Go
 * node's defaults.
 */
import type { Address } from "../bytes/brands.ts";
import { addressText, fromBareHex } from "../bytes/hex.ts";
import { ConfigError } from "./error.ts";
import { jsonInteger } from "./exact-json.ts";
import { type ForkSchedule, forks } from "./forks.ts";
import {
  type JsonObject,
  member,
  readBoolean,
  readNumber,
  readObject,
  readText,
  readUnsigned,
} from "./json-reader.ts";
import { parseRegistry, type RegistryConfig } from "./registry-config.ts";
import { DEFAULT_REWARD, type RewardConfig } from "./reward-config.ts";

/** Parameters of the base fee (KIP-71); amounts in peb. */
export interface Kip71Config {
  readonly lowerBoundBaseFee: bigint;
  readonly upperBoundBaseFee: bigint;
  readonly gasTarget: bigint;
  readonly maxBlockGasUsedForBaseFee: bigint;
  readonly baseFeeDenominator: bigint;
}

/** Governance parameters of the genesis; votes may change them later. */
export interface GovernanceConfig {
  readonly governingNode: Address;
  readonly governanceMode: string;
  readonly govParamContract: Address;
  readonly reward: RewardConfig;
  readonly kip71: Kip71Config;
}

/** A chain's configuration. `policy` is 0 round robin, 1 sticky, 2 weighted random; `sub` is the committee size. */
export interface ChainConfig extends ForkSchedule {
  readonly chainId: bigint;
  readonly istanbul: { readonly epoch: number; readonly policy: number; readonly sub: number };
  readonly unitPrice: bigint;
  readonly deriveShaImpl: number;
  readonly governance: GovernanceConfig;
  readonly kip103ContractAddress: Address;
  readonly kip160ContractAddress: Address;
  readonly randaoRegistry: RegistryConfig | undefined;
  /** `blobSchedule` and `randaoRegistry` as in the genesis, for `chainConfigJson`. */
  readonly verbatim: { readonly blobSchedule?: unknown; readonly randaoRegistry?: unknown };
  /** Blocks of scheduled forks whose rules this version does not have, by member of the configuration. */
  readonly unknownForks: ReadonlyMap<string, number>;
  /** True for parameters that the genesis contains; block 0 records only those. */
  readonly given: {
    readonly kip71: boolean;
    readonly kip82Ratio: boolean;
    readonly stakingRewardThreshold: boolean;
  };
}

/** Defaults of KIP-71. */
export const DEFAULT_KIP71: Kip71Config = {
  lowerBoundBaseFee: 25_000_000_000n,
  upperBoundBaseFee: 750_000_000_000n,
  gasTarget: 30_000_000n,
  maxBlockGasUsedForBaseFee: 60_000_000n,
  baseFeeDenominator: 20n,
};

/** Default of `governance`. A `governance` without a mode has an empty mode. */
const NO_GOVERNANCE: JsonObject = { governanceMode: "none" };

/**
 * Reads a configuration from parsed JSON, whose integers may be bigint, and applies the defaults; unknown members
 * are ignored, except scheduled forks. Throws `ConfigError` `bad-chain-config`.
 */
export function parseChainConfig(json: unknown): ChainConfig {
  const config = readObject(json, "config");
  for (const engine of ["clique", "gxhash"]) {
    if (member(config, engine) === undefined) continue;
    throw configError(
      `DEPRECATED: '${engine}' consensus engine configuration is deprecated and has been removed. Please use 'istanbul' instead`,
    );
  }
  const istanbul = member(config, "istanbul");
  const governance = readObject(member(config, "governance") ?? NO_GOVERNANCE, "governance");
  const reward = member(governance, "reward");
  const rewardObject = readObject(reward ?? {}, "reward");
  const chainId = member(config, "chainId");
  const parsed = {
    forks: parseForks(config),
    unknownForks: parseUnknownForks(config),
    istanbul: parseIstanbul(istanbul),
    unitPrice: readUnsigned(config, "unitPrice", 0n),
    deriveShaImpl: readNumber(config, "deriveShaImpl", 0),
    governance: parseGovernance(governance, reward),
    kip103ContractAddress: parseAddress(config, "kip103ContractAddress"),
    kip160ContractAddress: parseAddress(config, "kip160ContractAddress"),
    randaoRegistry: parseRegistry(member(config, "randaoRegistry")),
    verbatim: pick(config, ["blobSchedule", "randaoRegistry"]),
    given: {
      kip71: member(governance, "kip71") !== undefined,
      kip82Ratio: readText(rewardObject, "kip82ratio", "") !== "",
      stakingRewardThreshold: member(rewardObject, "stakingRewardThreshold") !== undefined,
    },
  };
  if (chainId === undefined) throw configError("chainID is not specified");
  return { chainId: readUnsigned(config, "chainId", 0n), ...parsed };
}

function parseForks(config: JsonObject): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const { configKey } of forks) {
    if (member(config, configKey) !== undefined) numbers.set(configKey, readNumber(config, configKey, 0));
  }
  return numbers;
}

/** Finds members such as `nextCompatibleBlock` with a block number that belong to no fork of this version. */
function parseUnknownForks(config: JsonObject): ReadonlyMap<string, number> {
  const known = new Set(forks.map(({ configKey }) => configKey));
  const entries = Object.entries(config).filter((entry): entry is [string, number] => {
    const [key, number] = entry;
    return key.endsWith(FORK_SUFFIX) && !known.has(key) && Number.isSafeInteger(number);
  });
  return new Map(entries);
}

/** End of the names of the members that schedule forks. */
const FORK_SUFFIX = "CompatibleBlock";

function parseIstanbul(json: unknown): ChainConfig["istanbul"] {
  if (json === undefined) return { epoch: 604_800, policy: 0, sub: 21 };
  const istanbul = readObject(json, "istanbul");
  return {
    epoch: readNumber(istanbul, "epoch", 0),
    policy: readNumber(istanbul, "policy", 0),
    sub: readNumber(istanbul, "sub", 0),
  };
}

function parseGovernance(governance: JsonObject, reward: unknown): GovernanceConfig {
  return {
    governingNode: parseAddress(governance, "governingNode"),
    governanceMode: readText(governance, "governanceMode", ""),
    govParamContract: parseAddress(governance, "govParamContract"),
    reward: reward === undefined ? DEFAULT_REWARD : parseReward(readObject(reward, "reward")),
    kip71: parseKip71(member(governance, "kip71")),
  };
}

function parseReward(reward: JsonObject): RewardConfig {
  if (member(reward, "mintingAmount") === undefined || member(reward, "minimumStake") === undefined) {
    throw configError("reward is not set: it needs mintingAmount and minimumStake");
  }
  return {
    mintingAmount: readUnsigned(reward, "mintingAmount", 0n),
    ratio: readText(reward, "ratio", ""),
    kip82Ratio: readText(reward, "kip82ratio", "") || DEFAULT_REWARD.kip82Ratio,
    useGiniCoeff: readBoolean(reward, "useGiniCoeff"),
    deferredTxFee: readBoolean(reward, "deferredTxFee"),
    stakingUpdateInterval:
      readNumber(reward, "stakingUpdateInterval", 0) || DEFAULT_REWARD.stakingUpdateInterval,
    proposerUpdateInterval:
      readNumber(reward, "proposerUpdateInterval", 0) || DEFAULT_REWARD.proposerUpdateInterval,
    minimumStake: readUnsigned(reward, "minimumStake", 0n),
    stakingRewardThreshold: readUnsigned(
      reward,
      "stakingRewardThreshold",
      DEFAULT_REWARD.stakingRewardThreshold,
    ),
    useFlexReward: readBoolean(reward, "useFlexReward"),
  };
}

function parseKip71(json: unknown): Kip71Config {
  if (json === undefined) return DEFAULT_KIP71;
  const kip71 = readObject(json, "kip71");
  return {
    lowerBoundBaseFee: readUnsigned(kip71, "lowerboundbasefee", 0n),
    upperBoundBaseFee: readUnsigned(kip71, "upperboundbasefee", 0n),
    gasTarget: readUnsigned(kip71, "gastarget", 0n),
    maxBlockGasUsedForBaseFee: readUnsigned(kip71, "maxblockgasusedforbasefee", 0n),
    baseFeeDenominator: readUnsigned(kip71, "basefeedenominator", 0n),
  };
}

function parseAddress(object: JsonObject, key: string): Address {
  const text = readText(object, key, "");
  if (text === "") return new Uint8Array(20);
  const digits = text.replace(/^0x/i, "");
  if (!/^[0-9a-f]{40}$/i.test(digits)) throw configError(`${key} is not an address: ${text.slice(0, 60)}`);
  return fromBareHex(digits);
}

function pick(object: JsonObject, keys: readonly string[]): ChainConfig["verbatim"] {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = member(object, key);
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

/** A configuration for `JSON.stringify`. */
export type ChainConfigJson = Readonly<Record<string, unknown>> & {
  readonly governance: Readonly<Record<string, unknown>> & { readonly reward: object };
};

/** Returns the configuration for `JSON.stringify`, members in the Go node's order. */
export function chainConfigJson(config: ChainConfig): ChainConfigJson {
  const { governance, verbatim } = config;
  const fork = (keys: readonly string[]): object =>
    Object.fromEntries(keys.flatMap((key) => (config.forks.has(key) ? [[key, config.forks.get(key)]] : [])));
  const ordered = forks
    .filter((row) => row.ordered && row.configKey !== RANDAO_KEY)
    .map((row) => row.configKey);
  return {
    chainId: jsonInteger(config.chainId),
    ...fork(ordered),
    ...fork(["kip103CompatibleBlock"]),
    kip103ContractAddress: addressText(config.kip103ContractAddress),
    ...fork(["kip160CompatibleBlock"]),
    kip160ContractAddress: addressText(config.kip160ContractAddress),
    ...fork([RANDAO_KEY]),
    ...(verbatim.randaoRegistry === undefined ? {} : { randaoRegistry: verbatim.randaoRegistry }),
    istanbul: config.istanbul,
    ...(verbatim.blobSchedule === undefined ? {} : { blobSchedule: verbatim.blobSchedule }),
    unitPrice: jsonInteger(config.unitPrice),
    deriveShaImpl: config.deriveShaImpl,
    governance: {
      governingNode: addressText(governance.governingNode),
      governanceMode: governance.governanceMode,
      govParamContract: addressText(governance.govParamContract),
      reward: rewardJson(governance.reward),
      kip71: kip71Json(governance.kip71),
    },
  };
}

/** The fork whose number stands beside its registry, not among the others. */
const RANDAO_KEY = "randaoCompatibleBlock";

function rewardJson(reward: RewardConfig): object {
  return {
    mintingAmount: jsonInteger(reward.mintingAmount),
    ratio: reward.ratio,
    kip82ratio: reward.kip82Ratio,
    useGiniCoeff: reward.useGiniCoeff,
    deferredTxFee: reward.deferredTxFee,
    stakingUpdateInterval: reward.stakingUpdateInterval,
    proposerUpdateInterval: reward.proposerUpdateInterval,
    minimumStake: jsonInteger(reward.minimumStake),
    stakingRewardThreshold: jsonInteger(reward.stakingRewardThreshold),
    ...(reward.useFlexReward ? { useFlexReward: true } : {}),
  };
}

function kip71Json(kip71: Kip71Config): object {
  return {
    lowerboundbasefee: jsonInteger(kip71.lowerBoundBaseFee),
    upperboundbasefee: jsonInteger(kip71.upperBoundBaseFee),
    gastarget: jsonInteger(kip71.gasTarget),
    maxblockgasusedforbasefee: jsonInteger(kip71.maxBlockGasUsedForBaseFee),
    basefeedenominator: jsonInteger(kip71.baseFeeDenominator),
  };
}

function configError(message: string): ConfigError {
  return new ConfigError("bad-chain-config", message);
}
