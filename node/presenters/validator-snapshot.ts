/**
 * Validators after a block, as the Klaytn line reports them (`consensus/istanbul/backend/snapshot.go@v1.12.1`): their
 * votes of the epoch, their weights, the order of proposers and the seed of committees.
 */
import type { Address } from "../bytes/brands.ts";
import { compareBytes, equalBytes } from "../bytes/compare.ts";
import { toHex } from "../bytes/hex.ts";
import type { BlockHead } from "../chain/chain.ts";
import { valueJson } from "../governance/governance-data.ts";
import { proposerWeights } from "../governance/proposers.ts";
import type { ValidatorSet } from "../governance/validators.ts";
import { type Vote, voteName } from "../governance/vote.ts";
import { goJson } from "../jsonrpc/json-text.ts";
import { demotedOf } from "./councils.ts";
import type { GovernanceMethodDeps } from "./parameters.ts";

/** Voting power of every validator: votes are not weighted. */
const VOTING_POWER = 1_000;
const ZERO_ADDRESS: Address = new Uint8Array(20);
const ZERO_MIX_HASH = new Uint8Array(32);

/** Formats the validators after a block. */
export function snapshotJson(deps: GovernanceMethodDeps, { header, hash: own }: BlockHead): object {
  const { chain, governance } = deps;
  const { number, mixHash } = header;
  const next = number + 1;
  const set = governance.validators(next);
  const { policy, epoch, committeeSize } = governance.parameters(next);
  const isWeighted = policy === "weighted";
  const validators = isWeighted ? set.qualified : set.qualified.toSorted(compareBytes);
  const { randao } = chain.rules(number);
  const seed = randao ? mixHash : chain.rules(next).randao ? ZERO_MIX_HASH : undefined;
  return {
    epoch,
    number,
    hash: toHex(own),
    ...ballotsJson(deps, number, epoch),
    validators: validators.map(toHex),
    policy: chain.config.istanbul.policy,
    subgroupsize: committeeSize,
    ...(isWeighted ? weighedJson(deps, set, next) : UNWEIGHED),
    ...(isWeighted && seed !== undefined ? { mixHash: Buffer.from(seed).toString("base64") } : {}),
  };
}

/** Weights under the proposer policies that have none. */
const UNWEIGHED = {
  rewardAddrs: null,
  votingPower: null,
  weight: null,
  proposers: null,
  proposersBlockNum: 0,
  demotedValidators: null,
};

/** Weights are set with the first drawn proposers, and are 0 before and since Kore. */
function weighedJson({ chain, governance }: GovernanceMethodDeps, set: ValidatorSet, next: number): object {
  const { nodes } = governance.staking(next);
  const { list, since } = governance.klaytnSelection(next);
  const weights = { staking: governance.staking(since), useGini: governance.parameters(since + 1).useGini };
  const reward = (validator: Address): string =>
    toHex(nodes.find(({ node }) => equalBytes(node, validator))?.reward ?? ZERO_ADDRESS);
  return {
    rewardAddrs: set.qualified.map(reward),
    votingPower: set.qualified.map(() => VOTING_POWER),
    weight:
      since === 0 || chain.rules(since + 1).drawsProposersEvenly
        ? set.qualified.map(() => 0)
        : proposerWeights(set.qualified, weights),
    proposers: list.map(toHex),
    proposersBlockNum: since,
    demotedValidators: demotedOf(set).map(toHex),
  };
}

/** A vote as a snapshot lists it. */
interface Ballot {
  readonly validator: string;
  readonly key: string;
  readonly value: unknown;
}

/** Formats the votes of the epoch up to block `number` and their sums. A vote replaces the voter's earlier one. */
function ballotsJson({ governance }: GovernanceMethodDeps, number: number, epoch: number): object {
  const start = number - (number % (epoch || number + 1));
  let votes: readonly Ballot[] = [];
  for (const { value: vote } of governance.headerHistory.allVotes(start, number + 1)) {
    const ballot = { validator: toHex(vote.voter), key: voteName(vote), value: ballotValue(vote) };
    const isEarlier = ({ validator, key }: Ballot): boolean =>
      validator === ballot.validator && key === ballot.key;
    votes = [...votes.filter((each) => !isEarlier(each)), ballot];
  }
  const sums = Map.groupBy(votes, ({ key, value }) => goJson([key, value]));
  const tally = [...sums.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [{ key: first.key, value: first.value, votes: VOTING_POWER * (1 + others.length) }],
  );
  return { votes, tally };
}

function ballotValue(vote: Vote): unknown {
  if (vote.kind === "parameter") return valueJson(vote.value);
  const [first, ...others] = vote.addresses.map(toHex);
  return others.length === 0 ? first : [first, ...others];
}
