/**
 * Execution of one transaction: takes the decoded transaction and the block's context, returns its receipt
 * and fee. After an `ExecutionError` the world is unchanged.
 */
import type { Address } from "../bytes/brands.ts";
import { messageOf as errorText } from "../bytes/message-of.ts";
import type { Rules } from "../config/rules.ts";
import type { EvmBlock } from "../evm/evm.ts";
import type { Tracer } from "../evm/tracer.ts";
import { bloomOf } from "../model/bloom.ts";
import type { Header } from "../model/header.ts";
import type { Receipt } from "../model/receipt.ts";
import { STATUS_SUCCESS } from "../model/receipt-status.ts";
import { checkTypeAccepted, effectivePrice, type Transaction } from "../model/transaction.ts";
import type { World } from "../state/world/world.ts";
import { ExecutionError } from "./error.ts";
import { feeCapBelowBaseFee } from "./fees.ts";
import { transactionMessage } from "./message.ts";
import { verifyPayer, verifySender } from "./participants.ts";
import { applyMessage, type Transition, type TransitionDeps } from "./transition.ts";
import { validateForKind } from "./validate.ts";

/** Properties that the transactions of a block share. */
export interface BlockContext {
  readonly chainId: bigint;
  readonly header: Header;
  readonly rules: Rules;
  /** The EVM's view of the block, by `evmBlock`. */
  readonly block: EvmBlock;
  /** Maximum numbers of blobs of a transaction and of the block. */
  readonly maxBlobs: number;
  readonly maxBlockBlobs: number;
  /**
   * True when fees are credited with the block reward instead of by each transaction. Set by the chain
   * configuration, not by governance.
   */
  readonly deferredFees: boolean;
  readonly computationLimit?: number | undefined;
}

/** Result of an executed transaction. */
export interface ExecutedTransaction {
  readonly receipt: Receipt;
  /** Gas used times effective gas price, in peb. */
  readonly fee: bigint;
  /** Output and failure of the transaction. */
  readonly transition: Transition;
}

/** Executes `tx` on `world` and ends the world's transaction, which removes touched empty accounts. */
export function executeTransaction(
  world: World,
  tx: Transaction,
  context: BlockContext,
  tracer?: Tracer,
): ExecutedTransaction {
  const executed = applyTransaction(world, tx, context, tracer);
  world.endTransaction();
  return executed;
}

/** Executes `tx` as `executeTransaction` does if it succeeds; otherwise returns undefined and leaves the world unchanged. */
export function executeSuccessful(
  world: World,
  tx: Transaction,
  context: BlockContext,
): ExecutedTransaction | undefined {
  const executed = applyTransaction(world, tx, context);
  if (executed.receipt.status !== STATUS_SUCCESS) {
    world.cancelTransaction();
    return undefined;
  }
  world.endTransaction();
  return executed;
}

function applyTransaction(
  world: World,
  tx: Transaction,
  context: BlockContext,
  tracer?: Tracer,
): ExecutedTransaction {
  const { rules } = context;
  validateForKind(world, tx, rules);
  checkType(tx, rules);
  const sender = verifySender(world, tx, context);
  const payer = verifyPayer(world, tx, { sender, ...context });
  checkPrice(tx, sender.address, context);
  const price = effectivePrice(tx, context.header.baseFee, rules);
  const message = transactionMessage(tx, { sender, payer, price, rules });
  const transition = applyMessage(world, message, transitionContext(context, tracer));
  const receipt = receiptOf(world, tx, transition);
  return { receipt, fee: transition.gasUsed * price, transition };
}

function transitionContext(context: BlockContext, tracer: Tracer | undefined): TransitionDeps {
  const { chainId, rules, block, maxBlobs, computationLimit } = context;
  return { chainId, rules, block, maxBlobs, feeReceiver: feeReceiver(context), computationLimit, tracer };
}

/** Returns the account that each transaction credits with its fee; undefined where fees are paid with the block reward. */
export function feeReceiver({ rules, block, header, deferredFees }: BlockContext): Address | undefined {
  if (deferredFees) return undefined;
  return rules.immediateFeeTo === "author" ? block.author : header.rewardbase;
}

function checkType(tx: Transaction, rules: Rules): void {
  try {
    checkTypeAccepted(tx, rules);
  } catch (cause) {
    throw new ExecutionError("type-not-accepted", `invalid sender: ${errorText(cause)}`, { cause });
  }
}

/** Checks the price; a block's body was checked for it before, so only a proposer fails here. */
function checkPrice(tx: Transaction, sender: Address, { header, rules }: BlockContext): void {
  if (header.baseFee === undefined || tx.gasFeeCap >= header.baseFee) return;
  // The state transition checks other caps after the nonce; it lets caps of zero pass for simulated calls.
  if (rules.checksPriceCaps && tx.gasFeeCap > 0n) return;
  throw feeCapBelowBaseFee(sender, tx.gasFeeCap, header.baseFee);
}

function receiptOf(world: World, tx: Transaction, { status, gasUsed, created }: Transition): Receipt {
  const logs = [...world.logs];
  return {
    status,
    gasUsed,
    bloom: bloomOf(logs),
    logs,
    transactionHash: tx.hash,
    contractAddress: created,
  };
}
