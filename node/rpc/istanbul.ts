/** `istanbul`: validators, round timeout, snapshots and candidates. */

import type { Hash } from "../bytes/brands.ts";
import { addressText } from "../bytes/hex.ts";
import { blockNumber } from "../calls/arguments/block-number.ts";
import { findHeadByHash } from "../calls/lookup.ts";
import { optional } from "../jsonrpc/codec.ts";
import { address, hash, listOf } from "../jsonrpc/codecs/hex.ts";
import { boolean, integer, nothing, plain } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { sortKeys } from "../jsonrpc/json-text.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { mapSchema } from "../jsonrpc/schemas.ts";
import { reportedDemoted, reportedQualified } from "../presenters/councils.ts";
import { validatorSnapshotSchema } from "../presenters/governance-schemas.ts";
import type { GovernanceMethodDeps } from "../presenters/parameters.ts";
import { snapshotJson } from "../presenters/validator-snapshot.ts";
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
  const numberOfHash = (wanted: Hash) => {
    const block = findHeadByHash(deps.chain, wanted);
    if (block === undefined) throw failure("unknown block");
    return block.header.number;
  };
  return [
    method({
      name: "istanbul_getValidators",
      summary: "Returns the qualified validators at a block.",
      params: at,
      result: addresses,
      handle: ({ number }) => reportedQualified(deps, councilNumber(deps, number)),
    }),
    method({
      name: "istanbul_getValidatorsAtHash",
      summary: "Returns the qualified validators at a block, by block hash.",
      params: { hash },
      result: addresses,
      handle: (args) => reportedQualified(deps, numberOfHash(args.hash)),
    }),
    method({
      name: "istanbul_getDemotedValidators",
      summary: "Returns the demoted validators at a block, whose stake is too low.",
      params: at,
      result: addresses,
      handle: ({ number }) => reportedDemoted(deps, councilNumber(deps, number)),
    }),
    method({
      name: "istanbul_getDemoteValidators",
      summary: "Returns the demoted validators at a block, under Klaytn's name of the method.",
      params: at,
      result: addresses,
      handle: ({ number }) => reportedDemoted(deps, councilNumber(deps, number)),
    }),
    method({
      name: "istanbul_getDemotedValidatorsAtHash",
      summary: "Returns the demoted validators at a block, by block hash.",
      params: { hash },
      result: addresses,
      handle: (args) => reportedDemoted(deps, numberOfHash(args.hash)),
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

function snapshotMethods(deps: GovernanceMethodDeps): Method[] {
  const { chain } = deps;
  const result = plain<object>("snapshot", validatorSnapshotSchema);
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
      result: plain<object>("candidates", mapSchema("wanted by address", boolean.schema)),
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

const MAX_CANDIDATES = 1_024;
