/**
 * What a caller asks about, run on a world that nobody keeps: no signature, no nonce, and a sender who has what the
 * gas costs. The Go node's `DoCall` (rpc.md 2.6.6).
 */
import type { Tracer } from "../evm/tracer.ts";
import { floorGasOf, intrinsicGasOf } from "../model/transaction-gas.ts";
import type { AccessListEntry, Authorization, TypeFields } from "../model/transaction-type.ts";
import type { World } from "../state/world/world.ts";
import { EMPTY_ACCESS_LIST, type ExecutionMessage } from "./message.ts";
import type { BlockContext } from "./transaction.ts";
import { applyMessage, type Transition } from "./transition.ts";

/** A call as callers describe it; all but the last may be zero. */
export interface SimulatedCall {
  readonly from: Uint8Array;
  /** Absent for a creation. */
  readonly to: Uint8Array | undefined;
  readonly gas: bigint;
  /** What a unit of gas costs, and the caps. */
  readonly price: bigint;
  readonly gasFeeCap: bigint;
  readonly gasTipCap: bigint;
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly accessList?: readonly AccessListEntry[] | undefined;
  /** Authorizations to apply before the call (EIP-7702). */
  readonly authorizationList?: readonly Authorization[] | undefined;
  /** The lists whose entries cost gas before the call runs, when they are not its own. */
  readonly charged?: Pick<TypeFields, "accessList" | "authorizationList">;
  /** What the sender is given for the gas; all that the gas costs when left out. */
  readonly granted?: bigint;
}

/** Gas that a call owes before it runs. */
export function callIntrinsicGas(terms: SimulatedCall, { rules }: Pick<BlockContext, "rules">): bigint {
  return intrinsicGasOf(contentOf(terms), rules.legacyInputGas, rules);
}

/** Around a call. */
export interface SimulationDeps {
  readonly context: BlockContext;
  readonly tracer?: Tracer | undefined;
  /** What it owes before it runs, where that is known. */
  readonly intrinsicGas?: bigint;
  /** See `EvmOptions`. */
  readonly gasBudget?: number | undefined;
}

/** Runs a call as part of a block. Throws `ExecutionError` for what no block could hold. */
export function simulate(world: World, terms: SimulatedCall, given: SimulationDeps): Transition {
  const { context, tracer, gasBudget } = given;
  const { chainId, rules, block, maxBlobs } = context;
  world.addBalance(terms.from, terms.granted ?? terms.gas * terms.price);
  const message = messageOf(world, terms, given);
  return applyMessage(world, message, {
    chainId,
    rules,
    block,
    maxBlobs,
    feeReceiver: undefined,
    computationLimit: Number.POSITIVE_INFINITY,
    tracer,
    gasBudget,
  });
}

function messageOf(
  world: World,
  terms: SimulatedCall,
  { context, intrinsicGas }: SimulationDeps,
): ExecutionMessage {
  return {
    sender: terms.from,
    payer: terms.from,
    feeRatio: undefined,
    nonce: world.nonce(terms.from),
    gas: terms.gas,
    price: terms.price,
    gasFeeCap: terms.gasFeeCap,
    gasTipCap: terms.gasTipCap,
    value: terms.value,
    action: "call",
    to: terms.to,
    isNobody: false,
    input: terms.input,
    key: undefined,
    accessList: terms.accessList ?? EMPTY_ACCESS_LIST,
    authorizationList: terms.authorizationList,
    blobHashes: undefined,
    maxFeePerBlobGas: 0n,
    intrinsicGas: intrinsicGas ?? callIntrinsicGas(terms, context),
    floorGas: floorGasOf(contentOf(terms), context.rules),
  };
}

function contentOf(terms: SimulatedCall): Parameters<typeof intrinsicGasOf>[0] {
  const { to, input, value, accessList, authorizationList } = terms;
  const own = {
    ...(accessList === undefined ? {} : { accessList }),
    ...(authorizationList === undefined ? {} : { authorizationList }),
  };
  return {
    nonce: 0n,
    gas: 0n,
    gasFeeCap: 0n,
    gasTipCap: 0n,
    value,
    to,
    input,
    chainId: undefined,
    fields: terms.charged ?? own,
  };
}
