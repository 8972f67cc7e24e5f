/**
 * Creates access lists (EIP-2930): runs a call with the list found so far until the list no longer changes.
 */
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { bareHex, mapKey, toHex } from "../bytes/hex.ts";
import { bytesToBigint, MAX_UINT64, toQuantity } from "../bytes/integer.ts";
import { wordBytes } from "../bytes/word.ts";
import { createAddress } from "../evm/address.ts";
import { isWarmFromStart } from "../evm/precompiles.ts";
import { type AccessedState, accessTracer } from "../evm/tracers/access-tracer.ts";
import { ExecutionError } from "../execution/error.ts";
import { type SimulatedCall, simulate } from "../execution/simulate.ts";
import type { BlockContext } from "../execution/transaction.ts";
import type { Transition } from "../execution/transition.ts";
import { failure } from "../jsonrpc/errors.ts";
import { authorityOf } from "../model/authorization.ts";
import { STATUS_SUCCESS, statusText } from "../model/receipt-status.ts";
import { AUTHORIZATION_GAS } from "../model/transaction-gas.ts";
import type { AccessListEntry } from "../model/transaction-type.ts";
import type { World } from "../state/world/world.ts";
import type { CallArgs } from "./arguments/transaction-args.ts";
import { type CallLimits, gasOf, priceWithoutCaps } from "./run-call.ts";
import { unsignedTransaction } from "./sign-transaction.ts";
import {
  ACCESS_LIST,
  checkCapAboveTip,
  checkCoversBaseFee,
  checkNotEmpty,
  checkOnePrice,
  checkPrices,
  checkSetCodeRecipient,
  DYNAMIC_FEE,
  ethInput,
  SET_CODE,
} from "./transaction-draft.ts";

/** Dependencies of an access list's creation. `world` opens a new world for each run. */
export interface AccessListDeps {
  readonly world: () => World;
  /** Returns the nonce of an account in the newest state, whatever block the call is run on. */
  readonly newestNonce: (sender: Address) => bigint;
  readonly context: BlockContext;
  readonly limits: CallLimits;
}

const ZERO_ADDRESS: Address = new Uint8Array(20);
/**
 * Maximum number of runs. Every run but the last one adds an entry, and a call within its deadline needs far
 * fewer.
 */
const MAX_RUNS = 64;

/**
 * Formats the access list that a call needs, with the gas that it uses. Throws `RpcError` for a sender
 * without funds or contradictory arguments.
 */
export function accessListResult(args: CallArgs, deps: AccessListDeps): object {
  const call = listedCall(args, deps);
  const authorities = authoritiesOf(call, deps.context.chainId);
  let list = args.accessList ?? [];
  for (let run = 0; run < MAX_RUNS; run++) {
    const { transition, touched } = attempt({ ...call, accessList: list, authorities }, deps);
    const next = touched.map(entryOf);
    if (isSame(next, list)) return resultJson(next, transition);
    list = next;
  }
  throw failure("the access list grows without end");
}

/** A call with what the transaction that would be sent has besides. */
interface ListedCall extends SimulatedCall {
  readonly sent: Pick<SimulatedCall, "gasFeeCap" | "gasTipCap">;
  readonly code: number;
  readonly nonce: bigint;
  readonly chainId: bigint;
}

function listedCall(args: CallArgs, { context, limits, newestNonce }: AccessListDeps): ListedCall {
  checkOnePrice(args);
  // the Go nodes read a base fee that is not there
  if (limits.accessListsNeedBaseFee === true && !context.rules.baseFee)
    throw failure("method handler crashed");
  const sent = pricesOf(args, context, limits);
  const input = ethInput(args);
  checkNotEmpty(args, input);
  const { from = ZERO_ADDRESS, to, value = 0n, authorizationList } = args;
  checkAuthorizationGas(args, limits);
  checkPrices(args);
  checkSetCodeRecipient(args);
  const gas = gasOf(args.gas, limits);
  const { baseFee } = context.block;
  const prices = authorizationList === undefined ? sent : priceWithoutCaps(baseFee);
  const granted = gas * grantedPrice(args, { limits, baseFee, cap: sent.gasFeeCap });
  const { nonce = newestNonce(from), chainId = context.chainId } = args;
  const whole = { from, to, gas, ...prices, value, input, authorizationList, granted, charged: {} }; // neither lists nor authorizations, as in the Go node
  return { ...whole, sent, code: codeOf(args, context), nonce, chainId };
}

function checkAuthorizationGas({ authorizationList = [], gas }: CallArgs, { upperGas }: CallLimits): void {
  if (BigInt(authorizationList.length) > (gas ?? upperGas) / AUTHORIZATION_GAS)
    throw failure("insufficient gas to process all authorizations");
}

/** Returns the type of the transaction that would be sent, which has an access list. */
function codeOf({ gasPrice, authorizationList }: CallArgs, { rules }: BlockContext): number {
  if (authorizationList !== undefined) return SET_CODE;
  return gasPrice === undefined && rules.acceptedTypes.has(DYNAMIC_FEE) ? DYNAMIC_FEE : ACCESS_LIST;
}

/** Returns the price that the sender need not have; on a development chain all of it when the call names none. */
function grantedPrice(
  { gasPrice, maxFeePerGas }: CallArgs,
  { limits, baseFee, cap }: { readonly limits: CallLimits; readonly baseFee: bigint; readonly cap: bigint },
): bigint {
  const isFree = limits.takesLowPrices === true && gasPrice === undefined && maxFeePerGas === undefined;
  return isFree ? cap : baseFee;
}

/**
 * Returns the map keys of the accounts with a valid authorization (EIP-7702). Like the sender, they need no
 * entry.
 */
function authoritiesOf({ authorizationList = [] }: SimulatedCall, chainId: bigint): ReadonlySet<string> {
  const authorities = authorizationList
    .filter((each) => (each.chainId === 0n || each.chainId === chainId) && each.nonce < MAX_UINT64)
    .map(authorityOf)
    .filter((authority) => authority !== undefined);
  return new Set(authorities.map(mapKey));
}

/**
 * Returns the prices of a call. Without a price in the arguments, the cap is the node's suggestion. Throws `RpcError` for
 * caps that the Go node refuses.
 */
function pricesOf(
  args: CallArgs,
  { block, rules }: BlockContext,
  { takesLowPrices = false }: CallLimits,
): Pick<SimulatedCall, "price" | "gasFeeCap" | "gasTipCap"> {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas = 0n } = args;
  if (!rules.baseFee) {
    const price = gasPrice ?? 0n;
    return { price, gasFeeCap: price, gasTipCap: price };
  }
  const paysBaseFee = rules.effectivePrice === "base-fee";
  const suggested = paysBaseFee ? block.baseFee * 2n : (block.baseFee * 110n) / 100n;
  if (gasPrice === undefined && !takesLowPrices) checkCaps(args, suggested);
  const gasFeeCap = gasPrice ?? maxFeePerGas ?? suggested;
  const gasTipCap = gasPrice ?? maxPriorityFeePerGas;
  return { price: paysBaseFee ? block.baseFee : gasFeeCap, gasFeeCap, gasTipCap };
}

/** Checks fee caps as for a transaction (`setDefaults` in `api/tx_args.go@v2.2.2`). Throws `RpcError`. */
function checkCaps({ maxFeePerGas, maxPriorityFeePerGas }: CallArgs, suggested: bigint): void {
  checkCoversBaseFee(suggested, maxFeePerGas ?? suggested);
  if (maxFeePerGas === undefined || maxPriorityFeePerGas === undefined)
    checkCapAboveTip(maxFeePerGas ?? suggested, maxPriorityFeePerGas ?? 0n);
}

function attempt(
  call: ListedCall & { readonly authorities: ReadonlySet<string> },
  { world: open, context }: AccessListDeps,
): { readonly transition: Transition; readonly touched: readonly AccessedState[] } {
  const world = open();
  const target = call.to ?? createAddress(call.from, call.nonce);
  const free = (address: Address): boolean =>
    equalBytes(address, call.from) ||
    equalBytes(address, target) ||
    call.authorities.has(mapKey(address)) ||
    isWarmFromStart(address, context.rules);
  const known = (call.accessList ?? []).map(({ address, storageKeys }) => ({
    address,
    slots: storageKeys.map(bytesToBigint),
  }));
  const tracer = accessTracer(known, free);
  try {
    return { transition: simulate(world, call, { context, tracer }), touched: tracer.touched };
  } catch (error) {
    if (!(error instanceof ExecutionError)) throw error;
    throw failure(`failed to apply transaction: ${hashOf(call)} err: ${error.message}`);
  }
}

/**
 * Returns the hash of the unsigned transaction that the call stands for, as Ethereum's clients compute it.
 */
function hashOf(call: ListedCall): string {
  const { authorizationList, accessList = [], sent, chainId } = call;
  const fields = { accessList, ...(authorizationList === undefined ? {} : { authorizationList }) };
  return toHex(unsignedTransaction({ ...call, ...sent, fields }, chainId).hash);
}

function entryOf({ address, slots }: AccessedState): AccessListEntry {
  return { address, storageKeys: slots.map((slot) => wordBytes(slot)) };
}

function isSame(a: readonly AccessListEntry[], b: readonly AccessListEntry[]): boolean {
  return keysOf(a) === keysOf(b);
}

function keysOf(list: readonly AccessListEntry[]): string {
  return list
    .map(({ address, storageKeys }) => `${bareHex(address)}:${storageKeys.map(bareHex).sort().join()}`)
    .sort()
    .join(" ");
}

function resultJson(list: readonly AccessListEntry[], { status, gasUsed }: Transition): object {
  return {
    accessList: list.map(({ address, storageKeys }) => ({
      address: toHex(address),
      storageKeys: storageKeys.map(toHex),
    })),
    ...(status === STATUS_SUCCESS ? {} : { error: statusText(status) }),
    gasUsed: toQuantity(gasUsed),
  };
}
