/** The least gas with which a call succeeds, found by halving (rpc.md 2.6.6). */
import type { SimulatedCall } from "../execution/simulate.ts";
import type { BlockContext } from "../execution/transaction.ts";
import type { Transition } from "../execution/transition.ts";
import { failure, RpcError } from "../jsonrpc/errors.ts";
import { STATUS_SUCCESS } from "../model/receipt-status.ts";
import type { World } from "../state/world/world.ts";
import type { CallArgs } from "./arguments/transaction-args.ts";
import { type CallLimits, checkCall, runCall } from "./run-call.ts";

const LEAST = 20_999n;
const OUT_OF_GAS = 7;
const NOBODY = new Uint8Array(20);

/** Where a call is tried, each time on a world of its own. */
export interface SearchParts {
  readonly world: () => World;
  readonly context: BlockContext;
  readonly limits: CallLimits;
  /** The gas price that the caller named, 0 for none. */
  readonly offered: bigint;
}

/** Throws `RpcError` when the call fails with all the gas that there may be. */
export function leastGas(terms: SimulatedCall, parts: SearchParts): bigint {
  const most = mostGas(terms, parts);
  let [low, high] = [LEAST, most];
  while (low + 1n < high) {
    const middle = (low + high) / 2n;
    if (attempt({ ...terms, gas: middle }, parts)?.status === STATUS_SUCCESS) high = middle;
    else low = middle;
  }
  if (high === most) checkMost({ ...terms, gas: most }, parts);
  return high;
}

/** Throws `RpcError` when a price is offered for gas and nothing would be left to pay it. */
export function checkFunds(world: World, { from = NOBODY, value = 0n }: CallArgs, offered: bigint): void {
  if (offered > 0n && world.balance(from) <= value) throw failure("insufficient funds for transfer");
}

/** What the gas asked for, the sender's balance and the node's own limit leave. */
function mostGas(terms: SimulatedCall, { world, limits: { gasCap }, offered }: SearchParts): bigint {
  let most = terms.gas;
  if (offered > 0n) {
    const affordable = (world().balance(terms.from) - terms.value) / offered;
    if (affordable < most) most = affordable;
  }
  return gasCap !== 0n && gasCap < most ? gasCap : most;
}

/** `undefined` when the gas does not even cover what is owed before the call runs. */
function attempt(terms: SimulatedCall, { world, context }: SearchParts): Transition | undefined {
  try {
    return runCall(world(), terms, { context });
  } catch (error) {
    if (error instanceof RpcError && error.reason === "too-little-gas") return undefined;
    throw error;
  }
}

function checkMost(terms: SimulatedCall, parts: SearchParts): void {
  const transition = attempt(terms, parts);
  if (transition?.status === STATUS_SUCCESS) return;
  if (transition !== undefined && transition.status !== OUT_OF_GAS) checkCall(transition, parts.limits);
  throw failure(`gas required exceeds allowance (${terms.gas})`);
}
