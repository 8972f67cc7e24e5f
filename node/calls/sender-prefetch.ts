/**
 * Signed transactions of a large batch, read before their turn so that who signed them is found for all at once, on
 * helper threads. Each is handed out once, to the call whose parameter it is; what nobody asks for is forgotten.
 */

import type { Decoder } from "../jsonrpc/codec.ts";
import { data } from "../jsonrpc/codecs/hex.ts";
import type { Transaction } from "../model/transaction.ts";

/** A transaction that was read ahead, or bytes that are still to be read. */
export type GivenTransaction = { readonly transaction: Transaction } | { readonly raw: Uint8Array };

/** What reading ahead takes. */
export interface AheadParts {
  /** Reads bytes in the method's encoding; throws for what is none. */
  readonly read: (raw: Uint8Array) => Transaction;
  /** Finds who signed. */
  readonly recover: (transactions: readonly Transaction[]) => Promise<void>;
}

/** Characters of hex text that may be held: a few of the longest batches. */
const MOST_TEXT = 8 * 1024 * 1024;

/** For one method. */
export class RawTransactionsAhead {
  readonly #parts: AheadParts;
  readonly #read = new Map<string, Transaction>();
  #held = 0;

  /** The method's parameter: decodes as `data` does. */
  readonly codec: Decoder<GivenTransaction> = {
    label: data.label,
    schema: data.schema,
    decode: (json) => {
      const transaction = typeof json === "string" ? this.#take(json) : undefined;
      return transaction === undefined ? { raw: data.decode(json) } : { transaction };
    },
  };

  constructor(parts: AheadParts) {
    this.#parts = parts;
  }

  /** The transaction of a parameter. Throws what reading it throws. */
  transactionOf(given: GivenTransaction): Transaction {
    return "transaction" in given ? given.transaction : this.#parts.read(given.raw);
  }

  /** Reads the parameters of many calls; what cannot be read is left to the call itself. Never rejects. */
  async readAll(calls: readonly unknown[]): Promise<void> {
    const transactions: Transaction[] = [];
    for (const params of calls) {
      const text: unknown = Array.isArray(params) ? params[0] : undefined;
      if (typeof text !== "string" || this.#held + text.length > MOST_TEXT) continue;
      const transaction = this.#tried(text);
      if (transaction === undefined) continue;
      transactions.push(transaction);
      this.#put(text, transaction);
    }
    await this.#parts.recover(transactions);
  }

  /** Forgets what nobody asked for. */
  forget(calls: readonly unknown[]): void {
    for (const params of calls) {
      const text: unknown = Array.isArray(params) ? params[0] : undefined;
      if (typeof text === "string") this.#take(text);
    }
  }

  #tried(text: string): Transaction | undefined {
    try {
      return this.#parts.read(data.decode(text));
    } catch {
      return undefined; // the call says what is wrong
    }
  }

  #put(text: string, transaction: Transaction): void {
    if (this.#read.has(text)) return;
    this.#read.set(text, transaction);
    this.#held += text.length;
  }

  #take(text: string): Transaction | undefined {
    const transaction = this.#read.get(text);
    if (this.#read.delete(text)) this.#held -= text.length;
    return transaction;
  }
}
