/** `governance`: what was decided, and what it pays (rpc.md 2.10). */
import { addressText } from "../bytes/hex.ts";
import { blockNumber } from "../calls/arguments/block-number.ts";
import { jsonInteger } from "../config/exact-json.ts";
import type { Governance } from "../governance/governance.ts";
import { valueJson, valuesJson } from "../governance/governance-data.ts";
import type { ParameterValues } from "../governance/parameter-rows.ts";
import { configuredValues, valuesOf } from "../governance/parameters.ts";
import { optional } from "../jsonrpc/codec.ts";
import { address } from "../jsonrpc/codecs/hex.ts";
import { integer, plain } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { sortKeys } from "../jsonrpc/json-text.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, nullableSchema, objectSchema } from "../jsonrpc/schemas.ts";
import { accumulatedRewards } from "../presenters/rewards.ts";
import { numberOf } from "./chain-governance.ts";
import {
  type CastVote,
  type GovernanceVoteParts,
  governanceVoteMethods,
  voteView,
} from "./governance-votes.ts";

const list = plain<readonly unknown[]>("list", arraySchema({}));

/** The methods of `governance` that are not also the chain's. */
export function governanceMethods(parts: GovernanceVoteParts): Method[] {
  return [
    ...governanceVoteMethods(parts),
    ...decisionMethods(parts),
    ...rewardMethods(parts),
    ...ballotMethods(parts),
  ];
}

function decisionMethods(parts: GovernanceVoteParts): Method[] {
  const { governance } = parts;
  const numbers = (): readonly number[] => [
    ...new Set([0, ...governance.headerHistory.decisions.map(({ number }) => number)]),
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
      result: plain<object | null>("parameters by name", nullableSchema(objectSchema("parameters by name"))),
      handle: ({ number }) => {
        if (number === undefined) return null;
        const wanted = numberOf(parts, number);
        const found = governance.headerHistory.decisions.find((each) => each.number === wanted);
        return found === undefined ? null : valuesJson(governance.headerHistory.decidedValues(wanted));
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
        valuesJson(governance.contractValues(numberOf(parts, number), contract)),
    }),
  ];
}

function statusView(parts: GovernanceVoteParts): object {
  const { chain, governance, address: own } = parts;
  const { votes, decisions, decidedValues } = governance.headerHistory;
  const epoch = chain.config.istanbul.epoch || Number.POSITIVE_INFINITY;
  const epochs = Map.groupBy(votes, ({ number }) => Math.floor(number / epoch));
  const configured = configuredValues(chain.config);
  const history = decisions.map(({ number }) => {
    return [
      number,
      historyView(valuesOf(configured, decidedValues.call(governance.headerHistory, number))),
    ] as const;
  });
  return {
    groupedVotes: Object.fromEntries([...epochs].map(([each, cast]) => [each, groupView(cast)])),
    governances: Object.fromEntries(decisions.map(({ number, value: what }) => [number, valuesJson(what)])),
    govHistory: Object.fromEntries(history),
    nodeAddress: addressText(own),
    myVotes: parts.ballots.list().map(voteView),
  };
}

function groupView(votes: readonly CastVote[]): object {
  return Object.fromEntries(votes.map(({ number, value: what }) => [number, voteView(what)]));
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

function rewardMethods(parts: GovernanceVoteParts): Method[] {
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
function ballotMethods({ chain, governance }: GovernanceVoteParts): Method[] {
  const count = integer("uint64", 0, Number.MAX_SAFE_INTEGER);
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
      params: {},
      result: plain<readonly object[]>("votes", arraySchema(objectSchema("vote"))),
      handle: () => [],
    }),
    method({
      name: "governance_pendingChanges",
      summary: "Changes that the next governance header brings.",
      params: {},
      result: plain<object>("votes"),
      handle: () => pendingView(chain.head().header.number + 1, governance),
    }),
  ];
}

const BALLOTS = "Votes weigh nothing in the governance modes in use: always an error.";

/** What has been voted for since the last governance header. */
function pendingView(next: number, governance: Governance): object {
  const { epoch } = governance.parameters(next);
  const since = next - 1 - ((next - 1) % (epoch || next));
  const rows = governance.headerHistory.votes.filter(({ number }) => number >= since);
  return sortKeys(
    Object.fromEntries(rows.map(({ value: { name, value } }) => [name, valueJson(name, value)])),
  );
}
