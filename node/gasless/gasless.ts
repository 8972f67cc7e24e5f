/**
 * Gasless transactions (KIP-247): an approval of a token and a swap, or a swap alone, of a sender without KAIA. The pool
 * takes them by these rules, and a proposer lends their fees, which the swap pays back (`kaiax/gasless/impl@v2.2.2`).
 * No rule of a block knows of them.
 */
import type { Address, Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import type { Chain } from "../chain/chain.ts";
import { contractsAfter } from "../chain/contracts-after.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import type { ContractReader } from "../governance/contract-reader.ts";
import type { Header } from "../model/header.ts";
import type { Transaction } from "../model/transaction.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Clock } from "../runtime/clock.ts";
import { StateError } from "../state/error.ts";
import { PoolError } from "../txpool/error.ts";
import type { ExceptionRules, QueuePlaceFacts } from "../txpool/exceptions.ts";
import { type Approval, readApproval, readSwap, repaidAmount, type Swap } from "./calls.ts";
import { checkApproval, checkSwap } from "./funds.ts";
import { KnownTransactions } from "./known.ts";
import { lendTransaction } from "./lend.ts";
import { declareGaslessMetrics } from "./metrics.ts";
import type { GaslessOptions } from "./options.ts";
import { NO_ROUTER, readSwapRouter, type SwapRouter } from "./router.ts";

/** Dependencies of gasless transactions. */
export interface GaslessDeps {
  readonly chain: Pick<Chain, "config" | "head" | "rules" | "stateAt" | "worldAt" | "header" | "author">;
  readonly options: GaslessOptions;
  /** Signs a digest as the proposer: r, s and parity. */
  readonly sign: (digest: Hash) => Uint8Array;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** The rules of gasless transactions at the chain's head. */
export interface Gasless extends ExceptionRules {
  /** Router and allowed tokens. */
  readonly router: SwapRouter;
  /** Maximum number of executable gasless transactions; infinite without a limit. */
  readonly maxPending: number;
  isApproval(tx: Transaction): boolean;
  isSwap(tx: Transaction): boolean;
  /** Returns why these are no gasless transactions that the next block can hold; undefined for none. */
  whyNot(approve: Transaction | undefined, swap: Transaction): string | undefined;
  /** True for gasless transactions that the next block can hold. */
  canLend(approve: Transaction | undefined, swap: Transaction): boolean;
  /** Returns the proposer's transaction that lends their fees. */
  lend(approve: Transaction | undefined, swap: Transaction, nonce: bigint): Transaction;
}

/** Opens the rules on a chain. */
export function openGasless(deps: GaslessDeps): Gasless {
  const known = new KnownTransactions(deps.clock);
  declareGaslessMetrics(deps.metrics, known);
  return new HeadGasless(deps, known);
}

const MAX_AMOUNT = 2n ** 256n - 1n;

class HeadGasless implements Gasless {
  readonly #deps: GaslessDeps;
  readonly #known: KnownTransactions;
  readonly #chainId: bigint;
  #at: { readonly header: Header; readonly router: SwapRouter } | undefined;

  constructor(deps: GaslessDeps, known: KnownTransactions) {
    this.#deps = deps;
    this.#known = known;
    this.#chainId = deps.chain.config.chainId;
  }

  get router(): SwapRouter {
    const { header } = this.#deps.chain.head();
    if (this.#at?.header !== header) this.#at = { header, router: this.#readRouter(header.number) };
    return this.#at.router;
  }

  get maxPending(): number {
    return limitOf(this.#deps.options.maxPending);
  }

  isApproval(tx: Transaction): boolean {
    return this.#approvalOf(tx) !== undefined;
  }

  isSwap(tx: Transaction): boolean {
    return this.#swapOf(tx) !== undefined;
  }

  covers(tx: Transaction): boolean {
    return this.isApproval(tx) || this.isSwap(tx);
  }

  enter(tx: Transaction): void {
    const key = mapKey(tx.hash);
    if (this.#known.isCooling(key)) {
      throw new PoolError("known", "cannot add known bundle tx during cooldown");
    }
    if (this.#known.queued >= limitOf(this.#deps.options.maxQueued) || this.#known.isFull) {
      throw new PoolError("full", "bundle tx queue is full");
    }
    this.#known.place(key, "queued");
  }

  checkFunds(tx: Transaction): void {
    const { checkLevel } = this.#deps.options;
    const { header } = this.#deps.chain.head();
    const reader = this.#reader(header.number);
    const approval = this.#approvalOf(tx);
    if (approval !== undefined) {
      checkApproval(approval, { reader, checkLevel });
      return;
    }
    const swap = this.#swapOf(tx);
    if (swap === undefined) throw new PoolError("insufficient-funds", "not a gasless transaction");
    checkSwap(swap, { reader, checkLevel, time: header.time, nonce: tx.nonce });
  }

  admits(tx: Transaction, place: QueuePlaceFacts): boolean {
    if (!this.#isComplete(tx, place)) return false;
    const { previous } = place;
    const isSecond = previous !== undefined && this.covers(previous);
    if (!isSecond && this.#known.executable + this.#run(tx, place) > this.maxPending) {
      return false;
    }
    this.#known.place(mapKey(tx.hash), "pending");
    return true;
  }

  markUnexecutable(key: string): void {
    this.#known.markUnexecutable(key);
  }

  expire(): readonly string[] {
    return this.#known.expire();
  }

  follow(placeOf: (key: string) => "queued" | "pending" | undefined): void {
    this.#known.follow(placeOf);
  }

  canLend(approve: Transaction | undefined, swap: Transaction): boolean {
    return this.whyNot(approve, swap) === undefined;
  }

  whyNot(approveTx: Transaction | undefined, swapTx: Transaction): string | undefined {
    const swap = readSwap(swapTx, this.#chainId);
    if (swap === undefined) return "failed to decode swap transaction";
    if (!this.#takes(swap)) return "swap transaction is not valid";
    const reason =
      approveTx === undefined
        ? this.#whyNotAlone(swap, swapTx.nonce)
        : this.#whyNotPair(
            { tx: approveTx, approval: readApproval(approveTx, this.#chainId) },
            swap,
            swapTx.nonce,
          );
    if (reason !== undefined) return reason;
    const repaid = repaidAmount(approveTx, swapTx);
    if (swap.amountRepay === repaid) return undefined;
    return `swap transaction has incorrect amountRepay: got ${swap.amountRepay}, expected ${repaid}`;
  }

  lend(approve: Transaction | undefined, swap: Transaction, nonce: bigint): Transaction {
    return lendTransaction({ approve, swap, chainId: this.#chainId, nonce, sign: this.#deps.sign });
  }

  #whyNotAlone({ sender }: Swap, nonce: bigint): string | undefined {
    const current = this.#nonce(sender);
    if (current === nonce) return undefined;
    return `swap transaction nonce is not current: swap nonce ${nonce}, current nonce ${current}`;
  }

  #whyNotPair(
    { tx, approval }: { readonly tx: Transaction; readonly approval: Approval | undefined },
    swap: Swap,
    swapNonce: bigint,
  ): string | undefined {
    if (approval === undefined) return "failed to decode approve transaction";
    if (!this.#takesApproval(approval)) return "approve transaction is not valid";
    if (!equalBytes(approval.sender, swap.sender)) {
      return "approve and swap transactions have different senders";
    }
    if (!equalBytes(approval.token, swap.token)) {
      const tokens = `approve token ${checksumAddress(approval.token)}, swap token ${checksumAddress(swap.token)}`;
      return `approve transaction is for different token than swap transaction: ${tokens}`;
    }
    const { nonce } = tx;
    if (nonce + 1n !== swapNonce) {
      const nonces = `approve nonce ${nonce}, swap nonce ${swapNonce} (expected ${nonce + 1n})`;
      return `approve and swap transactions have non-sequential nonces: ${nonces}`;
    }
    const current = this.#nonce(approval.sender);
    if (current === nonce) return undefined;
    return `approve transaction nonce is not current: approve nonce ${nonce}, current nonce ${current}`;
  }

  /** True for an approval with its swap behind it, a swap behind its approval, and a swap that needs none. */
  #isComplete(tx: Transaction, { previous, waiting }: QueuePlaceFacts): boolean {
    if (this.isApproval(tx)) {
      const next = waiting(tx.nonce + 1n);
      return next !== undefined && this.canLend(tx, next);
    }
    const swap = this.#swapOf(tx);
    if (swap === undefined) return false;
    if (tx.nonce === this.#nonce(swap.sender)) return this.canLend(undefined, tx);
    return previous !== undefined && this.canLend(previous, tx);
  }

  /** The gasless transactions of an account that follow one another, from this one on. */
  #run(tx: Transaction, { waiting }: QueuePlaceFacts): number {
    let count = 1;
    for (;;) {
      const next = waiting(tx.nonce + BigInt(count));
      if (next === undefined || !this.covers(next)) return count;
      count++;
    }
  }

  #approvalOf(tx: Transaction): Approval | undefined {
    const approval = readApproval(tx, this.#chainId);
    return approval !== undefined && this.#takesApproval(approval) ? approval : undefined;
  }

  #swapOf(tx: Transaction): Swap | undefined {
    const swap = readSwap(tx, this.#chainId);
    return swap !== undefined && this.#takes(swap) ? swap : undefined;
  }

  #takesApproval({ token, spender, amount }: Approval): boolean {
    return this.#allows(token) && equalBytes(spender, this.router.address) && amount === MAX_AMOUNT;
  }

  #takes({ token, router }: Swap): boolean {
    return this.#allows(token) && equalBytes(router, this.router.address);
  }

  #allows(token: Address): boolean {
    return this.router.tokens.some((allowed) => equalBytes(allowed, token));
  }

  #nonce(address: Address): bigint {
    const { chain } = this.#deps;
    return chain.stateAt(chain.head().header.number).account(address)?.nonce ?? 0n;
  }

  #reader(number: number): ContractReader {
    return contractsAfter(this.#deps.chain, number);
  }

  #readRouter(number: number): SwapRouter {
    const { chain, options } = this.#deps;
    const isBeforeRegistry = !chain.rules(number).randao && chain.rules(number + 1).randao;
    if (isBeforeRegistry) return NO_ROUTER;
    try {
      return readSwapRouter(this.#reader(number), options.allowedTokens);
    } catch (error) {
      if (error instanceof StateError && error.code === "state-missing") return NO_ROUTER;
      throw error;
    }
  }
}

/** Zero and less stand for no limit. */
function limitOf(limit: number): number {
  return limit > 0 ? limit : Number.POSITIVE_INFINITY;
}
