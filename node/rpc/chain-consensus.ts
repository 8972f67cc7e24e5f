/** `chain`: the council and committee of a block, and blocks with their seals. */
import type { Address } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import { type BlockNumber, blockNumber } from "../calls/arguments/block-number.ts";
import { blockAt, blockByHash, findBlock } from "../calls/lookup.ts";
import { recoverCommitters } from "../consensus/seal.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import { AnswerMemory } from "../jsonrpc/answer-memory.ts";
import { optional } from "../jsonrpc/codec.ts";
import { address, hash, listOf } from "../jsonrpc/codecs/hex.ts";
import { integer, writtenAs } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { goJson, sortedMembers } from "../jsonrpc/json-text.ts";
import { type CallOrigin, type Method, method } from "../jsonrpc/method.ts";
import { mapSchema, nullableSchema } from "../jsonrpc/schemas.ts";
import type { Block } from "../model/block.ts";
import { sealHash } from "../model/header.ts";
import { parseExtra, roundOf } from "../model/istanbul-extra.ts";
import { chainBlockFields, PENDING_MEMBERS } from "../presenters/block.ts";
import { sealedBlockSchema } from "../presenters/block-schemas.ts";
import { reportedCommittee, reportedCouncil } from "../presenters/councils.ts";
import type { GovernanceMethodDeps } from "../presenters/parameters.ts";
import { blockReceipts, chainReceipt } from "../presenters/receipt.ts";
import { blockReceiptPieces } from "../presenters/receipt-pieces.ts";
import { callerPause, writeInSlices } from "../presenters/slices.ts";
import { numberOf } from "./chain-governance.ts";

const at = { number: optional(blockNumber, "latest" as const) };
const addresses = listOf(address, "[]common.Address");
const size = integer("int", 0, Number.MAX_SAFE_INTEGER);
const sealedBlock = writtenAs("block with consensus information", sealedBlockSchema);
/** Maximum distance of the first and the last block of a result. */
const MAX_DISTANCE = 50;

/** The methods of `chain` about councils, committees and seals. */
export function chainConsensusMethods(deps: GovernanceMethodDeps): Method[] {
  return [...councilMethods(deps), ...sealedMethods(deps)];
}

function councilMethods(deps: GovernanceMethodDeps): Method[] {
  return [
    method({
      name: "chain_getCouncil",
      summary: "Returns all validators at a block, qualified or not.",
      params: at,
      result: addresses,
      handle: ({ number }) => councilAt(deps, number),
    }),
    method({
      name: "chain_getCouncilSize",
      summary: "Returns the number of validators at a block, qualified or not.",
      params: at,
      result: size,
      handle: ({ number }) => councilAt(deps, number).length,
    }),
    method({
      name: "chain_getCommittee",
      summary: "Returns the committee of a block, in the round in which it was proposed.",
      params: at,
      result: addresses,
      handle: ({ number }) => committeeAt(deps, number),
    }),
    method({
      name: "chain_getCommitteeSize",
      summary: "Returns the size of a block's committee, in the round in which it was proposed.",
      params: at,
      result: size,
      handle: ({ number }) => committeeAt(deps, number).length,
    }),
  ];
}

/** Returns the number of a block with a known council. Throws `RpcError`. */
export function councilNumber(deps: GovernanceMethodDeps, number: BlockNumber): number {
  const head = deps.chain.head().header.number;
  const { knowsNextCouncil } = deps;
  if (number === "pending" && !knowsNextCouncil) throw failure("pending is not allowed");
  const wanted = numberOf(deps, number);
  if (wanted > (knowsNextCouncil ? head + 1 : head)) throw failure("unknown block");
  return wanted;
}

function councilAt(deps: GovernanceMethodDeps, number: BlockNumber): readonly Address[] {
  return reportedCouncil(deps, councilNumber(deps, number));
}

function committeeAt(deps: GovernanceMethodDeps, number: BlockNumber): readonly Address[] {
  const wanted = councilNumber(deps, number);
  const block = deps.chain.header(wanted);
  if (block === undefined) throw failure("pending is not allowed");
  return reportedCommittee(deps, block);
}

function sealedMethods(deps: GovernanceMethodDeps): Method[] {
  const { chain } = deps;
  return [
    method({
      name: "chain_getBlockWithConsensusInfoByNumber",
      summary:
        "Returns a block with its receipts, its committee, its proposer and the signers of its committed seals.",
      params: { number: optional(blockNumber) },
      result: sealedBlock,
      handle: ({ number }, origin) => {
        if (number === undefined) throw failure("block number is not assigned");
        if (number === "pending" && !deps.knowsNextCouncil) throw failure("pending is not allowed");
        const changed = number === "pending" ? PENDING_MEMBERS : {};
        return sealedJson(deps, blockAt(chain, number), { origin, changed });
      },
    }),
    method({
      name: "chain_getBlockWithConsensusInfoByHash",
      summary: "Returns a block with its receipts and consensus information, by hash.",
      params: { hash },
      result: sealedBlock,
      handle: (args, origin) => sealedJson(deps, blockByHash(chain, args.hash), { origin }),
    }),
    method({
      name: "chain_getBlockWithConsensusInfoByNumberRange",
      summary: "Returns up to 51 blocks with their receipts and consensus information, by number.",
      params: { start: optional(blockNumber), end: optional(blockNumber) },
      result: writtenAs(
        "object of number to block with consensus information",
        mapSchema("block by number", nullableSchema(sealedBlockSchema)),
      ),
      handle: (range, origin) => rangeJson(deps, range, origin),
    }),
  ];
}

interface BlockRange {
  readonly start: BlockNumber | undefined;
  readonly end: BlockNumber | undefined;
}

async function rangeJson(
  deps: GovernanceMethodDeps,
  { start, end }: BlockRange,
  origin: CallOrigin,
): Promise<string> {
  if (start === undefined || end === undefined) throw failure("range values should not be nil");
  const head = deps.chain.head().header.number;
  const [first, last] = [start, end].map((number) => (number === "earliest" ? 0 : number));
  if (typeof first !== "number") throw failure("start block number should be positive");
  const until = typeof last === "number" ? last : -1; // tags are negative numbers to the Go node
  if (until > head) throw failure("end block number should be smaller than the latest block number");
  if (first > until) throw failure("start should be smaller than end");
  if (until - first > MAX_DISTANCE) throw failure("number of requested blocks should be smaller than 50");
  return sortedMembers(await sealedMembers(deps, [first, until], origin));
}

/** Formats the blocks from `first` to `last` with their numbers, in slices. */
async function sealedMembers(
  deps: GovernanceMethodDeps,
  [first, last]: readonly [number, number],
  origin: CallOrigin,
): Promise<[string, string][]> {
  const members: [string, string][] = [];
  const pause = callerPause(origin);
  using memory = origin.room && new AnswerMemory(origin.room);
  for (let number = first; number <= last; number++) {
    const due = pause();
    if (due !== undefined) await due;
    const block = findBlock(deps.chain, number);
    const text = block === undefined ? "null" : await sealedJson(deps, block, { origin });
    memory?.count(text);
    members.push([`0x${number.toString(16)}`, text]);
  }
  return members;
}

interface SealedForm {
  readonly origin: CallOrigin;
  /** Members with other values. */
  readonly changed?: Readonly<Record<string, null>>;
}

/** Formats a block with its committee. Receipts and transactions are merged into its `transactions`. */
function sealedJson(
  deps: GovernanceMethodDeps,
  block: Block,
  { origin, changed = {} }: SealedForm,
): string | Promise<string> {
  const { chain, receiptForm, blockMembers } = deps;
  const pieces = blockReceiptPieces(chain, blockReceipts(chain, block, receiptForm), chainReceipt);
  const fields = Object.entries({
    ...chainBlockFields(chain, block, blockMembers),
    ...sealFields(deps, block),
    ...changed,
  });
  const members = fields.map(([key, value]) => [key, goJson(value)] as const);
  return writeInSlices(
    pieces.count,
    pieces.write,
    (parts) => sortedMembers([...members, ["transactions", `[${parts.join("")}]`]]),
    origin,
  );
}

function sealFields(deps: GovernanceMethodDeps, block: Block): object {
  const { chain, governance } = deps;
  const { header, hash: own } = block;
  const { number } = header;
  if (number === 0) return deps.councilForm === "sets" ? NO_SEALS : { ...NO_SEALS, originProposer: NOBODY };
  const proposer = chain.author(header);
  const committers = recoverCommitters(own, parseExtra(header.extra));
  if (proposer === undefined || committers.includes(undefined)) throw failure("internal error");
  const committee = reportedCommittee(deps, block);
  const ordered = deps.councilForm === "sets" ? committee.toSorted(byChecksumText) : committee;
  return {
    committee: ordered.map(toHex),
    committers: committers.flatMap((each) => (each === undefined ? [] : [toHex(each)])),
    originProposer: toHex(
      deps.councilForm === "sets"
        ? governance.proposer(number, 0)
        : governance.klaytnSelection(number).firstProposer,
    ),
    proposer: toHex(proposer),
    round: roundOf(header.extra),
    sigHash: toHex(sealHash(header)),
  };
}

/** Orders addresses by their EIP-55 texts, as `valset.AddressSet` (`kaiax/valset/address_set.go@v2.2.2`). */
function byChecksumText(a: Uint8Array, b: Uint8Array): number {
  return checksumAddress(a) < checksumAddress(b) ? -1 : 1;
}

const NOBODY = `0x${"0".repeat(40)}`;
/** Consensus information of block 0, which has no seals. */
const NO_SEALS = {
  committee: null,
  committers: null,
  originProposer: null,
  proposer: NOBODY,
  round: 0,
  sigHash: `0x${"0".repeat(64)}`,
};
