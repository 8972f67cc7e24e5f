/**
 * Verifies headers that somebody else has stored: each names its parent, each that votes or decides is sealed by members
 * of the council that the headers before it give, and the newest is sealed by a quorum of its own council. The stored
 * index of votes must be that of the headers; stored stakes that would leave one member to seal are not believed.
 */
import { isDeepStrictEqual } from "node:util";
import { concatBytes, equalBytes } from "../bytes/compare.ts";
import { fixedBytes } from "../bytes/integer.ts";
import type { ChainConfig } from "../config/chain-config.ts";
import type { ContractReader } from "../governance/contract-reader.ts";
import { type Governance, type GovernanceBlock, openGovernance } from "../governance/governance.ts";
import { indexedNumbers, isIndexed } from "../governance/header-index.ts";
import { quorum, type ValidatorSet, validatorSet } from "../governance/validators.ts";
import type { Pause } from "../runtime/scheduler.ts";
import { StateError } from "../state/error.ts";
import type { Rows } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { ConsensusError } from "./error.ts";
import { verifySeals } from "./header-rules.ts";

/** A stored chain. */
export interface HeaderChain {
  readonly config: ChainConfig;
  readonly rows: Rows;
  readonly head: number;
  /** Returns a block by number, its hash computed from its header; undefined without one. */
  readonly block: (number: number) => GovernanceBlock | undefined;
  /** Returns the contracts after a block. */
  readonly contracts: (number: number) => ContractReader;
  readonly pause: Pause;
  /** Called after each header. */
  readonly onHeader: (number: number) => void;
}

/** Bytes of a number in the stored index of votes. */
const NUMBER_BYTES = 6;

/** Verifies all headers. Throws `ConsensusError` with the number of the first that is wrong, or what `onHeader` throws. */
export async function verifyHeaderChain(chain: HeaderChain): Promise<void> {
  const deciding = await linkHeaders(chain);
  await verifySealers(chain, deciding);
  if (!isDeepStrictEqual(indexedNumbers(chain.rows) ?? deciding, deciding))
    throw new ConsensusError("governance", "the stored index of votes is not that of the headers");
}

/**
 * Verifies the seals of headers whose links are verified: of those that vote or decide, which are given in their order,
 * and of the newest. Throws as `verifyHeaderChain`.
 */
export async function verifySealers(chain: HeaderChain, deciding: readonly number[]): Promise<void> {
  const { config, rows, head, block, contracts, pause, onHeader } = chain;
  const index = concatBytes(...deciding.map((number) => fixedBytes(number, NUMBER_BYTES)));
  const governance = openGovernance({
    config,
    rows: withIndex(rows, index),
    tip: () => head,
    block,
    contracts,
  });
  for (const number of deciding) {
    verifyAt(chain, number, councilValidators(governance, number));
    onHeader(number);
    await pause();
  }
  if (head === 0) return;
  verifyAt(chain, head, newestValidators(governance, head));
  verifyAt(chain, head, councilValidators(governance, head)); // stakes are stored rows of the other side
}

/** Verifies the links between all headers; returns the numbers of those that vote or decide. */
async function linkHeaders({ head, block, pause, onHeader }: HeaderChain): Promise<readonly number[]> {
  const deciding: number[] = [];
  let parent = block(0);
  for (let number = 1; number <= head; number++) {
    const next = block(number);
    if (parent === undefined || next === undefined)
      throw new ConsensusError("unknown-ancestor", `block ${number} or its parent is missing`);
    const { header } = next;
    if (header.number !== number || !equalBytes(header.parentHash, parent.hash))
      throw new ConsensusError("unknown-ancestor", `block ${number} is not a child of block ${number - 1}`);
    if (isIndexed(header)) deciding.push(number);
    parent = next;
    onHeader(number);
    await pause();
  }
  return deciding;
}

function withIndex(rows: Rows, index: Uint8Array): Rows {
  const key = tables.meta.key("governance");
  return { get: (each) => (equalBytes(each, key) ? index : rows.get(each)) };
}

/**
 * Validators of a block whose stakes can no longer be read, or are not believed: the members of its council. A block
 * carries the seals of a quorum of its committee. Without weights all members have enough stake, so this quorum is known. With weights the
 * committee may be smaller, because members without enough stake are left out of it: more members must then have sealed
 * than may be faulty in the council, or a quorum of a whole committee where that is less. A chain on which half of the
 * council or more is left out is not believed. A committee size that only a contract knows counts as the whole council.
 */
function councilValidators(governance: Governance, number: number): ValidatorSet {
  const council = governance.council(number);
  const { policy, committeeSize } = unlessMissing(() => governance.parameters(number)) ?? UNKNOWN_PARAMETERS;
  const set = validatorSet(council, council, committeeSize);
  if (policy !== "weighted") return set;
  return { ...set, twiceFaulty: Math.min(set.twiceFaulty, quorum(council.length).faulty) };
}

/** Parameters of a block where a contract gives them whose state an import does not have. */
const UNKNOWN_PARAMETERS = { policy: "weighted", committeeSize: Number.POSITIVE_INFINITY } as const;

/** Validators of the newest block. Their stakes are those after its parent, whose state an import does not have. */
function newestValidators(governance: Governance, head: number): ValidatorSet {
  return unlessMissing(() => governance.validators(head)) ?? councilValidators(governance, head);
}

function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof StateError) || error.code !== "state-missing") throw error;
    return undefined;
  }
}

function verifyAt({ block }: HeaderChain, number: number, validators: ValidatorSet): void {
  const found = block(number);
  if (found === undefined) throw new ConsensusError("unknown-ancestor", `block ${number} is missing`);
  try {
    verifySeals(found, validators);
  } catch (cause) {
    if (!(cause instanceof ConsensusError)) throw cause;
    const message = `block ${number} is not sealed by its council: ${cause.message}`;
    throw new ConsensusError(cause.code, message, { cause });
  }
}
