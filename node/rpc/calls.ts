/** Methods that run contracts for a caller and keep nothing of it: they run in reader threads. */
import { mapKey } from "../bytes/hex.ts";
import { accessListJson } from "../calls/access-list.ts";
import { applyOverrides } from "../calls/apply-overrides.ts";
import { type BlockReference, blockReference } from "../calls/arguments/block-number.ts";
import { type AccountOverride, stateOverrides } from "../calls/arguments/state-overrides.ts";
import { type CallArgs, callArgs, ethArgs } from "../calls/arguments/transaction-args.ts";
import { type ChainReading, contextOf, type OpenReading, referencedNumber } from "../calls/chain-reading.ts";
import { checkFunds, searchGas } from "../calls/gas-search.ts";
import { type InlineCalls, MAX_INLINE_GAS } from "../calls/inline-calls.ts";
import { type CallLimits, callOf, checkOutcome, runCall } from "../calls/run-call.ts";
import { checkOnePrice } from "../calls/transaction-draft.ts";
import type { Transition } from "../execution/transition.ts";
import { optional } from "../jsonrpc/codec.ts";
import { data, quantity, quantity64 } from "../jsonrpc/codecs/hex.ts";
import { plain } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";

/** What the calls read, and how far they may go. */
export interface CallParts {
  readonly open: OpenReading;
  readonly limits: CallLimits;
  /** Milliseconds that a call may take. */
  readonly timeoutMs: number;
  /** Where short calls on the newest state are run at once; reader threads have none. */
  readonly brief?: InlineCalls;
}

const LATEST: BlockReference = { number: "latest" };
const PENDING: BlockReference = { number: "pending" };

/** What one question is about. */
interface Question {
  readonly args: CallArgs;
  readonly block: BlockReference | undefined;
  readonly overrides?: readonly AccountOverride[] | undefined;
  /** The most that is offered limits the gas as a single price does. */
  readonly capCounts?: boolean;
}

/** The methods; the same rows are registered in the node and served in its reader threads. */
export function callMethods(parts: CallParts): Method[] {
  return [...resultMethods(parts), ...costMethods(parts)];
}

function inReader(parts: CallParts) {
  const message = `execution aborted (timeout = ${goSeconds(parts)})`;
  return { runs: "reader", expires: { afterMs: parts.timeoutMs, message } } as const;
}

function resultMethods(parts: CallParts): Method[] {
  const reader = inReader(parts);
  const overrides = optional(stateOverrides);
  return [
    method({
      name: "chain_call",
      summary: "What a contract returns to a call after a block; nothing is kept of it.",
      params: { args: callArgs, block: blockReference },
      result: data,
      ...reader,
      inline: (question) => calledBriefly(parts, question),
      handle: (question) => called(parts, question),
    }),
    method({
      name: "eth_call",
      summary: "What a contract returns to a call after a block, on a state changed as the caller says.",
      params: { args: ethArgs, block: blockReference, overrides },
      result: data,
      ...reader,
      inline: (question) => calledBriefly(parts, question),
      handle: (question) => called(parts, question),
    }),
  ];
}

function costMethods(parts: CallParts): Method[] {
  const reader = inReader(parts);
  const overrides = optional(stateOverrides);
  return [
    method({
      name: "chain_estimateGas",
      summary: "The least gas with which a call succeeds.",
      params: { args: callArgs, block: optional(blockReference, LATEST), overrides },
      result: quantity,
      ...reader,
      handle: (question) => estimated(parts, question),
    }),
    method({
      name: "eth_estimateGas",
      summary: "The least gas with which a call succeeds.",
      params: { args: ethArgs, block: optional(blockReference, LATEST), overrides },
      result: quantity,
      ...reader,
      handle: (question) => estimated(parts, { ...question, capCounts: true }),
    }),
    method({
      name: "chain_createAccessList",
      aliases: ["eth_createAccessList"],
      summary: "What a call touches, as the access list with which it costs least, and what it costs then.",
      params: { args: ethArgs, block: optional(blockReference, PENDING) },
      result: plain<object>("access list"),
      ...reader,
      handle: (question) => listed(parts, question),
    }),
    method({
      name: "chain_estimateComputationCost",
      summary: "The computation cost of the opcodes that a call runs, whether it succeeds or not.",
      params: { args: callArgs, block: blockReference },
      result: quantity64,
      ...reader,
      handle: (question) => costOf(parts, question),
    }),
  ];
}

/** The least gas with which a call succeeds on the newest state. Throws `RpcError`. */
export function estimateHere(parts: CallParts, args: CallArgs): bigint {
  return estimated(parts, { args, block: LATEST });
}

/** With the gas after which the call is given up. */
interface Running extends CallParts {
  readonly gasBudget?: number;
}

function called(parts: Running, question: Question): Uint8Array {
  using reading = parts.open();
  const transition = ran(parts, reading, question);
  checkOutcome(transition, parts.limits);
  return transition.output;
}

const NO_BYTES = new Uint8Array(0);
const SELECTOR_LENGTH = 4;

/** The same on the newest state, where it takes little gas; undefined where it does not, or is about something else. */
function calledBriefly(
  { brief, ...parts }: CallParts,
  { args, block, overrides = [] }: Question,
): Uint8Array | undefined {
  const isNewest = block?.number === "latest" || block?.number === "pending";
  // Recovering who gave authorizations takes time that no gas of the call's own bounds.
  const isPlain = overrides.length === 0 && args.authorizationList === undefined;
  if (brief === undefined || !isNewest || !isPlain) return undefined;
  const { to = NO_BYTES, input = args.data ?? NO_BYTES } = args;
  return brief.run(
    () => mapKey(to) + mapKey(input.subarray(0, SELECTOR_LENGTH)),
    () => called({ ...parts, gasBudget: MAX_INLINE_GAS }, { args, block }),
  );
}

function listed(parts: CallParts, { args, block }: Question): object {
  using reading = parts.open();
  const number = referencedNumber(reading, block);
  const context = contextOf(reading, number);
  return accessListJson(args, { world: () => reading.worldAt(number), context, limits: parts.limits });
}

/** The Go node's sum has 64 bits and wraps: a modexp whose gas overflows takes 1 from it. */
function costOf(parts: CallParts, question: Question): bigint {
  using reading = parts.open();
  return BigInt.asUintN(64, BigInt(ran(parts, reading, question).computation));
}

function ran(parts: Running, reading: ChainReading, { args, block, overrides = [] }: Question): Transition {
  const number = referencedNumber(reading, block);
  const context = contextOf(reading, number);
  const world = applyOverrides(reading.worldAt(number), overrides);
  return runCall(world, callOf(args, context, parts.limits), { context, gasBudget: parts.gasBudget });
}

function estimated(parts: CallParts, { args, block, overrides = [], capCounts }: Question): bigint {
  using reading = parts.open();
  const number = referencedNumber(reading, block);
  const context = contextOf(reading, number);
  const { upperGas } = parts.limits;
  const offered = args.gasPrice ?? (capCounts ? args.maxFeePerGas : undefined) ?? 0n;
  if (capCounts) checkOnePrice(args);
  checkFunds(reading.worldAt(number), args, offered);
  const asked = args.gas !== undefined && args.gas >= 21_000n ? args.gas : upperGas;
  const terms = callOf({ ...args, gas: asked }, context, { upperGas: asked, gasCap: 0n });
  return searchGas(terms, {
    world: () => applyOverrides(reading.worldAt(number), overrides),
    context,
    limits: parts.limits,
    offered,
  });
}

/** Seconds as the Go node writes a duration. */
function goSeconds({ timeoutMs }: CallParts): string {
  return timeoutMs % 1000 === 0 ? `${timeoutMs / 1000}s` : `${timeoutMs}ms`;
}
