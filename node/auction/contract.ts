/**
 * The auction's contract (KIP-249): what it says about the auction after a block, the input of its `call`, and the
 * transaction that a proposer places behind the target of a bid (`kaiax/auction/impl/getter.go@v2.2.2`).
 */
import type { Address, Hash } from "../bytes/brands.ts";
import { concatBytes, equalBytes, isZero } from "../bytes/compare.ts";
import { fixedBytes, MAX_UINT64 } from "../bytes/integer.ts";
import type { Rules } from "../config/rules.ts";
import { AbiTuple, encodeCall } from "../governance/abi.ts";
import type { ContractReader } from "../governance/contract-reader.ts";
import { GovernanceError } from "../governance/error.ts";
import { activeContract } from "../governance/system-contracts.ts";
import { type Bid, bidWords } from "../model/bid.ts";
import { signTransaction, type Transaction } from "../model/transaction.ts";
import { transactionType } from "../model/transaction-table.ts";

/** An auction that takes place. */
export interface AuctionContract {
  /** Account that signs the bids that won. */
  readonly auctioneer: Address;
  /** Contract that takes the bid and makes its call. */
  readonly entryPoint: Address;
  /** Gas that the contract needs besides the call of a bid. */
  readonly gasBuffer: bigint;
}

/** Name of the auction's contract in the contract registry. */
const CONTRACT_NAME = "AuctionEntryPoint";

/** Returns the contract as it is after a block; undefined without one or its auctioneer, and when it fails. */
export function readAuctionContract(reader: ContractReader): AuctionContract | undefined {
  try {
    const entryPoint = activeContract(reader, CONTRACT_NAME);
    if (entryPoint === undefined) return undefined;
    const auctioneer = member(reader, entryPoint, "auctioneer()").address(0);
    if (isZero(auctioneer)) return undefined;
    const gasBuffer = member(reader, entryPoint, "gasBufferEstimate()").integer(0) & MAX_UINT64;
    return { auctioneer, entryPoint, gasBuffer };
  } catch (error) {
    if (error instanceof GovernanceError) return undefined;
    throw error;
  }
}

/** True for the same contract, auctioneer and gas. */
export function isSameAuction(a: AuctionContract | undefined, b: AuctionContract | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    equalBytes(a.auctioneer, b.auctioneer) &&
    equalBytes(a.entryPoint, b.entryPoint) &&
    a.gasBuffer === b.gasBuffer
  );
}

function member(reader: ContractReader, contract: Address, signature: string): AbiTuple {
  const output = reader.call(contract, encodeCall(signature));
  if (output === undefined) throw new GovernanceError("bad-answer", "the auction's contract fails");
  return new AbiTuple(output);
}

/** The block, the account and the nonce of a bid's transaction. */
export interface BidTransactionOptions {
  readonly bid: Bid;
  readonly target: Transaction;
  readonly contract: AuctionContract;
  readonly rules: Rules;
  readonly chainId: bigint;
  /** Nonce of the proposer. */
  readonly nonce: bigint;
  /** Signs as the proposer. */
  readonly sign: (digest: Hash) => Uint8Array;
}

const DYNAMIC_FEE = 0x7802;

/** Returns the signed transaction that calls the auction's contract with a bid, at the prices of its target. */
export function bidTransaction(options: BidTransactionOptions): Transaction {
  const { bid, target, contract, rules, chainId, nonce, sign } = options;
  const draft = {
    code: DYNAMIC_FEE,
    nonce,
    gas: 0n,
    gasFeeCap: target.gasFeeCap,
    gasTipCap: target.gasTipCap,
    to: contract.entryPoint,
    value: 0n,
    input: encodeBidCall(bid),
    fields: { accessList: [] },
  };
  const type = transactionType(DYNAMIC_FEE);
  const content = { ...draft, chainId };
  const needed = type.intrinsicGas(content, rules) + BigInt(bid.callGasLimit) + contract.gasBuffer;
  const floor = type.floorGas(content, rules);
  return signTransaction({ ...draft, gas: needed > floor ? needed : floor }, chainId, sign);
}

const WORD = 32;
const SELECTOR = encodeCall(
  "call((bytes32,uint256,address,address,uint256,uint256,uint256,bytes,bytes,bytes))",
);

/** Encodes the call of the auction's contract: a tuple of seven words and three byte strings. */
function encodeBidCall(bid: Bid): Uint8Array {
  const words = bidWords(bid);
  const strings = [bid.data, bid.searcherSig, bid.auctioneerSig].map(encodeBytes);
  let tailAt = (words.length + strings.length) * WORD;
  const offsets = strings.map(({ length }) => {
    const offset = word(tailAt);
    tailAt += length;
    return offset;
  });
  return concatBytes(SELECTOR, word(WORD), ...words, ...offsets, ...strings);
}

function encodeBytes(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(WORD + Math.ceil(bytes.length / WORD) * WORD);
  padded.set(word(bytes.length));
  padded.set(bytes, WORD);
  return padded;
}

function word(value: bigint | number): Uint8Array {
  return fixedBytes(value, WORD);
}
