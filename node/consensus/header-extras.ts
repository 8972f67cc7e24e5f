/**
 * Header fields that a proposer adds by the block's rules: vote, governance data, randomness, blob gas and
 * the reward address.
 */
import type { Address } from "../bytes/brands.ts";
import { equalBytes, isZero } from "../bytes/compare.ts";
import { blobLimits } from "../config/blob-schedule.ts";
import type { ChainConfig } from "../config/chain-config.ts";
import { type Rules, rulesAt } from "../config/rules.ts";
import { loadBls } from "../crypto/bls.ts";
import { excessBlobGas } from "../execution/blob-gas.ts";
import type { Governance } from "../governance/governance.ts";
import { encodeGovernanceData } from "../governance/governance-data.ts";
import type { Header } from "../model/header.ts";
import { ConsensusError } from "./error.ts";
import type { HeaderExtras } from "./proposal.ts";
import { mixedHash, mixOf } from "./randomness.ts";
import { revealMessage } from "./reveals.ts";

/** Dependencies of the header fields. */
export interface HeaderExtrasDeps {
  readonly config: ChainConfig;
  readonly governance: Governance;
  readonly vote: () => Uint8Array;
  readonly address: Address;
  readonly blsKey: Uint8Array;
  readonly rewardbase: Address;
}

/**
 * Returns vote, governance data, randomness and blob gas of the block after `parent`, as its rules require.
 */
export async function headerExtras(
  deps: HeaderExtrasDeps,
  parent: Header,
  rules: Rules,
): Promise<HeaderExtras> {
  const { config, governance } = deps;
  const number = parent.number + 1;
  const decided = governance.expectedData(number);
  return {
    vote: deps.vote(),
    ...(decided !== undefined && decided.size > 0 ? { governance: encodeGovernanceData(decided) } : {}),
    ...(rules.randao ? await randomFields(deps, parent) : {}),
    ...(rules.blobGas ? { excessBlobGas: excessBlobGas(parent, blobLimits(config)), blobGasUsed: 0n } : {}),
  };
}

/**
 * Returns the random fields. Throws `ConsensusError` `unsupported` when the node's BLS key is not the
 * registered one, since no node would accept the block.
 */
async function randomFields(
  { config, governance, address, blsKey }: HeaderExtrasDeps,
  parent: Header,
): Promise<Pick<HeaderExtras, "randomReveal" | "mixHash">> {
  const number = parent.number + 1;
  const bls = await loadBls();
  const registered = governance.blsKey(number, address);
  if (registered === undefined || !equalBytes(registered.publicKey, bls.publicKeyOf(blsKey))) {
    throw new ConsensusError("unsupported", "the chain does not know this node's BLS key");
  }
  const randomReveal = bls.sign(blsKey, revealMessage(number));
  const mix = mixOf(parent, rulesAt(config, parent.number).randao);
  return { randomReveal, mixHash: mixedHash(mix, randomReveal) };
}

/**
 * Returns the reward address of the node's blocks: under the weighted policy the one of its staking entry.
 */
export function proposerRewardbase(deps: HeaderExtrasDeps, number: number): Address {
  const { governance, address, rewardbase } = deps;
  if (governance.parameters(number).policy !== "weighted") return rewardbase;
  const { nodes } = governance.staking(number);
  const own = nodes.find(({ node }) => equalBytes(node, address))?.reward;
  return own === undefined || isZero(own) ? rewardbase : own;
}
