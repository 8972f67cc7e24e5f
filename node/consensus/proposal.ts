/**
 * Header and transactions of a proposal: an empty header on the parent, then the pool's transactions, best
 * tip first, until the time limit. Transactions that cannot run are skipped or dropped as in the Go node
 * (`work/worker.go@v2.2.2`).
 */
import type { Address, Hash } from "../bytes/brands.ts";
import { MAX_BLOCK_SIZE } from "../config/rule-facts.ts";
import type { Rules } from "../config/rules.ts";
import { nextBaseFee } from "../execution/base-fee.ts";
import { type BlockOutcome, blockOutcome } from "../execution/block.ts";
import { ExecutionError } from "../execution/error.ts";
import { beginBlock } from "../execution/system-call.ts";
import {
  type BlockContext,
  type ExecutedTransaction,
  executeSuccessful,
  executeTransaction,
} from "../execution/transaction.ts";
import type { GovernanceParameters } from "../governance/parameters.ts";
import type { Block } from "../model/block.ts";
import { EMPTY_BLOOM } from "../model/bloom.ts";
import { encodeHeader, type Header } from "../model/header.ts";
import { encodeExtra } from "../model/istanbul-extra.ts";
import type { Receipt } from "../model/receipt.ts";
import { STATUS_SUCCESS } from "../model/receipt-status.ts";
import type { Transaction } from "../model/transaction.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Pause } from "../runtime/scheduler.ts";
import type { World } from "../state/world/world.ts";
import { executeTogether, type Lender, type LoanResult, Loans } from "./loans.ts";

/** Values of a new header. */
export interface HeaderOptions {
  readonly parent: Block;
  readonly rules: Rules;
  readonly parameters: GovernanceParameters;
  readonly validators: readonly Address[];
  readonly rewardbase: Address;
  /** Vanity bytes, 32; the last one holds the round. */
  readonly vanity: Uint8Array;
  /** Current time, in milliseconds since the epoch. */
  readonly now: number;
  /** Fields that depend on the block's rules. */
  readonly extras?: HeaderExtras | undefined;
}

/** Fields that depend on the block's rules: vote, governance data, base fee where it is set, randomness, blob gas. */
export type HeaderExtras = Partial<
  Pick<
    Header,
    "vote" | "governance" | "baseFee" | "randomReveal" | "mixHash" | "excessBlobGas" | "blobGasUsed"
  >
>;

const NO_BYTES = new Uint8Array(0);
const ZERO_HASH: Hash = new Uint8Array(32);

/**
 * Returns the unsealed header of the block after `parent`; roots, bloom and gas are filled in after
 * execution.
 */
export function draftHeader(options: HeaderOptions): Header {
  const { parent, rules, parameters, now } = options;
  const seconds = Math.floor(now / 1000);
  const onTime = seconds > parent.header.time;
  return {
    parentHash: parent.hash,
    rewardbase: options.rewardbase,
    stateRoot: ZERO_HASH,
    transactionsRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    bloom: EMPTY_BLOOM,
    blockScore: 1n,
    number: parent.header.number + 1,
    gasUsed: 0n,
    time: onTime ? seconds : parent.header.time + 1,
    timeFoS: onTime ? Math.floor((now % 1000) / 10) : parent.header.timeFoS,
    extra: encodeExtra({
      vanity: options.vanity,
      validators: [...options.validators],
      seal: NO_BYTES,
      committedSeals: [],
    }),
    governance: NO_BYTES,
    vote: NO_BYTES,
    baseFee: rules.baseFee ? nextBaseFee(parent.header, parameters.baseFee) : undefined,
    randomReveal: undefined,
    mixHash: undefined,
    blobGasUsed: undefined,
    excessBlobGas: undefined,
    ...options.extras,
  };
}

/** The pool's transactions in the order of execution, as the Go node's `TransactionsByPriceAndNonce`. */
export interface Candidates {
  /** Returns the best transaction left. */
  peek(): Transaction | undefined;
  /** Replaces the best transaction by the next one of the same sender. */
  shift(): void;
  /** Removes the best transaction and all others of the same sender. */
  pop(): void;
  /** Returns the transaction of the same sender after the best one. */
  following(): Transaction | undefined;
}

/** Options of filling a block. */
export interface FillOptions {
  readonly candidates: Candidates;
  /** Removes a transaction that can never run from the pool. */
  readonly drop: (tx: Transaction) => void;
  readonly clock: Clock;
  /** Time limit for transactions in milliseconds; the first transaction is always completed. */
  readonly limitMs: number;
  readonly pause: Pause;
  /** Returns the transaction of a bid for the place behind a successful one; undefined without a bid. */
  readonly bidBehind?: (target: Transaction) => Transaction | undefined;
  /** Lends fees to senders without KAIA; left out where nobody does. */
  readonly lender?: Lender | undefined;
  /** Gas of the block at most, as a development chain sets it; none by default. */
  readonly gasLimit?: bigint | undefined;
}

/**
 * Size up to which a block is filled, in bytes: the limit of a block since Osaka (EIP-7934) without the Go node's
 * reserve for what is added later (`txFitsSize` of `work/worker.go@v2.2.2`). It holds before Osaka, too, since larger
 * blocks do not fit into a message.
 */
const MAX_FILLED_BYTES = MAX_BLOCK_SIZE - 1_000_000;

/** Executed transactions in order, with their outcome. */
export interface FilledBlock {
  readonly transactions: readonly Transaction[];
  readonly outcome: BlockOutcome;
  readonly tally: FillTally;
}

/** Counts of the candidates by result. */
export type FillTally = Readonly<Tally>;

interface Tally {
  tried: number;
  nonceTooLow: number;
  nonceTooHigh: number;
  /** Transactions that can never run. */
  dropped: number;
  /** True when the time limit came before the last candidate. */
  isTimeOver: boolean;
}

/** Executes candidates on `world` until none is left, the next one is too large or the time limit is reached. */
export async function fillBlock(
  world: World,
  context: BlockContext,
  filling: FillOptions,
): Promise<FilledBlock> {
  const { candidates, clock, limitMs, pause } = filling;
  beginBlock(world, context);
  const deadline = clock.now() + limitMs;
  const filled = new Filling(context, filling.gasLimit);
  const loans = new Loans(filling.lender);
  const tally: Tally = { tried: 0, nonceTooLow: 0, nonceTooHigh: 0, dropped: 0, isTimeOver: false };
  const attempting = { ...filling, tally, filled };
  const isTimeOver = (): boolean => !filled.isEmpty && clock.now() >= deadline;
  for (let tx = candidates.peek(); tx !== undefined; tx = candidates.peek()) {
    tally.isTimeOver = isTimeOver();
    if (tally.isTimeOver) break;
    if (loans.putOff(candidates)) continue;
    const next = loans.bundleOf(tx) ?? [tx];
    if (!filled.hasRoom(next)) break;
    const isTarget = take(world, next, context, attempting) && !isTimeOver();
    if (isTarget) tryBid(world, filling.bidBehind?.(tx), context, filled);
    const waiting = pause();
    if (waiting !== undefined) await waiting;
  }
  return { ...filled.outcome(), tally };
}

/** A block that is being filled. */
class Filling {
  readonly #maxBlobs: number;
  readonly #gasLimit: bigint | undefined;
  readonly #transactions: Transaction[] = [];
  readonly #receipts: Receipt[] = [];
  #totalFee = 0n;
  #gas = 0n;
  #blobs = 0;
  #bytes: number;

  constructor({ header, maxBlockBlobs }: BlockContext, gasLimit: bigint | undefined) {
    this.#bytes = encodeHeader(header).length;
    this.#maxBlobs = maxBlockBlobs;
    this.#gasLimit = gasLimit;
  }

  get isEmpty(): boolean {
    return this.#transactions.length === 0;
  }

  hasRoom(transactions: readonly Transaction[]): boolean {
    const bytes = transactions.reduce((sum, { raw }) => sum + raw.length, 0);
    return this.#bytes + bytes < MAX_FILLED_BYTES;
  }

  /** Transactions count by their own limits before they run. */
  hasGasRoom(transactions: readonly Transaction[]): boolean {
    if (this.#gasLimit === undefined) return true;
    return transactions.reduce((sum, { gas }) => sum + gas, this.#gas) <= this.#gasLimit;
  }

  hasBlobRoom(tx: Transaction): boolean {
    return this.#blobs + blobsOf(tx) <= this.#maxBlobs;
  }

  add(tx: Transaction, { receipt, fee }: ExecutedTransaction): void {
    this.#transactions.push(tx);
    this.#receipts.push(receipt);
    this.#totalFee += fee;
    this.#gas += receipt.gasUsed;
    this.#blobs += blobsOf(tx);
    this.#bytes += tx.raw.length;
  }

  outcome(): Omit<FilledBlock, "tally"> {
    return {
      transactions: this.#transactions,
      outcome: blockOutcome(this.#receipts, this.#totalFee),
    };
  }
}

function blobsOf({ fields }: Transaction): number {
  return fields.blobVersionedHashes?.length ?? 0;
}

/** Adds the transaction of a bid if it fits and succeeds; the block goes on without it otherwise. */
function tryBid(world: World, bid: Transaction | undefined, context: BlockContext, filled: Filling): void {
  if (bid === undefined || !filled.hasRoom([bid])) return;
  try {
    const executed = executeSuccessful(world, bid, context);
    if (executed !== undefined) filled.add(bid, executed);
  } catch (error) {
    if (!(error instanceof ExecutionError)) throw error;
  }
}

/** Adds a transaction, or those of a loan, if the block can contain them; true when the last one has succeeded. */
function take(
  world: World,
  transactions: readonly Transaction[],
  context: BlockContext,
  attempting: Attempting,
): boolean {
  const { candidates, filled } = attempting;
  const hasRoom = filled.hasGasRoom(transactions) && transactions.every((tx) => filled.hasBlobRoom(tx));
  const executed = hasRoom
    ? tryTransactions(world, transactions, context, attempting)
    : skipSender(candidates);
  if (executed === undefined) return false;
  for (const { tx, done } of executed) filled.add(tx, done);
  candidates.shift();
  return executed.at(-1)?.done.receipt.status === STATUS_SUCCESS;
}

/** Options of filling a block, with the block and the counts of the candidates. */
type Attempting = FillOptions & { readonly tally: Tally; readonly filled: Filling };

/** Skips the sender of a transaction whose blobs or gas do not fit into the block. */
function skipSender(candidates: Candidates): undefined {
  candidates.pop();
}

/** Executes a transaction, or those of a loan all together. */
function tryTransactions(
  world: World,
  transactions: readonly Transaction[],
  context: BlockContext,
  attempting: Attempting,
): readonly LoanResult[] | undefined {
  const { candidates, tally } = attempting;
  tally.tried += transactions.length;
  try {
    if (transactions.length === 1) {
      return transactions.map((tx) => ({ tx, done: executeTransaction(world, tx, context) }));
    }
    const executed = executeTogether(world, transactions, context);
    if (executed !== undefined) return executed;
    dropAll(transactions, attempting);
    candidates.pop();
  } catch (error) {
    if (!(error instanceof ExecutionError)) throw error;
    skipRefused(transactions, error, attempting);
  }
  return undefined;
}

/** Goes on after transactions that no block can contain now: with the sender's next one, or with other senders. */
function skipRefused(
  transactions: readonly Transaction[],
  { code }: ExecutionError,
  attempting: Attempting,
): void {
  const { candidates, tally } = attempting;
  const isAlone = transactions.length === 1;
  if (code === "nonce-too-low") tally.nonceTooLow++;
  else if (code === "nonce-too-high") tally.nonceTooHigh++;
  const isForNow = code === "insufficient-balance" || (isAlone && code.startsWith("nonce-too-"));
  if (!isForNow) dropAll(transactions, attempting);
  if (code === "nonce-too-low") candidates.shift();
  else candidates.pop();
}

function dropAll(transactions: readonly Transaction[], { drop, tally }: Attempting): void {
  tally.dropped++;
  for (const tx of transactions) drop(tx);
}
