/** Applies a suite's message to a world as the Go node's test runner does: execution.md 3.3 without signatures. */
import type { Rules } from "../../node/config/rules.ts";
import { createEvm, type EvmBlock, type EvmResult } from "../../node/evm/evm.ts";
import { activePrecompiles } from "../../node/evm/precompiles.ts";
import type { Tracer } from "../../node/evm/tracer.ts";
import type { World } from "../../node/state/world.ts";

/** A message and how it pays. */
export interface SuiteMessage {
  readonly from: Uint8Array;
  /** Undefined creates a contract. */
  readonly to: Uint8Array | undefined;
  readonly nonce: bigint;
  readonly value: bigint;
  readonly gas: bigint;
  readonly input: Uint8Array;
  /** What a unit of gas costs. */
  readonly price: bigint;
  /** What a unit of gas has to be covered for. */
  readonly priceCap: bigint;
  readonly accessList: readonly (readonly [address: Uint8Array, keys: readonly bigint[]])[];
}

/** Where a message runs. */
export interface SuiteContext {
  readonly world: World;
  readonly rules: Rules;
  readonly block: EvmBlock;
  readonly intrinsicGas: bigint;
  /** Who is paid, and how much for a unit of gas. */
  readonly collector: Uint8Array;
  readonly collected: bigint;
  readonly tracer?: Tracer;
}

const MAX_NONCE = 0xffff_ffff_ffff_ffffn;

/** How the message ended, or why it was refused; a refused one leaves the world as it was. */
export function applyMessage(message: SuiteMessage, context: SuiteContext): EvmResult | string {
  const { world, rules, intrinsicGas } = context;
  const { from, gas } = message;
  const refusal = refusalOf(message, context);
  if (refusal !== undefined) return refusal;
  world.subtractBalance(from, gas * message.price);
  warmUp(message, context);
  const result = run(message, context, gas - intrinsicGas);
  const used = gas - result.gasLeft;
  const most = used / rules.refundQuotient;
  const refund = BigInt(world.refund);
  const paid = used - (refund < most ? refund : most);
  world.addBalance(from, (gas - paid) * message.price);
  world.addBalance(context.collector, paid * context.collected);
  return result;
}

function refusalOf(message: SuiteMessage, { world, rules, intrinsicGas }: SuiteContext): string | undefined {
  const { from, nonce, gas, value, to, input } = message;
  const balance = world.balance(from);
  if (world.nonce(from) !== nonce) return "nonce";
  if (nonce === MAX_NONCE) return "nonce has max value";
  if (balance < gas * message.price) return "insufficient balance to pay for gas";
  if (gas < intrinsicGas) return "intrinsic gas too low";
  if (balance < gas * message.priceCap + value) return "insufficient balance for transfer";
  const limit = rules.maxInitcodeSize;
  return to === undefined && limit !== undefined && input.length > limit ? "max initcode size" : undefined;
}

/** Access list preparation. */
function warmUp({ from, to, accessList }: SuiteMessage, { world, rules, block }: SuiteContext): void {
  world.warmAddress(from);
  if (to !== undefined) world.warmAddress(to);
  for (const address of activePrecompiles(rules)) world.warmAddress(address);
  if (rules.maxInitcodeSize !== undefined) world.warmAddress(block.author);
  for (const [address, keys] of accessList) {
    world.warmAddress(address);
    for (const key of keys) world.warmSlot(address, key);
  }
}

function run(message: SuiteMessage, context: SuiteContext, gas: bigint): EvmResult {
  const { world, rules, block, tracer } = context;
  const { from, to, input, value } = message;
  const evm = createEvm({
    world,
    rules,
    chainId: 1n,
    block,
    transaction: { origin: from, gasPrice: message.price, feePayer: from, blobHashes: [] },
    computationLimit: Number.POSITIVE_INFINITY,
    ...(tracer === undefined ? {} : { tracer }),
  });
  if (to === undefined) return evm.create({ caller: from, code: input, value, gas });
  world.setNonce(from, message.nonce + 1n);
  return evm.call({ caller: from, to, input, value, gas });
}
