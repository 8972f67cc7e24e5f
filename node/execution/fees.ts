/**
 * Payment of a message's gas before execution and the refund after it, shared by sender and fee payer
 * (`blockchain/state_transition.go@v2.2.2`).
 */
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import type { World } from "../state/world/world.ts";
import { blobGasFor } from "./blob-gas.ts";
import { ExecutionError } from "./error.ts";
import type { ExecutionMessage } from "./message.ts";

const TWO_TO_256 = 1n << 256n;

/**
 * Shares of an amount; the fee payer's is rounded down. Blocks are not checked for a ratio above 100 percent, only the
 * pool is, so the sender's share may be negative: the fee payer then pays the sender.
 */
interface Shares {
  readonly byPayer: bigint;
  readonly bySender: bigint;
}

/**
 * Subtracts the whole fee from the balances. `blobBaseFee` is the price of blob gas. Throws `ExecutionError`.
 */
export function buyGas(world: World, message: ExecutionMessage, blobBaseFee: bigint): void {
  const fee = message.gas * message.price + blobGasFor(message.blobHashes) * blobBaseFee;
  const shares = sharesOf(message, fee);
  checkShares(world, message, shares);
  const { sender, payer } = message;
  if (shares.byPayer > 0n) world.subtractBalance(payer, shares.byPayer);
  if (shares.bySender > 0n) world.subtractBalance(sender, shares.bySender);
  else if (shares.bySender < 0n) world.addBalance(sender, -shares.bySender);
}

/**
 * Checks that the balances cover the fee caps and the value, under rules with blobs. Throws `ExecutionError`.
 */
export function checkCaps(world: World, message: ExecutionMessage): void {
  const { sender, payer, value } = message;
  const most = message.gas * message.gasFeeCap + blobGasFor(message.blobHashes) * message.maxFeePerBlobGas;
  const { byPayer, bySender } = sharesOf(message, most);
  const isShared = !equalBytes(sender, payer);
  checkWidth(payer, isShared ? byPayer : byPayer + value);
  if (world.balance(payer) < byPayer) throw insufficientFee("the fee payer");
  if (isShared) {
    checkWidth(sender, bySender + value);
    if (world.balance(sender) < bySender) throw insufficientFee("the sender");
  }
  if (world.balance(sender) < (isShared ? bySender : byPayer) + value) throw insufficientValue();
}

function checkWidth(address: Address, amount: bigint): void {
  if (amount < TWO_TO_256) return;
  const text = `address ${checksumAddress(address)} required balance exceeds 256 bits`;
  throw new ExecutionError("insufficient-balance", `insufficient funds for gas * price + value: ${text}`);
}

/** Refunds unused gas in the proportion of the payment. */
export function refundGas(world: World, message: ExecutionMessage, unused: bigint): void {
  const { byPayer, bySender } = sharesOf(message, unused * message.price);
  world.addBalance(message.payer, byPayer);
  if (bySender > 0n) world.addBalance(message.sender, bySender);
  else if (bySender < 0n) takeBack(world, message.sender, -bySender);
}

/** Takes back the unused part of the amount that a fee payer paid to the sender, who may have spent it. */
function takeBack(world: World, sender: Address, amount: bigint): void {
  if (world.balance(sender) < amount) throw insufficientFee("the sender");
  world.subtractBalance(sender, amount);
}

/** Creates the error of a fee cap below the base fee. */
export function feeCapBelowBaseFee(sender: Address, gasFeeCap: bigint, baseFee: bigint): ExecutionError {
  const numbers = `address ${checksumAddress(sender)}, maxFeePerGas: ${gasFeeCap}, baseFee: ${baseFee}`;
  return new ExecutionError("fee-cap-below-base-fee", `max fee per gas less than block base fee: ${numbers}`);
}

/** Creates the error of a value above the sender's balance. */
export function insufficientValue(): ExecutionError {
  return new ExecutionError("insufficient-balance", "insufficient balance for transfer");
}

function sharesOf({ sender, payer, feeRatio }: ExecutionMessage, amount: bigint): Shares {
  if (feeRatio === undefined || equalBytes(sender, payer)) return { byPayer: amount, bySender: 0n };
  const byPayer = (amount * BigInt(feeRatio)) / 100n;
  return { byPayer, bySender: amount - byPayer };
}

function checkShares(world: World, { sender, payer }: ExecutionMessage, { byPayer, bySender }: Shares): void {
  if (world.balance(payer) < byPayer) throw insufficientFee("the fee payer");
  if (world.balance(sender) < bySender) throw insufficientFee("the sender");
}

function insufficientFee(who: string): ExecutionError {
  return new ExecutionError("insufficient-balance-for-gas", `insufficient balance of ${who} to pay for gas`);
}
