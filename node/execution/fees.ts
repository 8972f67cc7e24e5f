/** Who pays how much for a message's gas, before it runs and back after it (execution.md 3.3, steps 4 and 12). */
import { equalBytes } from "../bytes/compare.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import type { World } from "../state/world/world.ts";
import { blobGasFor } from "./blob-gas.ts";
import { ExecutionError } from "./error.ts";
import type { ExecutionMessage } from "./message.ts";

/** The part of an amount that each of the two pays; rounded down for the fee payer. */
interface Shares {
  readonly byPayer: bigint;
  readonly bySender: bigint;
}

/** Takes the whole fee out of the accounts. `blobBaseFee` is the price of blob gas. Throws `ExecutionError`. */
export function buyGas(world: World, message: ExecutionMessage, blobBaseFee: bigint): void {
  const fee = message.gas * message.price + blobGasFor(message.blobHashes) * blobBaseFee;
  const shares = sharesOf(message, fee);
  checkShares(world, message, shares);
  const { sender, payer } = message;
  if (shares.byPayer > 0n) world.subtractBalance(payer, shares.byPayer);
  if (shares.bySender > 0n) world.subtractBalance(sender, shares.bySender);
}

/**
 * Where the rules have blobs the accounts must have what the caps allow, and the value too. Throws
 * `ExecutionError`.
 */
export function checkCaps(world: World, message: ExecutionMessage): void {
  const { sender, payer, value } = message;
  const most = message.gas * message.gasFeeCap + blobGasFor(message.blobHashes) * message.maxFeePerBlobGas;
  if ((most + value) >> 256n !== 0n) {
    throw new ExecutionError(
      "insufficient-balance",
      `insufficient funds for gas * price + value: address ${checksumAddress(sender)} required balance exceeds 256 bits`,
    );
  }
  const shares = sharesOf(message, most);
  checkShares(world, message, shares);
  const bySender = equalBytes(sender, payer) ? shares.byPayer : shares.bySender;
  if (world.balance(sender) < bySender + value) throw insufficientValue();
}

/** Gives the price of unused gas back in the proportion in which it was paid. */
export function refundGas(world: World, message: ExecutionMessage, unused: bigint): void {
  const { byPayer, bySender } = sharesOf(message, unused * message.price);
  world.addBalance(message.payer, byPayer);
  if (bySender > 0n) world.addBalance(message.sender, bySender);
}

/** The refusal of a cap that the base fee is above. */
export function feeCapBelowBaseFee(sender: Uint8Array, gasFeeCap: bigint, baseFee: bigint): ExecutionError {
  const numbers = `address ${checksumAddress(sender)}, maxFeePerGas: ${gasFeeCap}, baseFee: ${baseFee}`;
  return new ExecutionError("fee-cap-below-base-fee", `max fee per gas less than block base fee: ${numbers}`);
}

/** The text of a value that the sender does not have. */
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
