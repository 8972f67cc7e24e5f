/** The access list with which a call costs least: it is run again and again until it touches nothing more. */
import { equalBytes } from "../bytes/compare.ts";
import { bareHex, toHex } from "../bytes/hex.ts";
import { bytesToBigint, toQuantity } from "../bytes/integer.ts";
import { wordBytes } from "../bytes/word.ts";
import { createAddress } from "../evm/address.ts";
import { isWarmFromStart } from "../evm/precompiles.ts";
import { accessTracer, type Touched } from "../evm/tracers/access-tracer.ts";
import { ExecutionError } from "../execution/error.ts";
import { type CallTerms, simulate } from "../execution/simulate.ts";
import type { BlockContext } from "../execution/transaction.ts";
import type { Transition } from "../execution/transition.ts";
import { failure } from "../jsonrpc/errors.ts";
import type { AccessListEntry } from "../model/transaction-type.ts";
import type { World } from "../state/world/world.ts";
import type { CallArgs } from "./arguments/transaction-args.ts";
import type { CallLimits } from "./run-call.ts";
import { unsignedTransaction } from "./sign-transaction.ts";
import { checkContent, checkPrices, inputOf } from "./transaction-draft.ts";

/** Where the call is tried, each time on a world of its own. */
export interface AccessListParts {
  readonly world: () => World;
  readonly context: BlockContext;
  readonly limits: CallLimits;
}

const NOBODY = new Uint8Array(20);
const DYNAMIC_FEE = 0x7802;
const LEGACY = 0;
/** Every run that is not the last one names more: no call that ends in time needs as many. */
const MOST_RUNS = 64;

/** Throws `RpcError` when the sender cannot pay or the object contradicts itself. */
export function accessListView(args: CallArgs, parts: AccessListParts): object {
  const terms = termsOf(args, parts);
  let list = args.accessList ?? [];
  for (let run = 0; run < MOST_RUNS; run++) {
    const { transition, touched } = attempt({ ...terms, accessList: list }, parts);
    const next = touched.map(entryOf);
    if (isSame(next, list)) return shown(next, transition);
    list = next;
  }
  throw failure("the access list grows without end");
}

function termsOf(args: CallArgs, { context, limits }: AccessListParts): CallTerms {
  checkPrices(args);
  const input = inputOf(args);
  checkContent({ chain: { config: { chainId: context.chainId } } }, { ...args, input });
  const { from = NOBODY, to, value = 0n } = args;
  const gas = args.gas ?? limits.upperGas;
  const granted = gas * context.block.baseFee;
  // the Go node reckons what the caller's own list costs, not what the one found does
  const chargedList = args.accessList ?? [];
  return { from, to, gas, ...pricesOf(args, context), value, input, granted, chargedList };
}

/** Without a price, the cap is what the node suggests; the sender is given what the base fee comes to, no more. */
function pricesOf(
  { gasPrice, maxFeePerGas, maxPriorityFeePerGas = 0n }: CallArgs,
  { block, rules }: BlockContext,
): Pick<CallTerms, "price" | "gasFeeCap" | "gasTipCap"> {
  if (!rules.baseFee) {
    const price = gasPrice ?? 0n;
    return { price, gasFeeCap: price, gasTipCap: price };
  }
  const paysBaseFee = rules.effectivePrice === "base-fee";
  const suggested = paysBaseFee ? block.baseFee * 2n : (block.baseFee * 110n) / 100n;
  const gasFeeCap = gasPrice ?? maxFeePerGas ?? suggested;
  const gasTipCap = gasPrice ?? maxPriorityFeePerGas;
  return { price: paysBaseFee ? block.baseFee : gasFeeCap, gasFeeCap, gasTipCap };
}

function attempt(
  terms: CallTerms,
  { world: open, context }: AccessListParts,
): { readonly transition: Transition; readonly touched: readonly Touched[] } {
  const world = open();
  const nonce = world.nonce(terms.from);
  const target = terms.to ?? createAddress(terms.from, nonce);
  const free = (address: Uint8Array): boolean =>
    equalBytes(address, terms.from) || equalBytes(address, target) || isWarmFromStart(address, context.rules);
  const known = (terms.accessList ?? []).map(({ address, storageKeys }) => ({
    address,
    slots: storageKeys.map(bytesToBigint),
  }));
  const tracer = accessTracer(known, free);
  try {
    return { transition: simulate(world, terms, { context, tracer }), touched: tracer.touched };
  } catch (error) {
    if (!(error instanceof ExecutionError)) throw error;
    throw failure(`failed to apply transaction: ${hashOf(terms, nonce, context)} err: ${error.message}`);
  }
}

/** Of the transaction that the call would be, unsigned, as Ethereum's clients hash it. */
function hashOf(terms: CallTerms, nonce: bigint, { chainId, rules }: BlockContext): string {
  const code = rules.acceptedTypes.has(DYNAMIC_FEE) ? DYNAMIC_FEE : LEGACY;
  const fields = code === DYNAMIC_FEE ? { accessList: terms.accessList ?? [] } : {};
  return toHex(unsignedTransaction({ ...terms, code, nonce, fields }, chainId).hash);
}

function entryOf({ address, slots }: Touched): AccessListEntry {
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

function shown(list: readonly AccessListEntry[], { failure: why, gasUsed }: Transition): object {
  return {
    accessList: list.map(({ address, storageKeys }) => ({
      address: toHex(address),
      storageKeys: storageKeys.map(toHex),
    })),
    ...(why === undefined ? {} : { error: why }),
    gasUsed: toQuantity(gasUsed),
  };
}
