/** `governance`: governance headers, history and accumulated rewards. */
import { addressText } from "../bytes/hex.ts";
import { blockNumber, resolveNumber } from "../calls/arguments/block-number.ts";
import type { Governance } from "../governance/governance.ts";
import { numericJson, valueJson, valuesJson } from "../governance/governance-data.ts";
import { PARAMETERS, type ParameterValues } from "../governance/parameter-rows.ts";
import { valuesOf } from "../governance/parameters.ts";
import { optional } from "../jsonrpc/codec.ts";
import { address } from "../jsonrpc/codecs/hex.ts";
import { integer, plain, writtenAs } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { goJson, sortedMembers, sortKeys } from "../jsonrpc/json-text.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import {
  arraySchema,
  mapSchema,
  namedSchema,
  nullableSchema,
  plainSchemas,
  recordSchema,
  type Schema,
} from "../jsonrpc/schemas.ts";
import {
  accumulatedRewardSchema,
  PARAMETER_KINDS,
  parametersSchema,
  voteSchema,
} from "../presenters/governance-schemas.ts";
import { accumulatedRewards } from "../presenters/rewards.ts";
import { numberOf } from "./chain-governance.ts";
import {
  type CastVote,
  type GovernanceVoteDeps,
  governanceVoteMethods,
  voteJson,
} from "./governance-votes.ts";

const { integer: integerSchema } = plainSchemas;
const statusSchema = namedSchema("governanceStatus", () =>
  recordSchema({
    groupedVotes: mapSchema("votes by epoch", mapSchema("vote by block", voteSchema)),
    governances: mapSchema("parameters by block", parametersSchema),
    govHistory: mapSchema("parameters by block", historySchema()),
    nodeAddress: address.schema,
    myVotes: arraySchema(voteSchema),
  }),
);

/** Values of parameters, or null. */
export const parametersOrNull = plain<object | null>(
  "parameters by name or null",
  nullableSchema(parametersSchema),
);

/** The methods that only `governance` has. */
export function governanceMethods(deps: GovernanceVoteDeps): Method[] {
  return [
    ...governanceVoteMethods(deps),
    ...decisionMethods(deps),
    ...rewardMethods(deps),
    ...ballotMethods(deps),
  ];
}

function decisionMethods(deps: GovernanceVoteDeps): Method[] {
  const { governance } = deps;
  const numbers = (): readonly number[] => [
    ...new Set([0, ...governance.headerHistory.decisions.map(({ number }) => number)]),
  ];
  return [
    method({
      name: "governance_idxCache",
      aliases: ["governance_idxCacheFromDb"],
      summary: "Returns the numbers of the blocks with governance data, including block 0.",
      params: {},
      result: plain<readonly number[]>("list", arraySchema(integerSchema)),
      handle: numbers,
    }),
    method({
      name: "governance_itemCacheFromDb",
      summary: "Returns the governance data of a block; null without any.",
      params: { number: optional(blockNumber) },
      result: parametersOrNull,
      handle: ({ number }) => {
        if (number === undefined) return null;
        const wanted = numberOf(deps, number);
        const found = governance.headerHistory.decisions.find((each) => each.number === wanted);
        return found === undefined ? null : valuesJson(governance.headerHistory.decidedValues(wanted));
      },
    }),
    method({
      name: "governance_status",
      summary:
        "Returns all governance votes and decisions in blocks, and the resulting history of the parameters.",
      params: {},
      result: writtenAs("votes and decisions", statusSchema),
      handle: () => statusJson(deps),
    }),
  ];
}

/** Writes members by block number in the order of Go's maps: numbers are sorted as texts, which no JS object keeps. */
function statusJson(deps: GovernanceVoteDeps): string {
  const { chain, governance, address: own } = deps;
  const { votes, decisions, decidedValues } = governance.headerHistory;
  const epoch = chain.config.istanbul.epoch || Number.POSITIVE_INFINITY;
  const epochs = Map.groupBy(votes, ({ number }) => Math.floor(number / epoch));
  // of what no header decides the defaults count here, not the configuration (`kaiax/gov/headergov/history.go@v2.2.2`)
  const history = decisions.map(({ number }) => {
    return memberAt(number, historyJson(valuesOf(decidedValues.call(governance.headerHistory, number))));
  });
  const groups = [...epochs].map(([each, cast]) => [String(each), groupJson(cast)] as const);
  const decided = decisions.map(({ number, value }) => memberAt(number, valuesJson(value)));
  const members = [
    `"groupedVotes":${sortedMembers(groups)}`,
    `"governances":${sortedMembers(decided)}`,
    `"govHistory":${sortedMembers(history)}`,
    `"nodeAddress":${goJson(addressText(own))}`,
    `"myVotes":${goJson(deps.ballots.list().map(voteJson))}`,
  ];
  return `{${members.join(",")}}`;
}

function groupJson(votes: readonly CastVote[]): string {
  return sortedMembers(votes.map(({ number, value: vote }) => memberAt(number, voteJson(vote))));
}

function memberAt(number: number, value: object): readonly [string, string] {
  return [String(number), goJson(value)];
}

/** Parameters by their names in the Go node's history. */
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
  StakingRewardThreshold: "reward.stakingrewardthreshold",
  UseFlexReward: "reward.useflexreward",
  LowerBoundBaseFee: "kip71.lowerboundbasefee",
  UpperBoundBaseFee: "kip71.upperboundbasefee",
  GasTarget: "kip71.gastarget",
  MaxBlockGasUsedForBaseFee: "kip71.maxblockgasusedforbasefee",
  BaseFeeDenominator: "kip71.basefeedenominator",
  DeriveShaImpl: "governance.deriveshaimpl",
  UnitPrice: "governance.unitprice",
};

/** Returns the schema of a row of the history, whose amounts are numbers. */
function historySchema(): Schema {
  const kinds = { ...PARAMETER_KINDS, amount: integerSchema };
  const rows = Object.entries(HISTORY).flatMap(([member, name]) => {
    const row = PARAMETERS.get(name);
    return row === undefined ? [] : [[`${member}?`, kinds[row.kind]] as const];
  });
  return recordSchema(Object.fromEntries(rows));
}

function historyJson(values: ParameterValues): object {
  const members = Object.entries(HISTORY).map(([member, name]) => {
    return [member, numericJson(name, values.get(name))];
  });
  return Object.fromEntries(members);
}

function rewardMethods(deps: GovernanceVoteDeps): Method[] {
  return [
    method({
      name: "governance_getRewardsAccumulated",
      summary: "Returns the accumulated rewards of a range of up to 604,800 blocks, in peb.",
      params: { first: blockNumber, last: blockNumber },
      result: plain<object>("rewards", accumulatedRewardSchema),
      handle: ({ first, last }, origin) => {
        const head = deps.chain.head().header.number;
        const range = { first: resolveNumber(head, first), last: resolveNumber(head, last) };
        return accumulatedRewards(deps, range, origin);
      },
    }),
  ];
}

function power(): number {
  throw failure("In current governance mode, voting power is not available");
}

/** The methods of governance by ballots, in which votes are weighted by stake. No chain uses that mode. */
function ballotMethods({ chain, governance }: GovernanceVoteDeps): Method[] {
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
      summary: "Always returns an empty list: votes need no tally.",
      params: {},
      result: plain<readonly object[]>("votes", arraySchema(voteSchema)),
      handle: () => [],
    }),
    method({
      name: "governance_pendingChanges",
      summary: "Returns the parameter changes of the next governance header.",
      params: {},
      result: plain<object>("votes", parametersSchema),
      handle: () => pendingJson(chain.head().header.number + 1, governance),
    }),
  ];
}

const BALLOTS = "Always fails: votes have no weight in the governance modes in use.";

/** Returns the parameters voted for since the last governance header. */
function pendingJson(next: number, governance: Governance): object {
  const { epoch } = governance.parameters(next);
  const since = next - 1 - ((next - 1) % (epoch || next));
  const rows = governance.headerHistory.votes.filter(({ number }) => number >= since);
  return sortKeys(Object.fromEntries(rows.map(({ value: { name, value } }) => [name, valueJson(value)])));
}
