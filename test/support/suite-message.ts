/** Applies a suite's message to a world by the chain's own state transition, without signatures. */
import { wordBytes } from "../../node/bytes/word.ts";
import type { Rules } from "../../node/config/rules.ts";
import type { EvmBlock } from "../../node/evm/evm.ts";
import type { Tracer } from "../../node/evm/tracer.ts";
import { ExecutionError } from "../../node/execution/error.ts";
import { applyMessage } from "../../node/execution/transition.ts";
import { floorGasAbove } from "../../node/model/transaction-gas.ts";
import type { Authorization } from "../../node/model/transaction-type.ts";
import type { World } from "../../node/state/world/world.ts";

/** A message and how it pays. */
export interface SuiteMessage {
  readonly from: Uint8Array;
  /** Undefined creates a contract. */
  readonly to: Uint8Array | undefined;
  readonly nonce: bigint;
  readonly value: bigint;
  readonly gas: bigint;
  readonly input: Uint8Array;
  /** Price of a unit of gas. */
  readonly price: bigint;
  /** Maximum price of a unit of gas for the sender. */
  readonly priceCap: bigint;
  /** Maximum offer of the sender above the base fee. */
  readonly tipCap: bigint;
  readonly accessList: readonly (readonly [address: Uint8Array, keys: readonly bigint[]])[];
  readonly authorizationList: readonly Authorization[] | undefined;
  readonly blobHashes: readonly Uint8Array[] | undefined;
  readonly maxFeePerBlobGas: bigint;
}

/** Surroundings of a message. */
export interface SuiteContext {
  readonly world: World;
  readonly rules: Rules;
  readonly block: EvmBlock;
  readonly intrinsicGas: bigint;
  /** Maximum number of blobs of a transaction. */
  readonly maxBlobs: number;
  /** The account that is paid, and its price for a unit of gas. */
  readonly collector: Uint8Array;
  readonly collected: bigint;
  readonly tracer?: Tracer;
}

/** Base gas of every type of Ethereum under EIP-7623. */
const FLOOR_BASE_GAS = 21_000n;

/** The end of the message: `refused: ...` for one that leaves the world as it was, else `ok` or its failure. */
export function applySuiteMessage(message: SuiteMessage, context: SuiteContext): string {
  const { world, rules, block, collector, collected, intrinsicGas, maxBlobs, tracer } = context;
  const { from, accessList, priceCap, tipCap, ...own } = message;
  try {
    const { gasUsed, failure } = applyMessage(
      world,
      {
        ...own,
        sender: from,
        payer: from,
        feeRatio: undefined,
        gasFeeCap: priceCap,
        gasTipCap: tipCap,
        action: "call",
        hasZeroRecipient: false,
        key: undefined,
        accessList: accessList.map(([address, keys]) => ({ address, storageKeys: keys.map(wordBytes) })),
        intrinsicGas,
        floorGas: floorGasAbove(FLOOR_BASE_GAS, message.input, rules),
      },
      {
        chainId: 1n,
        rules,
        block,
        maxBlobs,
        feeReceiver: undefined,
        computationLimit: Number.POSITIVE_INFINITY,
        tracer,
      },
    );
    world.addBalance(collector, gasUsed * collected);
    return failure ?? "ok";
  } catch (error) {
    if (error instanceof ExecutionError) return `refused: ${error.message}`;
    throw error;
  }
}
