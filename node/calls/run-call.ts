/**
 * Runs the call that a transaction object describes and translates its failures into the Go node's errors.
 */
import type { Address } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import { revertReason } from "../evm/revert-reason.ts";
import { ExecutionError } from "../execution/error.ts";
import {
  callIntrinsicGas,
  type SimulatedCall,
  type SimulationDeps,
  simulate,
} from "../execution/simulate.ts";
import type { BlockContext } from "../execution/transaction.ts";
import type { Transition } from "../execution/transition.ts";
import { failure, RpcError, rpcCode } from "../jsonrpc/errors.ts";
import { STATUS_SUCCESS, statusText } from "../model/receipt-status.ts";
import type { World } from "../state/world/world.ts";
import type { CallArgs } from "./arguments/transaction-args.ts";
import { checkPrices, checkSetCodeRecipient } from "./transaction-draft.ts";

const ZERO_ADDRESS: Address = new Uint8Array(20);
const NO_BYTES = new Uint8Array(0);
const REVERTED = 9;
/** First byte of the selector of Solidity's `Panic(uint256)`. */
const PANIC = 0x4e;

/** Limits of calls. */
export interface CallLimits {
  /** Maximum gas that a caller may request, and the default. */
  readonly upperGas: bigint;
  /** Maximum gas in the arguments of an estimate; without it, none is too much. */
  readonly maxEstimate?: bigint;
  /** Silently caps the gas of a call; 0 is no cap. */
  readonly gasCap: bigint;
  /** The error of a reverted call names Solidity's own panics; true by default. */
  readonly readsPanics?: boolean;
  /** Access lists are created only where there is a base fee; false by default. */
  readonly accessListsNeedBaseFee?: boolean;
  /** A state override with `state` changes no slot, as in the Go node; false by default. */
  readonly ignoresWholeStorage?: boolean;
  /**
   * A price below the base fee is paid as it is offered, and an access list without a price is free; false by default,
   * when the call is refused.
   */
  readonly takesLowPrices?: boolean;
}

/** Creates the call that a transaction object describes. Throws `RpcError` for contradictory prices. */
export function callOf(args: CallArgs, { block, rules }: BlockContext, limits: CallLimits): SimulatedCall {
  checkPrices(args);
  checkSetCodeRecipient(args);
  const { from = ZERO_ADDRESS, to, value = 0n, input, data, accessList, authorizationList } = args;
  const baseFee = rules.baseFee ? block.baseFee : undefined;
  return {
    from,
    to,
    gas: gasOf(args.gas, limits),
    ...(authorizationList === undefined ? pricesOf(args, baseFee, rules, limits) : priceWithoutCaps(baseFee)),
    value,
    input: input ?? data ?? NO_BYTES,
    accessList,
    authorizationList,
  };
}

/** Returns the gas of a call, capped. Throws `RpcError` for more than a caller may request. */
export function gasOf(asked: bigint | undefined, { upperGas, gasCap }: CallLimits): bigint {
  const gas = asked ?? upperGas;
  if (gas > upperGas) throw failure(`gas limit ${gas} exceeds the upper limit ${upperGas}`);
  return gasCap !== 0n && gasCap < gas ? gasCap : gas;
}

/**
 * Returns the prices of a call: the gas price or the fee cap, or twice the base fee without either; the tip does not
 * count (`api/tx_args.go@v2.2.2`, `ToMessage`).
 */
function pricesOf(
  { gasPrice, maxFeePerGas }: CallArgs,
  baseFee: bigint | undefined,
  { effectivePrice }: BlockContext["rules"],
  { takesLowPrices = false }: CallLimits,
): Pick<SimulatedCall, "price" | "gasFeeCap" | "gasTipCap"> {
  const offered = gasPrice ?? maxFeePerGas ?? (baseFee ?? 0n) * 2n;
  const caps = { gasFeeCap: offered, gasTipCap: offered };
  if (baseFee === undefined) return { price: offered, ...caps };
  if (takesLowPrices && offered < baseFee) return priceWithoutCaps(offered);
  const isPaid = effectivePrice === "base-fee-and-tip" && offered > baseFee;
  return { price: isPaid ? offered : baseFee, ...caps };
}

/** Returns a price without caps, which is not compared with the base fee; calls with authorizations have it. */
export function priceWithoutCaps(price = 0n): Pick<SimulatedCall, "price" | "gasFeeCap" | "gasTipCap"> {
  return { price, gasFeeCap: 0n, gasTipCap: 0n };
}

/** Runs a call. Throws `RpcError` for a call that cannot start. */
export function runCall(world: World, call: SimulatedCall, given: SimulationDeps): Transition {
  const intrinsicGas = callIntrinsicGas(call, given.context);
  if (call.gas < intrinsicGas) {
    throw failure(`intrinsic gas too low: msg.gas ${call.gas}, want ${intrinsicGas}`, "too-little-gas");
  }
  try {
    return simulate(world, call, { ...given, intrinsicGas });
  } catch (error) {
    if (!(error instanceof ExecutionError)) throw error;
    const reason = error.code === "floor-gas" ? "too-little-gas" : undefined;
    throw failure(`err: ${error.message} (supplied gas ${call.gas})`, reason);
  }
}

/** Throws the `RpcError` of a call that failed during execution. */
export function requireSuccess(
  { status, output }: Transition,
  { readsPanics = true }: Pick<CallLimits, "readsPanics">,
): void {
  if (status === STATUS_SUCCESS) return;
  if (status === REVERTED && output.length > 0) {
    const isPanic = output[0] === PANIC;
    const reason = isPanic && !readsPanics ? undefined : revertReason(output);
    const message = reason === undefined ? "execution reverted" : `execution reverted: ${reason}`;
    throw new RpcError(rpcCode.reverted, message, `"${toHex(output)}"`);
  }
  throw failure(statusText(status));
}
