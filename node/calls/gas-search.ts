/** Gas estimation: a binary search for the lowest gas limit with which a call succeeds. */
import type { Address } from "../bytes/brands.ts";
import type { SimulatedCall } from "../execution/simulate.ts";
import type { BlockContext } from "../execution/transaction.ts";
import type { Transition } from "../execution/transition.ts";
import { failure, RpcError } from "../jsonrpc/errors.ts";
import { STATUS_SUCCESS } from "../model/receipt-status.ts";
import type { World } from "../state/world/world.ts";
import type { CallArgs } from "./arguments/transaction-args.ts";
import { type CallLimits, requireSuccess, runCall } from "./run-call.ts";

const MIN_GAS = 20_999n;
const OUT_OF_GAS = 7;
const ZERO_ADDRESS: Address = new Uint8Array(20);

/** Dependencies of a gas estimation. `world` opens a new world for each attempt. */
export interface GasSearchDeps {
  readonly world: () => World;
  readonly context: BlockContext;
  readonly limits: CallLimits;
  /** Gas price in the caller's arguments; 0 without one. */
  readonly offered: bigint;
  /** Gas after which the search throws `GasBudgetExceeded`, for each attempt; undefined for no bound. */
  readonly gasBudget?: number | undefined;
}

/**
 * Returns the lowest gas limit with which the call succeeds. Throws `RpcError` when the call fails with the
 * highest one.
 */
export function searchGas(call: SimulatedCall, deps: GasSearchDeps): bigint {
  const most = highestGas(call, deps);
  let [low, high] = [MIN_GAS, most];
  while (low + 1n < high) {
    const middle = (low + high) / 2n;
    if (attempt({ ...call, gas: middle }, deps)?.status === STATUS_SUCCESS) high = middle;
    else low = middle;
  }
  if (high === most) checkHighest({ ...call, gas: most }, deps);
  return high;
}

/** Checks that a sender who offers a gas price has more than the transferred value. Throws `RpcError`. */
export function checkFunds(
  world: World,
  { from = ZERO_ADDRESS, value = 0n }: CallArgs,
  offered: bigint,
): void {
  if (offered > 0n && world.balance(from) <= value) throw failure("insufficient funds for transfer");
}

/** Returns the highest gas limit that the arguments, the sender's balance and the node's cap allow. */
function highestGas(call: SimulatedCall, { world, limits: { gasCap }, offered }: GasSearchDeps): bigint {
  let most = call.gas;
  if (offered > 0n) {
    const affordable = (world().balance(call.from) - call.value) / offered;
    if (affordable < most) most = affordable;
  }
  return gasCap !== 0n && gasCap < most ? gasCap : most;
}

/** Runs the call once. Returns `undefined` when the gas is below the intrinsic gas. */
function attempt(call: SimulatedCall, { world, context, gasBudget }: GasSearchDeps): Transition | undefined {
  try {
    return runCall(world(), call, { context, gasBudget });
  } catch (error) {
    if (error instanceof RpcError && error.reason === "too-little-gas") return undefined;
    throw error;
  }
}

function checkHighest(call: SimulatedCall, deps: GasSearchDeps): void {
  const transition = attempt(call, deps);
  if (transition?.status === STATUS_SUCCESS) return;
  if (transition !== undefined && transition.status !== OUT_OF_GAS) requireSuccess(transition, deps.limits);
  throw failure(`gas required exceeds allowance (${call.gas})`);
}
