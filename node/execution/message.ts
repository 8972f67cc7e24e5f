/**
 * Message of a transaction with verified signers, the input of the state transition. Simulated calls are
 * messages as well.
 */
import type { Address, Hash } from "../bytes/brands.ts";
import type { Rules } from "../config/rules.ts";
import { createAddress } from "../evm/address.ts";
import { hasZeroRecipient, recipientOf } from "../model/recipient.ts";
import { floorGas, intrinsicGas, senderOf, type Transaction } from "../model/transaction.ts";
import type { AccessListEntry, Action, Authorization } from "../model/transaction-type.ts";
import type { Participant } from "./participants.ts";

/** A message. Amounts are in peb. */
export interface ExecutionMessage {
  readonly sender: Address;
  /** Account that pays the fee; the sender without a fee payer. */
  readonly payer: Address;
  /** Percentage of the fee that the payer pays; the sender pays the rest. */
  readonly feeRatio: number | undefined;
  readonly nonce: bigint;
  readonly gas: bigint;
  /** Effective gas price, followed by the sender's caps. */
  readonly price: bigint;
  readonly gasFeeCap: bigint;
  readonly gasTipCap: bigint;
  readonly value: bigint;
  readonly action: Action;
  /** Recipient; undefined for a contract creation. */
  readonly to: Address | undefined;
  /** True for the zero address as recipient where it counts as none, see `TransactionType.zeroIsNoRecipient`. */
  readonly hasZeroRecipient: boolean;
  readonly input: Uint8Array;
  /** Encoded account key of a key update. */
  readonly key: Uint8Array | undefined;
  readonly accessList: readonly AccessListEntry[];
  /** Authorizations; undefined in types without them. An empty list is invalid. */
  readonly authorizationList: readonly Authorization[] | undefined;
  /** Versioned hashes; undefined in types without blobs. */
  readonly blobHashes: readonly Hash[] | undefined;
  readonly maxFeePerBlobGas: bigint;
  /** Gas due before execution, including signatures. */
  readonly intrinsicGas: bigint;
  /** Minimum of the gas used (EIP-7623), including signatures; 0 under rules without it. */
  readonly floorGas: bigint;
}

/** Empty access list. */
export const EMPTY_ACCESS_LIST: readonly AccessListEntry[] = [];

/** Signers and gas price of a message. */
export interface MessageOptions {
  readonly sender: Participant;
  readonly payer: Participant;
  readonly price: bigint;
  readonly rules: Rules;
}

/** Creates the message of a transaction. */
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
    hasZeroRecipient: hasZeroRecipient(tx),
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

/**
 * Returns the contract address in the receipt of a transaction without a recipient, undefined for one with a recipient. It
 * is set whatever the transaction does (`blockchain/blockchain.go@v2.2.2`, `ApplyTransaction`).
 */
export function receiptAddress(tx: Transaction, chainId: bigint): Address | undefined {
  if (tx.type.action === "call" && recipientOf(tx) !== undefined) return undefined;
  return createAddress(senderOf(tx, chainId), tx.nonce);
}
