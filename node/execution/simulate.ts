/**
 * Simulated calls on a discarded world: without signature and nonce, by a sender who is granted the cost of
 * the gas. The Go node's `DoCall` (`api/api_kaia_blockchain.go@v2.2.2`).
 */
import type { Address } from "../bytes/brands.ts";
import type { Tracer } from "../evm/tracer.ts";
import { floorGasOf, intrinsicGasOf } from "../model/transaction-gas.ts";
import type { AccessListEntry, Authorization, TypeFields } from "../model/transaction-type.ts";
import type { World } from "../state/world/world.ts";
import { EMPTY_ACCESS_LIST, type ExecutionMessage } from "./message.ts";
import type { BlockContext } from "./transaction.ts";
import { applyMessage, type Transition } from "./transition.ts";

/** A call of an RPC client; every amount may be zero. */
export interface SimulatedCall {
  readonly from: Address;
  /** Recipient; undefined for a contract creation. */
  readonly to: Address | undefined;
  readonly gas: bigint;
  /** Gas price, followed by the caps. */
  readonly price: bigint;
  readonly gasFeeCap: bigint;
  readonly gasTipCap: bigint;
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly accessList?: readonly AccessListEntry[] | undefined;
  /** Authorizations to apply before the call (EIP-7702). */
  readonly authorizationList?: readonly Authorization[] | undefined;
  /** Lists that are charged as intrinsic gas, when they differ from the call's own. */
  readonly charged?: Pick<TypeFields, "accessList" | "authorizationList">;
  /** Amount granted to the sender for the gas, in peb; the whole cost of the gas when absent. */
  readonly granted?: bigint;
}

/** Returns the intrinsic gas of a call. */
export function callIntrinsicGas(call: SimulatedCall, { rules }: Pick<BlockContext, "rules">): bigint {
  return intrinsicGasOf(contentOf(call), rules.legacyInputGas, rules);
}

/** Dependencies of a simulated call. */
export interface SimulationDeps {
  readonly context: BlockContext;
  readonly tracer?: Tracer | undefined;
  /** Intrinsic gas, where it is known. */
  readonly intrinsicGas?: bigint;
  /** Gas budget, see `EvmOptions`. */
  readonly gasBudget?: number | undefined;
}

/** Runs a call as part of a block. Throws `ExecutionError` for a call that no block may contain. */
export function simulate(world: World, call: SimulatedCall, given: SimulationDeps): Transition {
  const { context, tracer, gasBudget } = given;
  const { chainId, rules, block, maxBlobs } = context;
  world.addBalance(call.from, call.granted ?? call.gas * call.price);
  const message = messageOf(world, call, given);
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
  call: SimulatedCall,
  { context, intrinsicGas }: SimulationDeps,
): ExecutionMessage {
  return {
    sender: call.from,
    payer: call.from,
    feeRatio: undefined,
    nonce: world.nonce(call.from),
    gas: call.gas,
    price: call.price,
    gasFeeCap: call.gasFeeCap,
    gasTipCap: call.gasTipCap,
    value: call.value,
    action: "call",
    to: call.to,
    hasZeroRecipient: false,
    input: call.input,
    key: undefined,
    accessList: call.accessList ?? EMPTY_ACCESS_LIST,
    authorizationList: call.authorizationList,
    blobHashes: undefined,
    maxFeePerBlobGas: 0n,
    intrinsicGas: intrinsicGas ?? callIntrinsicGas(call, context),
    floorGas: floorGasOf(contentOf(call), context.rules),
  };
}

function contentOf(call: SimulatedCall): Parameters<typeof intrinsicGasOf>[0] {
  const { to, input, value, accessList, authorizationList } = call;
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
    fields: call.charged ?? own,
  };
}
