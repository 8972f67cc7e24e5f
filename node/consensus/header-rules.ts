/**
 * Header rules against the parent, in the Go node's order (`consensus/istanbul/backend/engine.go@v2.2.2`), but for the
 * time of a sealed header, which comes last: a node waits for a block of the future, so a forged one must not pass for it.
 * Pure: clock, validators and parameters are passed in. A header that passes has a qualified author and a
 * quorum of committed seals.
 */

import type { Address, Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { bareHex, mapKey } from "../bytes/hex.ts";
import { nextBaseFee } from "../execution/base-fee.ts";
import { GovernanceError } from "../governance/error.ts";
import type { GovernanceParameters } from "../governance/parameters.ts";
import type { ValidatorSet } from "../governance/validators.ts";
import { blockHash, type Header } from "../model/header.ts";
import { type IstanbulExtra, parseExtra } from "../model/istanbul-extra.ts";
import { ConsensusError } from "./error.ts";
import { checkForkFields, type ForkFieldDeps } from "./fork-fields.ts";
import { recoverCommitters } from "./seal.ts";
import { authorOf, type HashedHeader, recoveredSealers } from "./sealers.ts";

/** Dependencies of the header rules. */
export interface HeaderDeps extends ForkFieldDeps {
  readonly parentHash: Hash;
  /** Parameters in force at the header's number. */
  readonly parameters: GovernanceParameters;
  readonly validators: ValidatorSet;
  /** Checks vote and governance data of a header of `author`. Throws `GovernanceError`. */
  readonly checkGovernance: (header: Header, author: Address) => void;
  /** Current time, in seconds since the epoch. */
  readonly now: number;
  /** True for a proposal, which need not have committed seals yet (`Verify`, `backend/backend.go@v2.2.2`). */
  readonly isProposal?: boolean | undefined;
}

/** Hash and author of a verified header. */
export interface VerifiedHeader {
  readonly hash: Hash;
  readonly author: Address;
}

/** Allowed clock drift of a header, in seconds. */
const ALLOWED_FUTURE_S = 1;
/** Committed seals above this number are rejected before recovery when they exceed the council. */
const MAX_RECOVERED_SEALS = 100;
/** Seconds between two blocks. */
const BLOCK_PERIOD_S = 1;

/** Checks every rule. Throws `ConsensusError`. */
export function verifyHeader(header: Header, deps: HeaderDeps): VerifiedHeader {
  checkBaseFee(header, deps);
  if (deps.isProposal === true) checkNotEarly(header, deps);
  const extra = readExtra(header);
  if (header.blockScore !== 1n) throw new ConsensusError("block-score", "invalid blockscore");
  checkAncestor(header, deps);
  const author = verifyAuthor(header, deps.validators);
  checkForkFields(header, author, deps);
  const hash = blockHash(header);
  const isUnsealed = deps.isProposal === true && extra.committedSeals.length === 0;
  if (!isUnsealed) checkCommittedSeals({ header, hash }, extra, deps.validators);
  checkGovernance(header, author, deps);
  checkNotEarly(header, deps);
  return { hash, author };
}

function checkNotEarly({ time }: Header, { now }: HeaderDeps): void {
  if (time > now + ALLOWED_FUTURE_S) throw new ConsensusError("future-block", "block in the future");
}

/**
 * Checks the seals of a header alone: its author is qualified and a quorum of the council has committed. Throws
 * `ConsensusError`.
 */
export function verifySeals({ header, hash }: HashedHeader, validators: ValidatorSet): void {
  const extra = readExtra(header);
  verifyAuthor(header, validators);
  checkCommittedSeals({ header, hash }, extra, validators);
}

function checkBaseFee(header: Header, { parent, rules, parameters, overrides }: HeaderDeps): void {
  if (!rules.baseFee) {
    if (header.baseFee !== undefined) throw new ConsensusError("base-fee", "invalid baseFee before fork");
    return;
  }
  if (header.baseFee === undefined) throw new ConsensusError("base-fee", "header is missing baseFee");
  const want = overrides?.baseFee ?? nextBaseFee(parent, parameters.baseFee);
  if (header.baseFee !== want) {
    throw new ConsensusError(
      "base-fee",
      `invalid baseFee: have ${header.baseFee}, want ${want}, parentBaseFee ${parent.baseFee ?? "<nil>"}, parentGasUsed ${parent.gasUsed}`,
    );
  }
}

function readExtra(header: Header): IstanbulExtra {
  try {
    return parseExtra(header.extra);
  } catch (cause) {
    throw new ConsensusError("extra-data", "invalid extra data format", { cause });
  }
}

function checkAncestor(header: Header, { parent, parentHash }: HeaderDeps): void {
  if (header.number !== parent.number + 1 || !equalBytes(header.parentHash, parentHash)) {
    throw new ConsensusError(
      "unknown-ancestor",
      `unknown ancestor: parent ${bareHex(header.parentHash)}, have block ${parent.number} ${bareHex(parentHash)}`,
    );
  }
  if (header.time < parent.time + BLOCK_PERIOD_S) throw new ConsensusError("timestamp", "invalid timestamp");
}

function verifyAuthor(header: Header, validators: ValidatorSet): Address {
  const author = authorOf(header);
  if (author === undefined || !validators.isQualified(author)) {
    throw new ConsensusError("unauthorized", "unauthorized");
  }
  return author;
}

function checkCommittedSeals(
  { header, hash }: HashedHeader,
  extra: IstanbulExtra,
  validators: ValidatorSet,
): void {
  const { length } = extra.committedSeals;
  if (length === 0) throw new ConsensusError("committed-seals", "zero committed seals");
  if (length > MAX_RECOVERED_SEALS && length > validators.council.length) {
    // One of them is foreign or repeated, so recovering thousands is not worth it.
    throw new ConsensusError("committed-seals", "invalid committed seals");
  }
  const seen = new Set<string>();
  for (const committer of recoveredSealers(header)?.committers ?? recoverCommitters(hash, extra)) {
    if (committer === undefined) throw new ConsensusError("committed-seals", "invalid signature");
    if (!validators.inCouncil(committer) || seen.has(mapKey(committer))) {
      throw new ConsensusError("committed-seals", "invalid committed seals");
    }
    seen.add(mapKey(committer));
  }
  if (seen.size <= validators.twiceFaulty) {
    throw new ConsensusError("committed-seals", "invalid committed seals");
  }
}

function checkGovernance(header: Header, author: Address, deps: HeaderDeps): void {
  try {
    deps.checkGovernance(header, author);
  } catch (cause) {
    if (!(cause instanceof GovernanceError)) throw cause;
    throw new ConsensusError("governance", cause.message, { cause });
  }
}
