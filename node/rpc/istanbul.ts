/** `istanbul`: validators, round timeout, snapshots and candidates. */

import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { addressText, toHex } from "../bytes/hex.ts";
import { type BlockNumber, blockNumber } from "../calls/arguments/block-number.ts";
import { findHeadByHash } from "../calls/lookup.ts";
import type { BlockHead } from "../chain/chain.ts";
import { proposerWeights } from "../governance/proposers.ts";
import type { ValidatorSet } from "../governance/validators.ts";
import { optional } from "../jsonrpc/codec.ts";
import { address, hash, listOf } from "../jsonrpc/codecs/hex.ts";
import { boolean, integer, nothing, plain } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { sortKeys } from "../jsonrpc/json-text.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import type { GovernanceMethodDeps } from "../presenters/parameters.ts";
import { councilNumber } from "./chain-consensus.ts";

const at = { number: optional(blockNumber, "latest" as const) };
const addresses = listOf(address, "[]common.Address");
/** Timeout of round 0 in milliseconds, the default of the Go node's `istanbul.timeout`. */
const ROUND_TIMEOUT_MS = 10_000;

/** The methods of `istanbul`. */
export function istanbulMethods(deps: GovernanceMethodDeps): Method[] {
  return [...validatorMethods(deps), ...snapshotMethods(deps), ...candidateMethods()];
}

function validatorMethods(deps: GovernanceMethodDeps): Method[] {
  const { chain, governance } = deps;
  const validators = (number: BlockNumber) => governance.validators(councilNumber(deps, number));
  const ofHash = (wanted: Uint8Array) => {
    const block = findHeadByHash(chain, wanted);
    if (block === undefined) throw failure("unknown block");
    return governance.validators(block.header.number);
  };
  return [
    method({
      name: "istanbul_getValidators",
      summary: "Returns the qualified validators at a block.",
      params: at,
      result: addresses,
      handle: ({ number }) => validators(number).qualified,
    }),
    method({
      name: "istanbul_getValidatorsAtHash",
      summary: "Returns the qualified validators at a block, by block hash.",
      params: { hash },
      result: addresses,
      handle: (args) => ofHash(args.hash).qualified,
    }),
    method({
      name: "istanbul_getDemotedValidators",
      summary: "Returns the demoted validators at a block, whose stake is too low.",
      params: at,
      result: addresses,
      handle: ({ number }) => demotedOf(validators(number)),
    }),
    method({
      name: "istanbul_getDemotedValidatorsAtHash",
      summary: "Returns the demoted validators at a block, by block hash.",
      params: { hash },
      result: addresses,
      handle: (args) => demotedOf(ofHash(args.hash)),
    }),
    method({
      name: "istanbul_getTimeout",
      summary: "Returns the timeout of the first round, in milliseconds.",
      params: {},
      result: integer("uint64", 0, Number.MAX_SAFE_INTEGER),
      handle: () => ROUND_TIMEOUT_MS,
    }),
  ];
}

function demotedOf(set: ValidatorSet): readonly Uint8Array[] {
  return set.council.filter((each) => !set.isQualified(each));
}

function snapshotMethods(deps: GovernanceMethodDeps): Method[] {
  const { chain } = deps;
  const result = plain<object>("snapshot");
  return [
    method({
      name: "istanbul_getSnapshot",
      summary: "Returns the validators after a block and the order of proposers.",
      params: at,
      result,
      handle: ({ number }) => {
        const block = chain.header(councilNumber(deps, number));
        if (block === undefined) throw failure("unknown block");
        return snapshotJson(deps, block);
      },
    }),
    method({
      name: "istanbul_getSnapshotAtHash",
      summary: "Returns the validators after a block and the order of proposers, by block hash.",
      params: { hash },
      result,
      handle: (args) => {
        const block = findHeadByHash(chain, args.hash);
        if (block === undefined) throw failure("unknown block");
        return snapshotJson(deps, block);
      },
    }),
  ];
}

/** Voting power of every validator: votes are not weighted. */
const VOTING_POWER = 1_000;

function snapshotJson(deps: GovernanceMethodDeps, { header, hash: own }: BlockHead): object {
  const { chain, governance } = deps;
  const next = header.number + 1;
  const set = governance.validators(next);
  const { policy, epoch, committeeSize } = governance.parameters(next);
  return {
    epoch,
    number: header.number,
    hash: toHex(own),
    votes: [],
    tally: [],
    validators: set.qualified.map(toHex),
    policy: chain.config.istanbul.policy,
    subgroupsize: committeeSize,
    ...(policy === "weighted" ? weighedJson(deps, set, next) : UNWEIGHED),
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

function weighedJson({ chain, governance }: GovernanceMethodDeps, set: ValidatorSet, next: number): object {
  const { nodes } = governance.staking(next);
  const { list, since } = governance.proposerList(next);
  const weights = { staking: governance.staking(since), useGini: governance.parameters(since + 1).useGini };
  const reward = (validator: Address): string =>
    toHex(nodes.find(({ node }) => equalBytes(node, validator))?.reward ?? ZERO_ADDRESS);
  return {
    rewardAddrs: set.qualified.map(reward),
    votingPower: set.qualified.map(() => VOTING_POWER),
    weight: chain.rules(since + 1).drawsProposersEvenly
      ? set.qualified.map(() => 0)
      : proposerWeights(set.qualified, weights),
    proposers: list.map(toHex),
    proposersBlockNum: since,
    demotedValidators: demotedOf(set).map(toHex),
  };
}

/**
 * The methods about the operator's candidates. As in the Go node they have no effect; validators change by
 * governance votes.
 */
function candidateMethods(): Method[] {
  const candidates = new Map<string, boolean>();
  return [
    method({
      name: "istanbul_candidates",
      summary:
        "Returns the operator's candidates, with true for a proposed and false for a rejected validator.",
      params: {},
      result: plain<object>("candidates"),
      handle: () => sortKeys(Object.fromEntries(candidates)),
    }),
    method({
      name: "istanbul_propose",
      summary: "Records a candidate without effect. Validators change by `governance_vote`.",
      params: { address, isValidator: boolean },
      result: nothing,
      privilege: "keys",
      handle: (args) => {
        const name = addressText(args.address);
        if (!candidates.has(name) && candidates.size >= MAX_CANDIDATES) throw failure("too many candidates");
        candidates.set(name, args.isValidator);
      },
    }),
    method({
      name: "istanbul_discard",
      summary: "Deletes a candidate.",
      params: { address },
      result: nothing,
      privilege: "keys",
      handle: (args) => {
        candidates.delete(addressText(args.address));
      },
    }),
  ];
}

const ZERO_ADDRESS: Address = new Uint8Array(20);
const MAX_CANDIDATES = 1_024;
