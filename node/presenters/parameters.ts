/** Governance parameters as JSON: by name, and as members of the chain's configuration. */
import { fromHex } from "../bytes/hex.ts";
import type { Chain } from "../chain/chain.ts";
import type { RpcProfile } from "../compat/profiles.ts";
import { type ChainConfig, chainConfigJson } from "../config/chain-config.ts";
import type { Governance } from "../governance/governance.ts";
import { valuesJson } from "../governance/governance-data.ts";
import type { ParameterValues } from "../governance/parameter-rows.ts";

/** Dependencies of the presenters of governance. */
export interface GovernanceMethodDeps {
  readonly chain: Chain;
  readonly governance: Governance;
  readonly profile: RpcProfile;
}

/** Returns all parameter values in force at a block, by name. */
export function parametersInForce(
  { chain, governance, profile }: GovernanceMethodDeps,
  number: number,
): ParameterValues {
  const values = new Map(governance.values(number));
  if (!profile.line.reportsEffectiveParameters) return values;
  const { drawsProposersEvenly, randao, readsNewestStakes } = chain.rules(number);
  if (drawsProposersEvenly) values.set("reward.useginicoeff", false);
  if (randao) values.set("reward.proposerupdateinterval", 1n);
  if (readsNewestStakes) values.set("reward.stakingupdateinterval", 1n);
  return values;
}

/** Formats the parameter values in force at a block, by name. */
export function parametersJson(deps: GovernanceMethodDeps, number: number): object {
  const values = new Map(parametersInForce(deps, number));
  for (const name of deps.profile.line.unknownParameters) values.delete(name);
  return valuesJson(values);
}

/** Formats the chain's configuration with the values in force at a block. */
export function configJson(deps: GovernanceMethodDeps, number: number): object {
  return knownConfigJson(withParameters(deps.chain.config, parametersInForce(deps, number)), deps.profile);
}

/** Formats a configuration without the members that the profile's line does not have. */
export function knownConfigJson(config: ChainConfig, { unknownConfigKeys, line }: RpcProfile): object {
  const { governance, ...rest } = chainConfigJson(config);
  const reward = Object.entries(governance.reward).filter(
    ([key]) => !line.unknownParameters.includes(`reward.${key.toLowerCase()}`),
  );
  const members = { ...rest, governance: { ...governance, reward: Object.fromEntries(reward) } };
  return Object.fromEntries(Object.entries(members).filter(([key]) => !unknownConfigKeys.includes(key)));
}

function withParameters(config: ChainConfig, values: ParameterValues): ChainConfig {
  const integer = (name: string): bigint => values.get(name) as bigint; // the parameter's row says its type; every name has a value
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
        mintingAmount: integer("reward.mintingamount"),
        ratio: text("reward.ratio"),
        kip82Ratio: text("reward.kip82ratio"),
        useGiniCoeff: values.get("reward.useginicoeff") === true,
        deferredTxFee: values.get("reward.deferredtxfee") === true,
        stakingUpdateInterval: small("reward.stakingupdateinterval"),
        proposerUpdateInterval: small("reward.proposerupdateinterval"),
        minimumStake: integer("reward.minimumstake"),
        stakingRewardThreshold: integer("reward.stakingrewardthreshold"),
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
