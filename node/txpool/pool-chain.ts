/** The part of the chain that the pool reads. */
import type { Address } from "../bytes/brands.ts";
import type { Rules } from "../config/rules.ts";
import type { Account } from "../model/account.ts";
import type { Block } from "../model/block.ts";
import type { Header } from "../model/header.ts";
import type { Receipt } from "../model/receipt.ts";

/** The accounts after the newest block. */
export interface PoolState {
  /** Next nonce of an account; 0 when it does not exist. */
  nonce(address: Address): bigint;
  /** In peb; 0 when the account does not exist. */
  balance(address: Address): bigint;
  account(address: Address): Account | undefined;
}

/** The chain as the pool reads it. */
export interface PoolChain {
  readonly chainId: bigint;
  /** Maximum number of blobs of a transaction. */
  readonly maxBlobs: number;
  /** Header of the newest durable block. */
  head(): Header;
  rules(number: number): Rules;
  /** A view that stays at the present head. */
  stateAtHead(): PoolState;
  /** Governance's unit price in force at a block, in peb. */
  unitPrice(number: number): bigint;
  /** Base fee of the block after the head; undefined where its rules have none. */
  nextBaseFee(): bigint | undefined;
  /** Limit of gas that a development chain has set for a block; undefined for none. */
  gasLimit(number: number): bigint | undefined;
  /** Registers a listener called after each new head; the returned function removes it. */
  onHead(listener: (block: Block, receipts: readonly Receipt[]) => void): () => void;
}
