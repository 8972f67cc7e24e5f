/** The access list with which a call costs least: it is run again and again until it touches nothing more. */
import { equalBytes } from "../bytes/compare.ts";
import { bareHex, mapKey, toHex } from "../bytes/hex.ts";
import { bytesToBigint, toQuantity } from "../bytes/integer.ts";
import { wordBytes } from "../bytes/word.ts";
import { createAddress } from "../evm/address.ts";
import { isWarmFromStart } from "../evm/precompiles.ts";
import { accessTracer, type Touched } from "../evm/tracers/access-tracer.ts";
import { ExecutionError } from "../execution/error.ts";
import { type SimulatedCall, simulate } from "../execution/simulate.ts";
import type { BlockContext } from "../execution/transaction.ts";
import type { Transition } from "../execution/transition.ts";
import { failure } from "../jsonrpc/errors.ts";
import { authorityOf } from "../model/authorization.ts";
import { AUTHORIZATION_GAS } from "../model/transaction-gas.ts";
import type { AccessListEntry } from "../model/transaction-type.ts";
import type { World } from "../state/world/world.ts";
import type { CallArgs } from "./arguments/transaction-args.ts";
import { type CallLimits, setCodePrices } from "./run-call.ts";
import { unsignedTransaction } from "./sign-transaction.ts";
import { checkContent, checkPrices, checkSetCodeRecipient, inputOf } from "./transaction-draft.ts";

/** Where the call is tried, each time on a world of its own. */
export interface AccessListParts {
  readonly world: () => World;
  readonly context: BlockContext;
  readonly limits: CallLimits;
}

const NOBODY = new Uint8Array(20);
const DYNAMIC_FEE = 0x7802;
const SET_CODE = 0x7804;
const LEGACY = 0;
const MAX_NONCE = (1n << 64n) - 1n;
/** Every run that is not the last one names more: no call that ends in time needs as many. */
const MOST_RUNS = 64;

/** Throws `RpcError` when the sender cannot pay or the object contradicts itself. */
export function accessListView(args: CallArgs, parts: AccessListParts): object {
  const terms = termsOf(args, parts);
  const givers = giversOf(terms, parts.context.chainId);
  let list = args.accessList ?? [];
  for (let run = 0; run < MOST_RUNS; run++) {
    const { transition, touched } = attempt({ ...terms, accessList: list, givers }, parts);
    const next = touched.map(entryOf);
    if (isSame(next, list)) return shown(next, transition);
    list = next;
  }
  throw failure("the access list grows without end");
}

/** A call, with the caps that it would be sent with. */
interface ListedTerms extends SimulatedCall {
  readonly sent: Pick<SimulatedCall, "gasFeeCap" | "gasTipCap">;
}

function termsOf(args: CallArgs, { context, limits }: AccessListParts): ListedTerms {
  checkPrices(args);
  const input = inputOf(args);
  checkContent({ chain: { config: { chainId: context.chainId } } }, { ...args, input });
  const { from = NOBODY, to, value = 0n, authorizationList } = args;
  const gas = args.gas ?? limits.upperGas;
  if (BigInt(authorizationList?.length ?? 0) > gas / AUTHORIZATION_GAS) {
    throw failure("insufficient gas to process all authorizations");
  }
  checkSetCodeRecipient(args);
  const { baseFee } = context.block;
  const sent = pricesOf(args, context);
  const prices = authorizationList === undefined ? sent : setCodePrices(baseFee);
  // the Go node reckons what the caller's own list costs, not what the one found does, and no authorizations
  const charged = { accessList: args.accessList ?? [] };
  return { from, to, gas, ...prices, sent, value, input, authorizationList, granted: gas * baseFee, charged };
}

/** Map keys of the accounts whose authorizations can hold on this chain: as the sender, they are in no list. */
function giversOf({ authorizationList = [] }: SimulatedCall, chainId: bigint): ReadonlySet<string> {
  const givers = authorizationList
    .filter((each) => (each.chainId === 0n || each.chainId === chainId) && each.nonce < MAX_NONCE)
    .map(authorityOf)
    .filter((giver) => giver !== undefined);
  return new Set(givers.map(mapKey));
}

/** Without a price, the cap is what the node suggests; the sender is given what the base fee comes to, no more. */
function pricesOf(
  { gasPrice, maxFeePerGas, maxPriorityFeePerGas = 0n }: CallArgs,
  { block, rules }: BlockContext,
): Pick<SimulatedCall, "price" | "gasFeeCap" | "gasTipCap"> {
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
  terms: ListedTerms & { readonly givers: ReadonlySet<string> },
  { world: open, context }: AccessListParts,
): { readonly transition: Transition; readonly touched: readonly Touched[] } {
  const world = open();
  const nonce = world.nonce(terms.from);
  const target = terms.to ?? createAddress(terms.from, nonce);
  const free = (address: Uint8Array): boolean =>
    equalBytes(address, terms.from) ||
    equalBytes(address, target) ||
    terms.givers.has(mapKey(address)) ||
    isWarmFromStart(address, context.rules);
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
function hashOf(terms: ListedTerms, nonce: bigint, { chainId, rules }: BlockContext): string {
  const { authorizationList, accessList = [], sent } = terms;
  const plain = rules.acceptedTypes.has(DYNAMIC_FEE) ? DYNAMIC_FEE : LEGACY;
  const code = authorizationList === undefined ? plain : SET_CODE;
  const fields = {
    ...(code === LEGACY ? {} : { accessList }),
    ...(authorizationList === undefined ? {} : { authorizationList }),
  };
  return toHex(unsignedTransaction({ ...terms, ...sent, code, nonce, fields }, chainId).hash);
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
