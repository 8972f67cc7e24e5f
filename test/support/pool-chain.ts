/** A fake chain for tests of the pool. */
import { mapKey } from "../../node/bytes/hex.ts";
import { BASE_RULES, type Rules } from "../../node/config/rules.ts";
import { type Account, emptyAccount } from "../../node/model/account.ts";
import { type Block, createBlock } from "../../node/model/block.ts";
import type { Header } from "../../node/model/header.ts";
import type { Receipt } from "../../node/model/receipt.ts";
import type { Transaction } from "../../node/model/transaction.ts";
import type { PoolChain, PoolState } from "../../node/txpool/pool-chain.ts";
import { bareHeader } from "./bare-header.ts";
import { CHAIN_ID, type TestSigner } from "./pool-transactions.ts";

/** Everybody can afford anything until a test says otherwise. */
const RICH = 10n ** 30n;

/** Facts of the chain that a test sets. */
export interface FakeChainFacts {
  readonly rules?: Partial<Rules>;
  readonly unitPrice?: bigint;
  readonly baseFee?: bigint;
}

type HeadListener = (block: Block, receipts: readonly Receipt[]) => void;

/** The rules of a chain with a base fee and all kinds of transactions. */
export const BASE_FEE_RULES: Partial<Rules> = {
  baseFee: true,
  acceptedTypes: new Set([0x7801, 0x7802]),
};

/** A chain of accounts in memory; `advance` makes a block. */
export class FakeChain implements PoolChain {
  readonly chainId = CHAIN_ID;
  maxBlobs = 2;
  unit: bigint;
  /** Limit of gas of the next block. */
  limit: bigint | undefined;
  baseFee: bigint | undefined;
  changes: Partial<Rules>;
  /** Rules of the next block that differ from those of the head. */
  nextChanges: Partial<Rules> = {};
  #number = 10;
  #accounts = new Map<string, Account>();
  readonly #listeners = new Set<HeadListener>();

  constructor({ rules = {}, unitPrice = 25n, baseFee }: FakeChainFacts = {}) {
    this.changes = rules;
    this.unit = unitPrice;
    this.baseFee = baseFee;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  head(): Header {
    return bareHeader({ number: this.#number });
  }

  rules(number: number): Rules {
    return { ...BASE_RULES, ...this.changes, ...(number > this.#number ? this.nextChanges : {}) };
  }

  unitPrice(): bigint {
    return this.unit;
  }

  gasLimit(): bigint | undefined {
    return this.limit;
  }

  nextBaseFee(): bigint | undefined {
    return this.baseFee;
  }

  stateAtHead(): PoolState {
    const accounts = new Map(this.#accounts);
    const account = (address: Uint8Array) =>
      accounts.get(mapKey(address)) ?? { ...emptyAccount(), balance: RICH };
    return {
      account,
      nonce: (address) => account(address).nonce,
      balance: (address) => account(address).balance,
    };
  }

  onHead(listener: HeadListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Takes effect with the next block, or at once for a pool that is opened later. */
  setAccount({ address }: TestSigner, facts: Partial<Account>): void {
    const old = this.#accounts.get(mapKey(address)) ?? { ...emptyAccount(), balance: RICH };
    this.#accounts.set(mapKey(address), { ...old, ...facts });
  }

  nonceOf(signer: TestSigner): bigint {
    return this.#accounts.get(mapKey(signer.address))?.nonce ?? 0n;
  }

  /** Makes a block; nonces are set by the caller. */
  advance(transactions: readonly Transaction[] = [], receipts: readonly Receipt[] = []): void {
    this.#number += 1;
    const block = createBlock(bareHeader({ number: this.#number }), transactions);
    for (const listener of this.#listeners) listener(block, receipts);
  }
}
