/** `governance`: what was voted and decided, and this node's own votes (rpc.md 2.10). */
import { addressText, toHex } from "../../bytes/hex.ts";
import { jsonInteger } from "../../config/exact-json.ts";
import type { Governance } from "../../governance/governance.ts";
import type { ParameterValues } from "../../governance/parameter-rows.ts";
import { configuredValues, valuesOf } from "../../governance/parameters.ts";
import { optional } from "../codec.ts";
import { type BlockNumber, blockNumber } from "../codecs/block-number.ts";
import { address, anything } from "../codecs/hex.ts";
import { integer, plain, text } from "../codecs/plain.ts";
import { failure } from "../errors.ts";
import { type Method, method } from "../method.ts";
import { type GoverningParts, valuesView, valueView } from "../views/parameters.ts";
import { accumulatedRewards } from "../views/rewards.ts";
import { sorted } from "../views/sorted.ts";
import { numberOf } from "./chain-governance.ts";

/** What these methods read. */
export interface GovernanceMethodParts extends GoverningParts {
  /** The node's own address. */
  readonly address: Uint8Array;
}

const at = { number: optional(blockNumber, "latest" as const) };
const list = plain<readonly unknown[]>("list");
type Vote = Governance["said"]["votes"][number];

/** The methods of `governance` that are not also the chain's. */
export function governanceMethods(parts: GovernanceMethodParts): Method[] {
  return [...voteMethods(parts), ...decisionMethods(parts), ...rewardMethods(parts), ...ballotMethods(parts)];
}

function voteMethods(parts: GovernanceMethodParts): Method[] {
  const { address: own } = parts;
  const mine = (): readonly object[] =>
    votesOf(parts, "latest")
      .filter(({ what }) => toHex(what.voter) === toHex(own))
      .map(({ number, what: { name, value } }) => ({
        BlockNum: number,
        Casted: true,
        Key: name,
        Value: valueView(name, value),
      }));
  return [
    method({
      name: "governance_nodeAddress",
      summary: "The node's own address, under which it votes.",
      params: {},
      result: address,
      handle: () => own,
    }),
    method({
      name: "governance_votes",
      summary: "The votes for parameters that blocks of an epoch carry.",
      params: parts.profile.line.lacks.has("governance_status") ? {} : at,
      result: list,
      handle: (args: { number?: BlockNumber }) =>
        votesOf(parts, args.number ?? "latest").map(({ number, what: { name, value } }) => ({
          BlockNum: number,
          Key: name,
          Value: valueView(name, value),
        })),
    }),
    method({
      name: "governance_myVotes",
      summary: "The same, of this node alone.",
      params: {},
      result: list,
      handle: mine,
    }),
    method({
      name: "governance_vote",
      summary: "Votes for a parameter's value; a validator's next block would carry it.",
      params: { name: text, value: anything },
      result: text,
      privilege: "keys",
      handle: () => {
        throw failure(noVote(parts));
      },
    }),
  ];
}

/** Only the sealer of a block could put a vote into it. */
function noVote({ chain, governance, address: own, profile }: GovernanceMethodParts): string {
  const isValidator = governance.validators(chain.head().header.number + 1).inCouncil(own);
  return isValidator ? "votes are not carried by this release" : profile.line.words.noVoteRight;
}

/** The votes of the epoch that a block is in. */
function votesOf(parts: GovernanceMethodParts, number: BlockNumber): readonly Vote[] {
  const wanted = numberOf(parts, number);
  const epoch = parts.chain.config.istanbul.epoch || Number.POSITIVE_INFINITY;
  return parts.governance.said.votes.filter(
    (vote) => Math.floor(vote.number / epoch) === Math.floor(wanted / epoch),
  );
}

function decisionMethods(parts: GovernanceMethodParts): Method[] {
  const { governance } = parts;
  const numbers = (): readonly number[] => [
    ...new Set([0, ...governance.said.decisions.map(({ number }) => number)]),
  ];
  return [
    method({
      name: "governance_idxCache",
      aliases: ["governance_idxCacheFromDb"],
      summary: "The blocks that carry governance data, block 0 with them.",
      params: {},
      result: list,
      handle: numbers,
    }),
    method({
      name: "governance_itemCacheFromDb",
      summary: "The governance data that a block carries; null for none.",
      params: { number: optional(blockNumber) },
      result: plain<object | null>("parameters by name"),
      handle: ({ number }) => {
        if (number === undefined) return null;
        const wanted = numberOf(parts, number);
        const found = governance.said.decisions.find((each) => each.number === wanted);
        return found === undefined ? null : valuesView(governance.said.decidedValues(wanted));
      },
    }),
    method({
      name: "governance_status",
      summary: "All votes and decisions that blocks carry, and what followed from them.",
      params: {},
      result: plain<object>("votes and decisions"),
      handle: () => statusView(parts),
    }),
    method({
      name: "governance_getContractParams",
      summary: "The parameters that the governance contract, or another one in its place, sets for a block.",
      params: { number: blockNumber, contract: optional(address) },
      result: plain<object>("parameters by name"),
      handle: ({ number, contract }) =>
        valuesView(governance.contractValues(numberOf(parts, number), contract)),
    }),
  ];
}

function statusView(parts: GovernanceMethodParts): object {
  const { chain, governance, address: own } = parts;
  const { votes, decisions, decidedValues } = governance.said;
  const epoch = chain.config.istanbul.epoch || Number.POSITIVE_INFINITY;
  const epochs = Map.groupBy(votes, ({ number }) => Math.floor(number / epoch));
  const configured = configuredValues(chain.config);
  const history = decisions.map(({ number }) => {
    return [number, historyView(valuesOf(configured, decidedValues.call(governance.said, number)))] as const;
  });
  return {
    groupedVotes: Object.fromEntries([...epochs].map(([each, cast]) => [each, groupView(cast)])),
    governances: Object.fromEntries(decisions.map(({ number, what }) => [number, valuesView(what)])),
    govHistory: Object.fromEntries(history),
    nodeAddress: addressText(own),
    myVotes: [],
  };
}

function groupView(votes: readonly Vote[]): object {
  return Object.fromEntries(
    votes.map(({ number, what: { voter, name, value } }) => [
      number,
      { Voter: toHex(voter), Name: name, Value: typeof value === "bigint" ? jsonInteger(value) : value },
    ]),
  );
}

/** Members of the Go node's own structure, and the parameters in them. */
const HISTORY: Readonly<Record<string, string>> = {
  GovernanceMode: "governance.governancemode",
  GoverningNode: "governance.governingnode",
  GovParamContract: "governance.govparamcontract",
  CommitteeSize: "istanbul.committeesize",
  ProposerPolicy: "istanbul.policy",
  Epoch: "istanbul.epoch",
  Ratio: "reward.ratio",
  Kip82Ratio: "reward.kip82ratio",
  StakingUpdateInterval: "reward.stakingupdateinterval",
  ProposerUpdateInterval: "reward.proposerupdateinterval",
  MintingAmount: "reward.mintingamount",
  MinimumStake: "reward.minimumstake",
  UseGiniCoeff: "reward.useginicoeff",
  DeferredTxFee: "reward.deferredtxfee",
  LowerBoundBaseFee: "kip71.lowerboundbasefee",
  UpperBoundBaseFee: "kip71.upperboundbasefee",
  GasTarget: "kip71.gastarget",
  MaxBlockGasUsedForBaseFee: "kip71.maxblockgasusedforbasefee",
  BaseFeeDenominator: "kip71.basefeedenominator",
  DeriveShaImpl: "governance.deriveshaimpl",
  UnitPrice: "governance.unitprice",
};

function historyView(values: ParameterValues): object {
  const members = Object.entries(HISTORY).map(([member, name]) => {
    const value = values.get(name);
    return [member, typeof value === "bigint" ? jsonInteger(value) : value];
  });
  return Object.fromEntries(members);
}

function rewardMethods(parts: GovernanceMethodParts): Method[] {
  return [
    method({
      name: "governance_getRewardsAccumulated",
      summary: "What the blocks of a range paid together, in peb; up to 604,800 blocks.",
      params: { first: blockNumber, last: blockNumber },
      result: plain<object>("rewards"),
      handle: ({ first, last }) => {
        const range = { first: numberOf(parts, first), last: numberOf(parts, last) };
        return accumulatedRewards(parts, range);
      },
    }),
  ];
}

function power(): number {
  throw failure("In current governance mode, voting power is not available");
}

/** Governance by ballots, in which votes weigh what their voters have staked, is none of the modes in use. */
function ballotMethods({ chain, governance }: GovernanceMethodParts): Method[] {
  const count = integer("uint64", 0, Number.MAX_SAFE_INTEGER);
  const empty = { params: {}, result: plain<object>("votes") };
  return [
    method({
      name: "governance_totalVotingPower",
      summary: BALLOTS,
      params: {},
      result: count,
      handle: power,
    }),
    method({ name: "governance_myVotingPower", summary: BALLOTS, params: {}, result: count, handle: power }),
    method({
      name: "governance_showTally",
      summary: "How votes that wait for more of their kind stand: none do.",
      ...empty,
      handle: () => [],
    }),
    method({
      name: "governance_pendingChanges",
      summary: "Changes that the next governance header brings.",
      ...empty,
      handle: () => pendingView(chain.head().header.number + 1, governance),
    }),
  ];
}

const BALLOTS = "Votes weigh nothing in the governance modes in use: always an error.";

/** What has been voted for since the last governance header. */
function pendingView(next: number, governance: Governance): object {
  const { epoch } = governance.parameters(next);
  const since = next - 1 - ((next - 1) % (epoch || next));
  const rows = governance.said.votes.filter(({ number }) => number >= since);
  return sorted(Object.fromEntries(rows.map(({ what: { name, value } }) => [name, valueView(name, value)])));
}
