/**
 * What a transaction asks of the state once those who signed it are known: the input of the state transition. Calls
 * that nobody signed are made of the same.
 */
import { isZero } from "../bytes/compare.ts";
import type { Rules } from "../config/rules.ts";
import { floorGas, intrinsicGas, type Transaction } from "../model/transaction.ts";
import type { AccessListEntry, Action, Authorization } from "../model/transaction-type.ts";
import type { Participant } from "./participants.ts";

/** See the head of this file. Amounts are in peb. */
export interface ExecutionMessage {
  readonly sender: Uint8Array;
  /** Who pays the fee; the sender where nobody else does. */
  readonly payer: Uint8Array;
  /** Percent of the fee that the payer pays; the sender pays the rest. */
  readonly feeRatio: number | undefined;
  readonly nonce: bigint;
  readonly gas: bigint;
  /** What a unit of gas costs, and the caps that the sender named. */
  readonly price: bigint;
  readonly gasFeeCap: bigint;
  readonly gasTipCap: bigint;
  readonly value: bigint;
  readonly action: Action;
  /** Absent when a contract is made. */
  readonly to: Uint8Array | undefined;
  /** A recipient of zeros that counts as none, see `TransactionType.zeroIsNobody`. */
  readonly isNobody: boolean;
  readonly input: Uint8Array;
  /** The account key to be set, serialised. */
  readonly key: Uint8Array | undefined;
  readonly accessList: readonly AccessListEntry[];
  /** `undefined` in kinds that carry none; an empty list is refused. */
  readonly authorizationList: readonly Authorization[] | undefined;
  /** `undefined` in kinds without blobs. */
  readonly blobHashes: readonly Uint8Array[] | undefined;
  readonly maxFeePerBlobGas: bigint;
  /** Due before anything runs, signatures included. */
  readonly intrinsicGas: bigint;
  /** The least that is used whatever happens (EIP-7623), signatures included; 0 where the rules have none. */
  readonly floorGas: bigint;
}

/** No access list. */
export const EMPTY_ACCESS_LIST: readonly AccessListEntry[] = [];

/** Who stands behind a transaction and what its gas costs. */
export interface MessageOptions {
  readonly sender: Participant;
  readonly payer: Participant;
  readonly price: bigint;
  readonly rules: Rules;
}

/** The message of a transaction. */
export function transactionMessage(
  tx: Transaction,
  { sender, payer, price, rules }: MessageOptions,
): ExecutionMessage {
  const { type, to, fields } = tx;
  const signatures = sender.gas + payer.gas;
  const floor = floorGas(tx, rules);
  return {
    sender: sender.address,
    payer: payer.address,
    feeRatio: fields.feeRatio,
    nonce: tx.nonce,
    gas: tx.gas,
    price,
    gasFeeCap: tx.gasFeeCap,
    gasTipCap: tx.gasTipCap,
    value: tx.value,
    action: type.action,
    to,
    isNobody: type.zeroIsNobody === true && to !== undefined && isZero(to),
    input: tx.input,
    key: fields.key,
    accessList: fields.accessList ?? EMPTY_ACCESS_LIST,
    authorizationList: fields.authorizationList,
    blobHashes: fields.blobVersionedHashes,
    maxFeePerBlobGas: fields.maxFeePerBlobGas ?? 0n,
    intrinsicGas: intrinsicGas(tx, rules) + signatures,
    floorGas: floor === 0n ? 0n : floor + signatures,
  };
}
