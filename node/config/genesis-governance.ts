/** The governance parameters that block 0 records (`kaiax/gov`, Go node v2.2.2). */
import { addressText } from "../bytes/hex.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import type { ChainConfig } from "./chain-config.ts";
import { jsonInteger } from "./exact-json.ts";
import { rulesAt } from "./rules.ts";

/**
 * Returns the governance field of block 0: the parameters as an RLP string of JSON, names ascending, amounts as
 * decimal text. Parameters of a fork are included when it is active at block 0 and the genesis contains them.
 */
export function genesisGovernance(config: ChainConfig): Uint8Array<ArrayBuffer> {
  const rules = rulesAt(config, 0);
  const parameters = {
    ...generalParameters(config),
    ...(rules.baseFee && config.given.kip71 ? kip71Parameters(config) : {}),
    ...(rules.governanceContract ? contractParameters(config) : {}),
    ...(rules.flexReward ? flexParameters(config) : {}),
  };
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return encodeRlp(new TextEncoder().encode(JSON.stringify(Object.fromEntries(sorted))));
}

function generalParameters({
  governance,
  istanbul,
  unitPrice,
}: ChainConfig): Readonly<Record<string, unknown>> {
  const { reward } = governance;
  return {
    "governance.governancemode": governance.governanceMode,
    "governance.governingnode": addressText(governance.governingNode),
    "governance.unitprice": jsonInteger(unitPrice),
    "istanbul.committeesize": istanbul.sub,
    "istanbul.epoch": istanbul.epoch,
    "istanbul.policy": istanbul.policy,
    "reward.deferredtxfee": reward.deferredTxFee,
    "reward.minimumstake": reward.minimumStake.toString(),
    "reward.mintingamount": reward.mintingAmount.toString(),
    "reward.proposerupdateinterval": reward.proposerUpdateInterval,
    "reward.ratio": reward.ratio,
    "reward.stakingupdateinterval": reward.stakingUpdateInterval,
    "reward.useginicoeff": reward.useGiniCoeff,
  };
}

function kip71Parameters({ governance: { kip71 } }: ChainConfig): Readonly<Record<string, unknown>> {
  return {
    "kip71.basefeedenominator": jsonInteger(kip71.baseFeeDenominator),
    "kip71.gastarget": jsonInteger(kip71.gasTarget),
    "kip71.lowerboundbasefee": jsonInteger(kip71.lowerBoundBaseFee),
    "kip71.maxblockgasusedforbasefee": jsonInteger(kip71.maxBlockGasUsedForBaseFee),
    "kip71.upperboundbasefee": jsonInteger(kip71.upperBoundBaseFee),
  };
}

function contractParameters(config: ChainConfig): Readonly<Record<string, unknown>> {
  const { govParamContract, reward } = config.governance;
  return {
    "governance.deriveshaimpl": config.deriveShaImpl,
    ...(govParamContract.every((byte) => byte === 0)
      ? {}
      : { "governance.govparamcontract": addressText(govParamContract) }),
    ...(config.given.kip82Ratio ? { "reward.kip82ratio": reward.kip82Ratio } : {}),
  };
}

function flexParameters({ given, governance: { reward } }: ChainConfig): Readonly<Record<string, unknown>> {
  return {
    ...(given.stakingRewardThreshold
      ? { "reward.stakingrewardthreshold": reward.stakingRewardThreshold.toString() }
      : {}),
    ...(reward.useFlexReward ? { "reward.useflexreward": true } : {}),
  };
}
