/**
 * Governance parameters in force at a block: defaults, then the chain's configuration, then what the governance
 * fields of headers say, then the governance contract; each lies over the one before.
 */
import { addressText, fromHex } from "../bytes/hex.ts";
import { type ChainConfig, DEFAULT_KIP71 } from "../config/chain-config.ts";
import { type ParameterValue, type ParameterValues, ratioShares } from "./parameter-rows.ts";

/** What governance decides about a block. Amounts are in peb. */
export interface GovernanceParameters {
  /** Gas price every transaction pays where the rules have no base fee. */
  readonly unitPrice: bigint;
  /** Which function makes the transactions and receipts roots: 0 trie, 1 pairwise, 2 concatenated. */
  readonly deriveShaImpl: number;
  /** Minted by each block. */
  readonly mintingAmount: bigint;
  /** How a reward is split under the weighted policy, percent: `reward.ratio`. */
  readonly ratio: { readonly validators: bigint; readonly kif: bigint; readonly kef: bigint };
  /** How the validators' share is split, percent: `reward.kip82ratio`. */
  readonly kip82: { readonly proposer: bigint; readonly stakers: bigint };
  /** Fees are paid with the block's reward, not transaction by transaction. */
  readonly deferredTxFee: boolean;
  /** Whole coins that a validator has to stake under the weighted policy. */
  readonly minimumStake: bigint;
  readonly policy: ProposerPolicy;
  /** Proposers of the weighted policy are drawn anew after so many blocks. */
  readonly proposerUpdateInterval: number;
  readonly useGini: boolean;
  readonly governanceMode: string;
  readonly governingNode: Uint8Array;
  readonly govParamContract: Uint8Array;
  /** Blocks between two governance headers. */
  readonly epoch: number;
  readonly committeeSize: number;
  readonly baseFee: BaseFeeParameters;
}

/** Who proposes next: everyone in turn, the same until it fails, or by stake. */
export type ProposerPolicy = "round-robin" | "sticky" | "weighted";

/** KIP-71: the range and the speed of the base fee. */
export interface BaseFeeParameters {
  readonly lowerBound: bigint;
  readonly upperBound: bigint;
  readonly gasTarget: bigint;
  readonly maxBlockGasUsed: bigint;
  readonly denominator: bigint;
}

const POLICIES: readonly ProposerPolicy[] = ["round-robin", "sticky", "weighted"];
const NO_ADDRESS = `0x${"00".repeat(20)}`;

/** Values where neither configuration nor votes say anything. */
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
  ["reward.mintingamount", 0n],
  ["reward.minimumstake", 2_000_000n],
  ["reward.proposerupdateinterval", 3_600n],
  ["reward.ratio", "100/0/0"],
  ["reward.stakingupdateinterval", 86_400n],
  ["reward.useginicoeff", false],
]);

/** The values that a chain's configuration sets. */
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
    ["reward.mintingamount", reward.mintingAmount],
    ["reward.minimumstake", reward.minimumStake],
    ["reward.proposerupdateinterval", BigInt(reward.proposerUpdateInterval)],
    ["reward.ratio", reward.ratio],
    ["reward.stakingupdateinterval", BigInt(reward.stakingUpdateInterval)],
    ["reward.useginicoeff", reward.useGiniCoeff],
  ]);
}

/** The values that layers make, each over the ones before it, all over the defaults. */
export function valuesOf(...layers: readonly ParameterValues[]): ParameterValues {
  return new Map([DEFAULT_VALUES, ...layers].flatMap((layer) => [...layer]));
}

/** The parameters that layers of values make, as `valuesOf` lays them. */
export function parametersOf(...layers: readonly ParameterValues[]): GovernanceParameters {
  const find = (name: string): ParameterValue | undefined => {
    for (let i = layers.length - 1; i >= 0; i--) {
      const value = layers[i]?.get(name);
      if (value !== undefined) return value;
    }
    return DEFAULT_VALUES.get(name);
  };
  const integer = (name: string): bigint => find(name) as bigint; // by its row's kind
  const small = (name: string): number => Number(integer(name));
  const text = (name: string): string => String(find(name));
  return {
    unitPrice: integer("governance.unitprice"),
    deriveShaImpl: small("governance.deriveshaimpl"),
    mintingAmount: notNegative(integer("reward.mintingamount")),
    ratio: rewardRatio(text("reward.ratio")),
    kip82: stakerRatio(text("reward.kip82ratio")),
    deferredTxFee: find("reward.deferredtxfee") === true,
    minimumStake: integer("reward.minimumstake"),
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

/** A vote may name an amount below zero, which would make balances that no state can hold. */
function notNegative(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}

/** A configuration's ratio that is none gives everything to the proposer. */
function rewardRatio(text: string): GovernanceParameters["ratio"] {
  const [validators = 100n, kif = 0n, kef = 0n] = ratioShares(text, 3) ?? [];
  return { validators, kif, kef };
}

function stakerRatio(text: string): GovernanceParameters["kip82"] {
  const [proposer = 20n, stakers = 80n] = ratioShares(text, 2) ?? [];
  return { proposer, stakers };
}
