/** Contract calls and gas estimates, which change no state. They run in reader threads. */
import type { Address } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";
import { MAX_UINT64 } from "../bytes/integer.ts";
import { accessListResult } from "../calls/access-list.ts";
import { applyOverrides } from "../calls/apply-overrides.ts";
import { type BlockReference, blockReference, referencedNumber } from "../calls/arguments/block-number.ts";
import { type AccountOverride, stateOverrides } from "../calls/arguments/state-overrides.ts";
import { type CallArgs, callArgs, ethArgs } from "../calls/arguments/transaction-args.ts";
import { type ChainReading, contextOf, type OpenReading } from "../calls/chain-reading.ts";
import { checkFunds, searchGas } from "../calls/gas-search.ts";
import { type InlineCalls, MAX_INLINE_GAS, MAX_INLINE_SEARCH_GAS } from "../calls/inline-calls.ts";
import { type CallLimits, callOf, gasOf, requireSuccess, runCall } from "../calls/run-call.ts";
import { checkOnePrice } from "../calls/transaction-draft.ts";
import type { Transition } from "../execution/transition.ts";
import { optional } from "../jsonrpc/codec.ts";
import { data, quantity, quantity64 } from "../jsonrpc/codecs/hex.ts";
import { plain, text } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { recordSchema } from "../jsonrpc/schemas.ts";
import { accessListSchema } from "../presenters/block-schemas.ts";
import type { World } from "../state/world/world.ts";

/** Dependencies of the methods that call contracts. */
export interface CallMethodDeps {
  readonly open: OpenReading;
  readonly limits: CallLimits;
  /** Deadline of a call, in milliseconds. */
  readonly timeoutMs: number;
  /** Runs short calls on the newest state inline; absent in reader threads. */
  readonly inlineCalls?: InlineCalls;
  /** Runs short gas searches on the newest state inline; present on a development chain alone. */
  readonly inlineSearches?: InlineCalls | undefined;
}

const LATEST: BlockReference = { number: "latest" };
const PENDING: BlockReference = { number: "pending" };

/** Parameters of a call or estimate. */
interface CallQuery {
  readonly args: CallArgs;
  readonly block: BlockReference | undefined;
  readonly overrides?: readonly AccountOverride[] | undefined;
  /** The fee cap limits the gas as a gas price does. */
  readonly capCounts?: boolean;
}

/** The methods; the node registers them and its reader threads serve them. */
export function callMethods(deps: CallMethodDeps): Method[] {
  return [...resultMethods(deps), ...costMethods(deps)];
}

const accessListResultSchema = recordSchema({
  accessList: accessListSchema,
  "error?": text.schema,
  gasUsed: quantity.schema,
});

/** Returns the members of a method that executes code for a caller: its thread and its deadline. */
export function callsInReader(deps: Pick<CallMethodDeps, "timeoutMs">) {
  const message = `execution aborted (timeout = ${goSeconds(deps)})`;
  return { runs: "reader", expires: { afterMs: deps.timeoutMs, message } } as const;
}

function resultMethods(deps: CallMethodDeps): Method[] {
  const reader = callsInReader(deps);
  const overrides = optional(stateOverrides);
  return [
    method({
      name: "chain_call",
      aliases: ["auction_call"],
      summary: "Executes a call on the state after a block and returns its output. Changes no state.",
      params: { args: callArgs, block: blockReference },
      result: data,
      ...reader,
      inline: (question) => callInline(deps, question),
      handle: (question) => executeCall(deps, question),
    }),
    method({
      name: "eth_call",
      summary:
        "Executes a call on the state after a block, with optional state overrides, and returns its output. Changes no state.",
      params: { args: ethArgs, block: blockReference, overrides },
      result: data,
      ...reader,
      inline: (question) => callInline(deps, question),
      handle: (question) => executeCall(deps, question),
    }),
  ];
}

function costMethods(deps: CallMethodDeps): Method[] {
  const reader = callsInReader(deps);
  const overrides = optional(stateOverrides);
  return [
    method({
      name: "chain_estimateGas",
      summary: "Estimates the lowest gas limit with which a call succeeds.",
      params: { args: callArgs, block: optional(blockReference, LATEST), overrides },
      result: quantity,
      ...reader,
      inline: (question) => searchInline(deps, question),
      handle: (question) => estimateGas(deps, question),
    }),
    method({
      name: "eth_estimateGas",
      summary: "Estimates the lowest gas limit with which a call succeeds.",
      params: { args: ethArgs, block: optional(blockReference, LATEST), overrides },
      result: quantity,
      ...reader,
      inline: (question) => searchInline(deps, { ...question, capCounts: true }),
      handle: (question) => estimateGas(deps, { ...question, capCounts: true }),
    }),
    method({
      name: "chain_createAccessList",
      aliases: ["eth_createAccessList"],
      summary: "Creates the access list of a call (EIP-2930), with the gas that the call uses with it.",
      params: { args: ethArgs, block: optional(blockReference, PENDING) },
      result: plain<object>("access list", accessListResultSchema),
      ...reader,
      handle: (question) => createAccessList(deps, question),
    }),
    method({
      name: "chain_estimateComputationCost",
      summary: "Returns the computation cost of a call, also of a failing one.",
      params: { args: callArgs, block: blockReference },
      result: quantity64,
      ...reader,
      handle: (question) => costOf(deps, question),
    }),
  ];
}

/** Estimates the gas of a call on the newest state. Throws `RpcError`. */
export function estimateOnHead(deps: CallMethodDeps, args: CallArgs): bigint {
  return estimateGas(deps, { args, block: LATEST });
}

/** Dependencies of a call, with the gas after which an inline call is abandoned. */
interface ExecutionDeps extends CallMethodDeps {
  readonly gasBudget?: number;
}

function executeCall(deps: ExecutionDeps, question: CallQuery): Uint8Array {
  using reading = deps.open();
  const transition = executeOutcome(deps, reading, question);
  requireSuccess(transition, deps.limits);
  return transition.output;
}

const NO_BYTES = new Uint8Array(0);
const SELECTOR_LENGTH = 4;

function callInline(deps: CallMethodDeps, query: CallQuery): Uint8Array | undefined {
  return runInline(deps.inlineCalls, query, () => executeCall({ ...deps, gasBudget: MAX_INLINE_GAS }, query));
}

function searchInline(deps: CallMethodDeps, query: CallQuery): bigint | undefined {
  return runInline(deps.inlineSearches, query, () =>
    estimateGas({ ...deps, gasBudget: MAX_INLINE_SEARCH_GAS }, query),
  );
}

/** Runs a query on the newest state inline. Returns undefined for one that needs more gas or another state. */
function runInline<T>(
  calls: InlineCalls | undefined,
  { args, block, overrides = [] }: CallQuery,
  run: () => T,
): T | undefined {
  const isNewest = block?.number === "latest" || block?.number === "pending";
  // The gas of the call does not bound the recovery of authorizations.
  const isPlain = overrides.length === 0 && args.authorizationList === undefined;
  return isNewest && isPlain ? calls?.run(() => kindOf(args), run) : undefined;
}

/** Identifies calls of one function of a contract. */
function kindOf(args: CallArgs): string {
  const input = args.input ?? args.data ?? NO_BYTES;
  return mapKey(args.to ?? NO_BYTES) + mapKey(input.subarray(0, SELECTOR_LENGTH));
}

function createAccessList(deps: CallMethodDeps, { args, block }: CallQuery): object {
  using reading = deps.open();
  const number = referencedNumber(reading, block);
  const context = contextOf(reading, number);
  const newestNonce = (sender: Address): bigint => reading.worldAt(reading.head).nonce(sender);
  const world = (): World => reading.worldAt(number);
  return accessListResult(args, { world, newestNonce, context, limits: deps.limits });
}

/**
 * Returns the computation cost of a call. Like the Go node's sum, it wraps at 64 bits: a modexp whose gas
 * overflows subtracts 1.
 */
function costOf(deps: CallMethodDeps, question: CallQuery): bigint {
  using reading = deps.open();
  return BigInt.asUintN(64, BigInt(executeOutcome(deps, reading, question).computation));
}

function executeOutcome(
  deps: ExecutionDeps,
  reading: ChainReading,
  { args, block, overrides = [] }: CallQuery,
): Transition {
  const number = referencedNumber(reading, block);
  const context = contextOf(reading, number);
  const world = applyOverrides(reading.worldAt(number), overrides, deps.limits);
  return runCall(world, callOf(args, context, deps.limits), { context, gasBudget: deps.gasBudget });
}

function estimateGas(deps: ExecutionDeps, { args, block, overrides = [], capCounts }: CallQuery): bigint {
  using reading = deps.open();
  const number = referencedNumber(reading, block);
  const context = contextOf(reading, number);
  const { upperGas, maxEstimate = MAX_UINT64 } = deps.limits;
  const offered = args.gasPrice ?? (capCounts ? args.maxFeePerGas : undefined) ?? 0n;
  if (capCounts) checkOnePrice(args);
  gasOf(args.gas, { upperGas: maxEstimate, gasCap: 0n });
  checkFunds(reading.worldAt(number), args, offered);
  const asked = args.gas !== undefined && args.gas >= 21_000n ? args.gas : upperGas;
  const terms = callOf({ ...args, gas: asked }, context, { ...deps.limits, upperGas: asked, gasCap: 0n });
  return searchGas(terms, {
    world: () => applyOverrides(reading.worldAt(number), overrides, deps.limits),
    context,
    limits: deps.limits,
    offered,
    gasBudget: deps.gasBudget,
  });
}

/** Formats the deadline as a Go duration. */
function goSeconds({ timeoutMs }: Pick<CallMethodDeps, "timeoutMs">): string {
  return timeoutMs % 1000 === 0 ? `${timeoutMs / 1000}s` : `${timeoutMs}ms`;
}
