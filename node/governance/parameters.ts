/**
 * Governance parameters in force at a block, in layers: defaults, the chain's configuration, governance
 * fields of headers, the governance contract. Each layer overrides the ones before it.
 */
import type { Address } from "../bytes/brands.ts";
import { addressText, fromHex } from "../bytes/hex.ts";
import { type ChainConfig, DEFAULT_KIP71 } from "../config/chain-config.ts";
import { type ParameterValue, type ParameterValues, ratioShares } from "./parameter-rows.ts";

/** Parameters of a block. Amounts are in peb. */
export interface GovernanceParameters {
  /** Gas price of every transaction under rules without a base fee. */
  readonly unitPrice: bigint;
  /** Function of the transactions and receipts roots: 0 trie, 1 pairwise, 2 concatenated. */
  readonly deriveShaImpl: number;
  /** Amount minted by each block; negative where a vote says so. */
  readonly mintingAmount: bigint;
  /** Split of the reward under the weighted policy in percent: `reward.ratio`. */
  readonly ratio: {
    readonly validators: bigint;
    readonly kif: bigint;
    readonly kef: bigint;
    /** 0 for a ratio of three parts. */
    readonly kpf: bigint;
  };
  /** Split of the validators' share in percent: `reward.kip82ratio`. */
  readonly kip82: { readonly proposer: bigint; readonly stakers: bigint };
  /** True when fees are paid with the block reward instead of by each transaction. */
  readonly deferredTxFee: boolean;
  /** Minimum stake of a validator under the weighted policy, in KAIA; modulo 2^64, as the next one. */
  readonly minimumStake: bigint;
  /** Stake that earns no part of the stakers' share under the flexible reward, in KAIA. */
  readonly stakingRewardThreshold: bigint;
  /** The flexible reward applies under rules that have it. */
  readonly useFlexReward: boolean;
  readonly policy: ProposerPolicy;
  /** Interval in blocks at which the proposer list of the weighted policy is drawn. */
  readonly proposerUpdateInterval: number;
  readonly useGini: boolean;
  readonly governanceMode: string;
  readonly governingNode: Address;
  readonly govParamContract: Address;
  /** Interval in blocks of governance data in headers. */
  readonly epoch: number;
  readonly committeeSize: number;
  readonly baseFee: BaseFeeParameters;
}

/** Selection of proposers: each validator in turn, the same one until it fails, or by stake. */
export type ProposerPolicy = "round-robin" | "sticky" | "weighted";

/** Parameters of the dynamic base fee (KIP-71), in peb and gas. */
export interface BaseFeeParameters {
  readonly lowerBound: bigint;
  readonly upperBound: bigint;
  readonly gasTarget: bigint;
  readonly maxBlockGasUsed: bigint;
  readonly denominator: bigint;
}

const POLICIES: readonly ProposerPolicy[] = ["round-robin", "sticky", "weighted"];
const NO_ADDRESS = `0x${"00".repeat(20)}`;

/** Values without configuration and votes. */
const DEFAULT_VALUES: ParameterValues = new Map<string, ParameterValue>([
  ["governance.deriveshaimpl", 0n],
  ["governance.governancemode", "none"],
  ["governance.governingnode", NO_ADDRESS],
  ["governance.govparamcontract", NO_ADDRESS],
  ["governance.unitprice", 250_000_000_000n],
  ["istanbul.committeesize", 21n],
  ["istanbul.epoch", 604_800n],
  ["istanbul.policy", 0n],
  ["kip71.basefeedenominator", DEFAULT_KIP71.baseFeeDenominator],
  ["kip71.gastarget", DEFAULT_KIP71.gasTarget],
  ["kip71.lowerboundbasefee", DEFAULT_KIP71.lowerBoundBaseFee],
  ["kip71.maxblockgasusedforbasefee", DEFAULT_KIP71.maxBlockGasUsedForBaseFee],
  ["kip71.upperboundbasefee", DEFAULT_KIP71.upperBoundBaseFee],
  ["reward.deferredtxfee", false],
  ["reward.kip82ratio", "20/80"],
  ["reward.mintingamount", "0"],
  ["reward.minimumstake", "2000000"],
  ["reward.proposerupdateinterval", 3_600n],
  ["reward.ratio", "100/0/0"],
  ["reward.stakingrewardthreshold", "5000000"],
  ["reward.stakingupdateinterval", 86_400n],
  ["reward.useflexreward", false],
  ["reward.useginicoeff", false],
]);

/** Returns the values of a chain's configuration. */
export function configuredValues(config: ChainConfig): ParameterValues {
  const { governance, istanbul } = config;
  const { kip71, reward } = governance;
  return new Map<string, ParameterValue>([
    ["governance.deriveshaimpl", BigInt(config.deriveShaImpl)],
    ["governance.governancemode", governance.governanceMode],
    ["governance.governingnode", addressText(governance.governingNode)],
    ["governance.govparamcontract", addressText(governance.govParamContract)],
    ["governance.unitprice", config.unitPrice],
    ["istanbul.committeesize", BigInt(istanbul.sub)],
    ["istanbul.epoch", BigInt(istanbul.epoch)],
    ["istanbul.policy", BigInt(istanbul.policy)],
    ["kip71.basefeedenominator", kip71.baseFeeDenominator],
    ["kip71.gastarget", kip71.gasTarget],
    ["kip71.lowerboundbasefee", kip71.lowerBoundBaseFee],
    ["kip71.maxblockgasusedforbasefee", kip71.maxBlockGasUsedForBaseFee],
    ["kip71.upperboundbasefee", kip71.upperBoundBaseFee],
    ["reward.deferredtxfee", reward.deferredTxFee],
    ["reward.kip82ratio", reward.kip82Ratio],
    ["reward.mintingamount", reward.mintingAmount.toString()],
    ["reward.minimumstake", reward.minimumStake.toString()],
    ["reward.proposerupdateinterval", BigInt(reward.proposerUpdateInterval)],
    ["reward.ratio", reward.ratio],
    ["reward.stakingrewardthreshold", reward.stakingRewardThreshold.toString()],
    ["reward.stakingupdateinterval", BigInt(reward.stakingUpdateInterval)],
    ["reward.useflexreward", reward.useFlexReward],
    ["reward.useginicoeff", reward.useGiniCoeff],
  ]);
}

/** Merges layers of values over the defaults; later layers override earlier ones. */
export function valuesOf(...layers: readonly ParameterValues[]): ParameterValues {
  return new Map([DEFAULT_VALUES, ...layers].flatMap((layer) => [...layer]));
}

/** Returns the parameters by layers of values, merged as by `valuesOf`. */
export function parametersOf(...layers: readonly ParameterValues[]): GovernanceParameters {
  const find = (name: string): ParameterValue | undefined => {
    for (let i = layers.length - 1; i >= 0; i--) {
      const value = layers[i]?.get(name);
      if (value !== undefined) return value;
    }
    return DEFAULT_VALUES.get(name);
  };
  const integer = (name: string): bigint => find(name) as bigint; // by its row's kind
  const amount = (name: string): bigint => BigInt(find(name) as string); // by its row's kind
  const small = (name: string): number => Number(integer(name));
  const text = (name: string): string => String(find(name));
  return {
    unitPrice: integer("governance.unitprice"),
    deriveShaImpl: small("governance.deriveshaimpl"),
    mintingAmount: amount("reward.mintingamount"),
    ratio: rewardRatio(text("reward.ratio")),
    kip82: stakerRatio(text("reward.kip82ratio")),
    deferredTxFee: find("reward.deferredtxfee") === true,
    minimumStake: BigInt.asUintN(64, amount("reward.minimumstake")),
    stakingRewardThreshold: BigInt.asUintN(64, amount("reward.stakingrewardthreshold")),
    useFlexReward: find("reward.useflexreward") === true,
    policy: POLICIES[small("istanbul.policy")] ?? "round-robin",
    proposerUpdateInterval: Math.max(1, small("reward.proposerupdateinterval")),
    useGini: find("reward.useginicoeff") === true,
    governanceMode: text("governance.governancemode"),
    governingNode: fromHex(text("governance.governingnode")),
    govParamContract: fromHex(text("governance.govparamcontract")),
    epoch: small("istanbul.epoch"),
    committeeSize: small("istanbul.committeesize"),
    baseFee: {
      lowerBound: integer("kip71.lowerboundbasefee"),
      upperBound: integer("kip71.upperboundbasefee"),
      gasTarget: integer("kip71.gastarget"),
      maxBlockGasUsed: integer("kip71.maxblockgasusedforbasefee"),
      denominator: integer("kip71.basefeedenominator"),
    },
  };
}

/** Parses the reward ratio; an invalid one of a configuration gives everything to the proposer. */
function rewardRatio(text: string): GovernanceParameters["ratio"] {
  const [validators = 100n, kif = 0n, kef = 0n, kpf = 0n] = ratioShares(text, [3, 4]) ?? [];
  return { validators, kif, kef, kpf };
}

function stakerRatio(text: string): GovernanceParameters["kip82"] {
  const [proposer = 20n, stakers = 80n] = ratioShares(text, [2]) ?? [];
  return { proposer, stakers };
}
