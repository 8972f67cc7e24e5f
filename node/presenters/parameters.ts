/** Governance parameters as methods show them: by name, and as the chain's configuration with them in their places. */
import { fromHex } from "../bytes/hex.ts";
import type { Chain } from "../chain/chain.ts";
import type { RpcProfile } from "../compat/profiles.ts";
import { type ChainConfig, chainConfigJson } from "../config/chain-config.ts";
import type { Governance } from "../governance/governance.ts";
import type { ParameterValues } from "../governance/parameter-rows.ts";

/** What governs, and how it is shown. */
export interface GoverningParts {
  readonly chain: Chain;
  readonly governance: Governance;
  readonly profile: RpcProfile;
}

/** All values in force at a block. */
export function shownValues({ chain, governance, profile }: GoverningParts, number: number): ParameterValues {
  const values = new Map(governance.values(number));
  if (!profile.line.settlesParameters) return values;
  const { drawsProposersEvenly, readsNewestStakes } = chain.rules(number);
  if (drawsProposersEvenly) values.set("reward.useginicoeff", false);
  if (readsNewestStakes) values.set("reward.stakingupdateinterval", 1n);
  return values;
}

/** The chain's configuration with the values in force at a block. */
export function configView(parts: GoverningParts, number: number): object {
  const shown = chainConfigJson(configured(parts.chain.config, shownValues(parts, number)));
  const { unknownConfigKeys } = parts.profile;
  return Object.fromEntries(Object.entries(shown).filter(([key]) => !unknownConfigKeys.includes(key)));
}

function configured(config: ChainConfig, values: ParameterValues): ChainConfig {
  const integer = (name: string): bigint => values.get(name) as bigint; // by its row's kind; all names have a value
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
