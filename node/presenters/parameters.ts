/** Governance parameters as JSON: by name, and as members of the chain's configuration. */
import { fromHex } from "../bytes/hex.ts";
import type { Chain } from "../chain/chain.ts";
import { type ChainConfig, chainConfigJson } from "../config/chain-config.ts";
import type { Governance } from "../governance/governance.ts";
import type { ParameterValues } from "../governance/parameter-rows.ts";
import type { BlockMembers } from "./block.ts";
import type { ReceiptForm } from "./receipt.ts";

/** Dependencies of the presenters of governance. */
export interface GovernanceMethodDeps {
  readonly chain: Chain;
  readonly governance: Governance;
  /** Parameters that a fork replaced are reported with their effective or their stored values. */
  readonly reportedParameters: "effective" | "stored";
  /**
   * Members of staking information and their order. With pools, the information of the pending block is
   * unknown.
   */
  readonly stakingForm: "with-pools" | "without-pools";
  /** The lists of the first answer about a block without staking information are null, those of the next are empty. */
  readonly firstStakingIsNull: boolean;
  /** Council and committee of the block after the head can be queried. */
  readonly knowsNextCouncil: boolean;
  /**
   * "sets": councils and the committee of a block with its seals are in the order of checksum texts. "lists": councils
   * are ordered by bytes, qualified before demoted validators and block 0 as its header, and committees as selected.
   */
  readonly councilForm: "sets" | "lists";
  /** Contracts in absent blocks are refused. */
  readonly refusesAbsentBlocks: boolean;
  readonly blockMembers: BlockMembers;
  readonly receiptForm: ReceiptForm;
}

/** Returns all parameter values in force at a block, by name. */
export function parametersInForce(
  { chain, governance, reportedParameters }: GovernanceMethodDeps,
  number: number,
): ParameterValues {
  const values = new Map(governance.values(number));
  if (reportedParameters === "stored") return values;
  const { drawsProposersEvenly, randao, readsNewestStakes } = chain.rules(number);
  if (drawsProposersEvenly) values.set("reward.useginicoeff", false);
  if (randao) values.set("reward.proposerupdateinterval", 1n);
  if (readsNewestStakes) values.set("reward.stakingupdateinterval", 1n);
  return values;
}

/** Formats the chain's configuration with the values in force at a block. */
export function configJson(deps: GovernanceMethodDeps, number: number): object {
  return chainConfigJson(withParameters(deps.chain.config, parametersInForce(deps, number)));
}

function withParameters(config: ChainConfig, values: ParameterValues): ChainConfig {
  const integer = (name: string): bigint => values.get(name) as bigint; // the parameter's row says its type; every name has a value
  const amount = (name: string): bigint => BigInt(text(name));
  const small = (name: string): number => Number(integer(name));
  const text = (name: string): string => String(values.get(name));
  return {
    ...config,
    istanbul: {
      epoch: small("istanbul.epoch"),
      policy: small("istanbul.policy"),
      sub: small("istanbul.committeesize"),
    },
    unitPrice: integer("governance.unitprice"),
    deriveShaImpl: small("governance.deriveshaimpl"),
    governance: {
      governingNode: fromHex(text("governance.governingnode")),
      governanceMode: text("governance.governancemode"),
      govParamContract: fromHex(text("governance.govparamcontract")),
      reward: {
        mintingAmount: amount("reward.mintingamount"),
        ratio: text("reward.ratio"),
        kip82Ratio: text("reward.kip82ratio"),
        useGiniCoeff: values.get("reward.useginicoeff") === true,
        deferredTxFee: values.get("reward.deferredtxfee") === true,
        stakingUpdateInterval: small("reward.stakingupdateinterval"),
        proposerUpdateInterval: small("reward.proposerupdateinterval"),
        minimumStake: amount("reward.minimumstake"),
        stakingRewardThreshold: amount("reward.stakingrewardthreshold"),
        useFlexReward: values.get("reward.useflexreward") === true,
      },
      kip71: {
        lowerBoundBaseFee: integer("kip71.lowerboundbasefee"),
        upperBoundBaseFee: integer("kip71.upperboundbasefee"),
        gasTarget: integer("kip71.gastarget"),
        maxBlockGasUsedForBaseFee: integer("kip71.maxblockgasusedforbasefee"),
        baseFeeDenominator: integer("kip71.basefeedenominator"),
      },
    },
  };
}
