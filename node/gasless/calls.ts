/**
 * The two calls of gasless transactions (KIP-247): the approval of a token for the swap router, and the swap that pays
 * the fees back (`kaiax/gasless/impl/getter.go@v2.2.2`). Only legacy transactions count, whose highest fee is known.
 */
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { bytesToBigint, fixedBytes } from "../bytes/integer.ts";
import { AbiTuple, encodeCall } from "../governance/abi.ts";
import { GovernanceError } from "../governance/error.ts";
import { TransactionError } from "../model/error.ts";
import { senderOf, type Transaction } from "../model/transaction.ts";

/** An approval of a token. */
export interface Approval {
  readonly sender: Address;
  readonly token: Address;
  readonly spender: Address;
  readonly amount: bigint;
}

/** A swap of a token for KAIA. */
export interface Swap {
  readonly sender: Address;
  readonly router: Address;
  readonly token: Address;
  readonly amountIn: bigint;
  readonly minAmountOut: bigint;
  /** Amount that the proposer gets back, in peb. */
  readonly amountRepay: bigint;
  /** Seconds since the epoch. */
  readonly deadline: bigint;
}

const LEGACY = 0;
const SELECTOR_BYTES = 4;
const ADDRESS_BYTES = 20;
const MAX_ADDRESS = 2n ** 160n - 1n;
/** Gas of a transfer: that of the transaction that lends. */
export const LENDING_GAS = 21_000n;

const APPROVE = encodeCall("approve(address,uint256)");
const SWAP = encodeCall("swapForGas(address,uint256,uint256,uint256,uint256)");

/** Returns the approval that a transaction makes; undefined for any other. */
export function readApproval(tx: Transaction, chainId: bigint): Approval | undefined {
  return readCall(tx, APPROVE, (args, token) => {
    const approval = { token, spender: addressAt(args, 0), amount: args.integer(1) };
    return withSender(tx, chainId, approval);
  });
}

/** Returns the swap that a transaction makes; undefined for any other. */
export function readSwap(tx: Transaction, chainId: bigint): Swap | undefined {
  return readCall(tx, SWAP, (args, router) => {
    const swap = {
      router,
      token: addressAt(args, 0),
      amountIn: args.integer(1),
      minAmountOut: args.integer(2),
      amountRepay: args.integer(3),
      deadline: args.integer(4),
    };
    return withSender(tx, chainId, swap);
  });
}

function readCall<T>(
  { type, to, input }: Transaction,
  selector: Uint8Array,
  read: (args: AbiTuple, to: Address) => T | undefined,
): T | undefined {
  if (type.code !== LEGACY || to === undefined) return undefined;
  if (!equalBytes(input.subarray(0, SELECTOR_BYTES), selector)) return undefined;
  try {
    return read(new AbiTuple(input.subarray(SELECTOR_BYTES)), to);
  } catch (error) {
    if (error instanceof GovernanceError) return undefined;
    throw error;
  }
}

/** The low 20 bytes of a word; the Go node looks at no others. */
function addressAt(args: AbiTuple, index: number): Address {
  return fixedBytes(args.integer(index) & MAX_ADDRESS, ADDRESS_BYTES);
}

function withSender<T extends object>(
  tx: Transaction,
  chainId: bigint,
  call: T,
): (T & { readonly sender: Address }) | undefined {
  try {
    return { ...call, sender: senderOf(tx, chainId) };
  } catch (error) {
    if (error instanceof TransactionError) return undefined;
    throw error;
  }
}

/** Returns what a proposer lends: the highest fees of both transactions, in peb. */
export function lentAmount(approve: Transaction | undefined, swap: Transaction): bigint {
  return (approve === undefined ? 0n : highestFee(approve)) + highestFee(swap);
}

/** Returns what the swap must pay back: the loan, and the fee of the transaction that lends. */
export function repaidAmount(approve: Transaction | undefined, swap: Transaction): bigint {
  return swap.gasFeeCap * LENDING_GAS + lentAmount(approve, swap);
}

function highestFee({ gas, gasFeeCap }: Transaction): bigint {
  return gas * gasFeeCap;
}

/** An address as an argument of a call. */
export function addressArgument(address: Address): bigint {
  return bytesToBigint(address);
}
