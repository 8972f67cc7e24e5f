/** Block rewards as JSON: of one block and accumulated over a range. */
import type { Address } from "../bytes/brands.ts";
import { addressText } from "../bytes/hex.ts";
import { jsonInteger } from "../config/exact-json.ts";
import { type BlockReward, feesOf, reportedReward } from "../execution/reward.ts";
import { failure } from "../jsonrpc/errors.ts";
import { sortKeys } from "../jsonrpc/json-text.ts";
import type { CallOrigin } from "../jsonrpc/method.ts";
import type { Block } from "../model/block.ts";
import type { GovernanceMethodDeps } from "./parameters.ts";
import { writeInSlices } from "./slices.ts";
import { paidPrice } from "./transaction.ts";

const ZERO_ADDRESS: Address = new Uint8Array(20);
/** Maximum number of blocks of one accumulation, as in the Go node's `governance_getRewardsAccumulated`. */
const MAX_BLOCKS = 604_800;

/** Computes the reward of a block and its recipients. Throws the errors of `Governance.staking`. */
export function rewardOf({ chain, governance }: GovernanceMethodDeps, block: Block): BlockReward {
  const { header, transactions } = block;
  const { number, gasUsed, baseFee, rewardbase } = header;
  const rules = chain.rules(number);
  const parameters = chain.parameters(number);
  const receipts = transactions.length === 0 ? [] : (chain.receipts(number) ?? []);
  const paid = transactions.reduce((sum, tx, i) => {
    return sum + (receipts[i]?.gasUsed ?? 0n) * paidPrice(chain, tx, block);
  }, 0n);
  const totalFee = feesOf({ gasUsed, paid, baseFee }, rules, parameters);
  const staking = governance.staking(number);
  const author = number === 0 ? ZERO_ADDRESS : (chain.author(header) ?? ZERO_ADDRESS);
  return reportedReward({ totalFee, rules, parameters, staking, rewardbase }, author);
}

/** Formats the reward of a block. */
export function rewardJson(deps: GovernanceMethodDeps, block: Block): object {
  const { minted, totalFee, burnt, proposer, stakers, kif, kef, kpf, credits } = rewardOf(deps, block);
  return {
    minted: jsonInteger(minted),
    totalFee: jsonInteger(totalFee),
    burntFee: jsonInteger(burnt),
    proposer: jsonInteger(proposer),
    stakers: jsonInteger(stakers),
    kif: jsonInteger(kif),
    kef: jsonInteger(kef),
    kpf: jsonInteger(kpf),
    rewards: sortKeys(
      Object.fromEntries(credits.map(({ address, amount }) => [addressText(address), jsonInteger(amount)])),
    ),
  };
}

const NOTHING = { minted: 0n, totalFee: 0n, burnt: 0n, proposer: 0n, stakers: 0n, kif: 0n, kef: 0n, kpf: 0n };
type Sums = { -readonly [K in keyof typeof NOTHING]: bigint };

/**
 * Formats the sum of the rewards of blocks `first` to `last`. Throws `RpcError` for an invalid or too long
 * range.
 */
export async function accumulatedRewards(
  deps: GovernanceMethodDeps,
  { first, last }: { readonly first: number; readonly last: number },
  origin: CallOrigin,
): Promise<object> {
  const { chain } = deps;
  if (first > last || last > chain.head().header.number) throw failure("invalid block number range");
  if (last - first + 1 > MAX_BLOCKS) throw failure("exceeds block number range limit");
  const sums: Sums = { ...NOTHING };
  const credited = new Map<string, bigint>();
  const add = (index: number): string => {
    const reward = rewardOf(deps, blockAt(deps, first + index));
    for (const name of Object.keys(NOTHING) as (keyof Sums)[]) sums[name] += reward[name];
    for (const { address, amount } of reward.credits) {
      const name = addressText(address);
      credited.set(name, (credited.get(name) ?? 0n) + amount);
    }
    return "";
  };
  await writeInSlices(last - first + 1, add, () => undefined, origin);
  return accumulatedJson(deps, { first, last }, { sums, credited });
}

function accumulatedJson(
  deps: GovernanceMethodDeps,
  { first, last }: { readonly first: number; readonly last: number },
  { sums, credited }: { readonly sums: Sums; readonly credited: ReadonlyMap<string, bigint> },
): object {
  const time = (number: number): number => deps.chain.header(number)?.header.time ?? 0; // the block was just read
  return {
    firstBlockTime: time(first),
    lastBlockTime: time(last),
    firstBlock: first,
    lastBlock: last,
    totalMinted: jsonInteger(sums.minted),
    totalTxFee: jsonInteger(sums.totalFee),
    totalBurntTxFee: jsonInteger(sums.burnt),
    totalProposerRewards: jsonInteger(sums.proposer),
    totalStakingRewards: jsonInteger(sums.stakers),
    totalKIFRewards: jsonInteger(sums.kif),
    totalKEFRewards: jsonInteger(sums.kef),
    totalKPFRewards: jsonInteger(sums.kpf),
    rewards: sortKeys(Object.fromEntries([...credited].map(([name, amount]) => [name, jsonInteger(amount)]))),
  };
}

function blockAt({ chain }: GovernanceMethodDeps, number: number): Block {
  const block = chain.block(number);
  if (block === undefined) throw failure("block not found");
  return block;
}
