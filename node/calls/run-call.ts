/** Runs what a caller's transaction object describes, and words what comes of it as the Go node does. */
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
import { STATUS_SUCCESS, STATUS_TEXTS } from "../model/receipt-status.ts";
import type { World } from "../state/world/world.ts";
import type { CallArgs } from "./arguments/transaction-args.ts";
import { checkPrices, checkSetCodeRecipient } from "./transaction-draft.ts";

const NOBODY = new Uint8Array(20);
const NO_BYTES = new Uint8Array(0);
const REVERTED = 9;
const VM_ERROR = 2;
/** First byte of what Solidity's own checks give; texts begin with another one. */
const PANIC = 0x4e;

/** What limits calls. */
export interface CallLimits {
  /** The most gas that a caller may ask for, which is also what is given when nothing is asked for. */
  readonly upperGas: bigint;
  /** Cuts the gas further without a word; 0 does not. */
  readonly gasCap: bigint;
  /** See `ReadLine`; true when left out. */
  readonly readsPanics?: boolean;
}

/** The call that a transaction object describes. Throws `RpcError` for prices that exclude each other. */
export function callTerms(args: CallArgs, { block, rules }: BlockContext, limits: CallLimits): SimulatedCall {
  checkPrices(args);
  checkSetCodeRecipient(args);
  const { from = NOBODY, to, value = 0n, input, data, accessList, authorizationList } = args;
  const baseFee = rules.baseFee ? block.baseFee : undefined;
  return {
    from,
    to,
    gas: gasOf(args.gas, limits),
    ...(authorizationList === undefined ? pricesOf(args, baseFee) : setCodePrices(baseFee)),
    value,
    input: input ?? data ?? NO_BYTES,
    accessList,
    authorizationList,
  };
}

function gasOf(asked: bigint | undefined, { upperGas, gasCap }: CallLimits): bigint {
  const gas = asked ?? upperGas;
  if (gas > upperGas) throw failure(`gas limit ${gas} exceeds the upper limit ${upperGas}`);
  return gasCap !== 0n && gasCap < gas ? gasCap : gas;
}

/** A call without a price pays nothing, whatever the base fee is. */
function pricesOf(
  { gasPrice, maxFeePerGas, maxPriorityFeePerGas }: CallArgs,
  baseFee: bigint | undefined,
): Pick<SimulatedCall, "price" | "gasFeeCap" | "gasTipCap"> {
  if (gasPrice !== undefined || baseFee === undefined) {
    const price = gasPrice ?? 0n;
    return { price, gasFeeCap: price, gasTipCap: price };
  }
  const [gasFeeCap, gasTipCap] = [maxFeePerGas ?? 0n, maxPriorityFeePerGas ?? 0n];
  if (gasFeeCap === 0n && gasTipCap === 0n) return { price: 0n, gasFeeCap, gasTipCap };
  const offered = baseFee + gasTipCap;
  return { price: offered < gasFeeCap ? offered : gasFeeCap, gasFeeCap, gasTipCap };
}

/** A call with authorizations has no caps, whatever its caller offers, and pays the base fee alone. */
export function setCodePrices(price = 0n): Pick<SimulatedCall, "price" | "gasFeeCap" | "gasTipCap"> {
  return { price, gasFeeCap: 0n, gasTipCap: 0n };
}

/** Runs a call. Throws `RpcError` where it cannot even begin. */
export function runCall(world: World, terms: SimulatedCall, given: SimulationDeps): Transition {
  const intrinsicGas = callIntrinsicGas(terms, given.context);
  if (terms.gas < intrinsicGas) {
    throw failure(`intrinsic gas too low: msg.gas ${terms.gas}, want ${intrinsicGas}`, "too-little-gas");
  }
  try {
    return simulate(world, terms, { ...given, intrinsicGas });
  } catch (error) {
    if (!(error instanceof ExecutionError)) throw error;
    const reason = error.code === "floor-gas" ? "too-little-gas" : undefined;
    throw failure(`err: ${error.message} (supplied gas ${terms.gas})`, reason);
  }
}

/** Throws the `RpcError` of a call that failed inside. */
export function checkCall({ status, output }: Transition, { readsPanics = true }: CallLimits): void {
  if (status === STATUS_SUCCESS) return;
  if (status === REVERTED && output.length > 0) {
    const isPanic = output[0] === PANIC;
    const reason = isPanic && !readsPanics ? undefined : revertReason(output);
    const message = reason === undefined ? "execution reverted" : `execution reverted: ${reason}`;
    throw new RpcError(rpcCode.reverted, message, `"${toHex(output)}"`);
  }
  throw failure(STATUS_TEXTS.get(status) ?? STATUS_TEXTS.get(VM_ERROR) ?? "");
}
