/** The transaction with which a proposer lends the fees of gasless transactions (KIP-247). */
import type { Hash } from "../bytes/brands.ts";
import { senderOf, signTransaction, type Transaction } from "../model/transaction.ts";
import { LENDING_GAS, lentAmount } from "./calls.ts";

/** The borrower's transactions, and the lender. */
export interface Loan {
  readonly approve: Transaction | undefined;
  readonly swap: Transaction;
  readonly chainId: bigint;
  /** Nonce of the proposer. */
  readonly nonce: bigint;
  /** Signs as the proposer. */
  readonly sign: (digest: Hash) => Uint8Array;
}

const DYNAMIC_FEE = 0x7802;

/** Returns the signed transfer to the sender of a swap, at the swap's prices. */
export function lendTransaction({ approve, swap, chainId, nonce, sign }: Loan): Transaction {
  const draft = {
    code: DYNAMIC_FEE,
    nonce,
    gas: LENDING_GAS,
    gasFeeCap: swap.gasFeeCap,
    gasTipCap: swap.gasTipCap,
    to: senderOf(swap, chainId),
    value: lentAmount(approve, swap),
    input: new Uint8Array(0),
    fields: { accessList: [] },
  };
  return signTransaction(draft, chainId, sign);
}
