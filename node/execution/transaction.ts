/**
 * One transaction against the world state. In: a decoded transaction whose sender is known or recoverable, the
 * rules and the header it runs under. Out: its receipt and what it paid; or an `ExecutionError`, and then the
 * world is as before. Contract code is not executed in this release: what would need it is refused.
 */

import type { Rules } from "../config/rules.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import { EMPTY_BLOOM } from "../model/bloom.ts";
import type { Header } from "../model/header.ts";
import type { Receipt } from "../model/receipt.ts";
import {
  checkTypeAccepted,
  effectivePrice,
  floorGas,
  intrinsicGas,
  senderOf,
  type Transaction,
} from "../model/transaction.ts";
import type { World } from "../state/world.ts";
import { ExecutionError } from "./error.ts";
import { checkExecutable, checkRecipient, checkSenderKey } from "./participants.ts";

/** What every transaction of a block shares. */
export interface BlockContext {
  readonly chainId: bigint;
  readonly header: Header;
  readonly rules: Rules;
  /** Proposer of the block; receives fees where they are not deferred and the rules name the author. */
  readonly author: Uint8Array;
  /** True when fees are credited with the block reward instead of by each transaction. */
  readonly deferredFees: boolean;
}

/** A transaction that ran. */
export interface Executed {
  readonly receipt: Receipt;
  /** Gas used times the effective price, in peb. */
  readonly fee: bigint;
}

const MAX_NONCE = 0xffff_ffff_ffff_ffffn;

/** Executes `tx` on `world` and ends it there (touched empty accounts go). */
export function executeTransaction(world: World, tx: Transaction, context: BlockContext): Executed {
  checkExecutable(tx);
  checkRecipient(world, tx);
  checkType(tx, context.rules);
  const intrinsic = intrinsicGas(tx, context.rules);
  const sender = checkedSender(world, tx, context.chainId);
  checkNonce(world, sender, tx);
  const price = checkedPrice(tx, context, sender);
  checkFunds({ balance: world.balance(sender), fee: tx.gas * price, tx, intrinsic });
  const used = gasUsed(tx, intrinsic, context.rules);
  world.subtractBalance(sender, used * price + tx.value);
  world.setNonce(sender, tx.nonce + 1n);
  if (tx.to !== undefined) world.addBalance(tx.to, tx.value);
  if (!context.deferredFees) creditFee(world, used * price, context);
  world.endTransaction();
  return { receipt: transferReceipt(tx, used), fee: used * price };
}

function checkType(tx: Transaction, rules: Rules): void {
  try {
    checkTypeAccepted(tx, rules);
  } catch (cause) {
    throw new ExecutionError("type-not-accepted", cause instanceof Error ? cause.message : String(cause), {
      cause,
    });
  }
}

function checkedSender(world: World, tx: Transaction, chainId: bigint): Uint8Array {
  const sender = recovered(tx, chainId);
  checkSenderKey(world.account(sender));
  return sender;
}

function recovered(tx: Transaction, chainId: bigint): Uint8Array {
  try {
    return senderOf(tx, chainId);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ExecutionError("invalid-sender", `invalid sender: ${why}`, { cause });
  }
}

function checkNonce(world: World, sender: Uint8Array, tx: Transaction): void {
  const nonce = world.nonce(sender);
  if (nonce < tx.nonce) throw new ExecutionError("nonce-too-high", "nonce too high");
  if (nonce > tx.nonce) throw new ExecutionError("nonce-too-low", "nonce too low");
  if (nonce === MAX_NONCE) {
    throw new ExecutionError(
      "nonce-max",
      `nonce has max value: address ${checksumAddress(sender)}, nonce: ${nonce}`,
    );
  }
}

function checkedPrice(tx: Transaction, { header, rules }: BlockContext, sender: Uint8Array): bigint {
  if (header.baseFee !== undefined && tx.gasFeeCap < header.baseFee) {
    const address = checksumAddress(sender);
    throw new ExecutionError(
      "fee-cap-below-base-fee",
      `max fee per gas less than block base fee: address ${address}, maxFeePerGas: ${tx.gasFeeCap}, baseFee: ${header.baseFee}`,
    );
  }
  if (rules.checksPriceCaps && tx.gasTipCap > tx.gasFeeCap) {
    throw new ExecutionError("tip-above-cap", "max fee per gas higher than max priority fee per gas");
  }
  return effectivePrice(tx, header.baseFee, rules);
}

function checkFunds(funds: { balance: bigint; fee: bigint; tx: Transaction; intrinsic: bigint }): void {
  const { balance, fee, tx, intrinsic } = funds;
  if (balance < fee) {
    throw new ExecutionError(
      "insufficient-balance-for-gas",
      "insufficient balance of the fee payer to pay for gas",
    );
  }
  if (tx.gas < intrinsic) throw new ExecutionError("intrinsic-gas", "intrinsic gas too low");
  if (balance - fee < tx.value) {
    throw new ExecutionError("insufficient-balance", "insufficient balance for transfer");
  }
}

function gasUsed(tx: Transaction, intrinsic: bigint, rules: Rules): bigint {
  const floor = floorGas(tx, rules);
  if (tx.gas < floor) {
    throw new ExecutionError(
      "floor-gas",
      `insufficient gas for floor data gas cost: have ${tx.gas}, want ${floor}`,
    );
  }
  return floor > intrinsic ? floor : intrinsic;
}

function creditFee(world: World, fee: bigint, { rules, header, author }: BlockContext): void {
  world.addBalance(rules.immediateFeeTo === "author" ? author : header.rewardbase, fee);
}

function transferReceipt(tx: Transaction, used: bigint): Receipt {
  return {
    status: 1,
    gasUsed: used,
    bloom: EMPTY_BLOOM,
    logs: [],
    transactionHash: tx.hash,
    contractAddress: undefined,
  };
}
