/**
 * Senders without a key on a development chain, as in Anvil and Hardhat Network: their transactions carry a signature
 * that names the sender and that nobody made.
 */
import type { Address } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";
import { setSender, signTransaction, type Transaction, type TransactionDraft } from "../model/transaction.ts";

/** The addresses that may send without a key. A block with their transactions is none that other nodes accept. */
export class Impersonation {
  readonly #addresses = new Set<string>();
  isAutomatic = false;

  has(sender: Address): boolean {
    return this.isAutomatic || this.#addresses.has(mapKey(sender));
  }

  add(sender: Address): void {
    this.#addresses.add(mapKey(sender));
  }

  clear(): void {
    this.#addresses.clear();
    this.isAutomatic = false;
  }

  /** Returns false when the address was not impersonated. */
  remove(sender: Address): boolean {
    return this.#addresses.delete(mapKey(sender));
  }
}

const SIGNATURE_LENGTH = 65;
const ADDRESS_AT = 12;
const S_END = 63;

/** Returns the transaction of a draft with the signature that stands for a sender without a key. */
export function impersonate(draft: TransactionDraft, chainId: bigint, sender: Address): Transaction {
  const signature = new Uint8Array(SIGNATURE_LENGTH);
  signature.set(sender, ADDRESS_AT);
  signature[0] = 1; // no signature has a first word of 0, and the zero address may send, too
  signature[S_END] = 1;
  const tx = signTransaction(draft, chainId, () => [signature]);
  setSender(tx, chainId, sender);
  return tx;
}
