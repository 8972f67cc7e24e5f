/**
 * Decodes the signed transactions of a large batch in advance and recovers all senders at once, on helper
 * threads. Each transaction is handed out once, to the call with the same parameter.
 */

import type { Decoder } from "../jsonrpc/codec.ts";
import { data } from "../jsonrpc/codecs/hex.ts";
import type { Transaction } from "../model/transaction.ts";
import type { Pause } from "../runtime/scheduler.ts";

/** A prefetched transaction, or bytes to decode. */
export type GivenTransaction = { readonly transaction: Transaction } | { readonly raw: Uint8Array };

/** Dependencies of the prefetch. */
export interface SenderPrefetchDeps {
  /** Decodes bytes in the method's encoding; throws for malformed ones. */
  readonly read: (raw: Uint8Array) => Transaction;
  /** Recovers the senders of transactions. */
  readonly recover: (transactions: readonly Transaction[]) => Promise<void>;
}

/** Maximum number of stored characters of hex text, enough for a few of the longest batches. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/** Prefetched transactions of one method. */
export class SenderPrefetch {
  readonly #deps: SenderPrefetchDeps;
  readonly #read = new Map<string, Transaction>();
  #held = 0;

  /** Codec of the method's parameter; accepts the same values as `data`. */
  readonly codec: Decoder<GivenTransaction> = {
    label: data.label,
    schema: data.schema,
    decode: (json) => {
      const transaction = typeof json === "string" ? this.#take(json) : undefined;
      return transaction === undefined ? { raw: data.decode(json) } : { transaction };
    },
  };

  constructor(deps: SenderPrefetchDeps) {
    this.#deps = deps;
  }

  /** Returns the transaction of a parameter. Throws the errors of decoding. */
  transactionOf(given: GivenTransaction): Transaction {
    return "transaction" in given ? given.transaction : this.#deps.read(given.raw);
  }

  /**
   * Prefetches the parameters of many calls. Malformed parameters are left to the call itself. Never rejects.
   */
  async readAll(calls: readonly unknown[], pause: Pause): Promise<void> {
    const transactions: Transaction[] = [];
    for (const params of calls) {
      const due = pause();
      if (due !== undefined) await due;
      const text: unknown = Array.isArray(params) ? params[0] : undefined;
      if (typeof text !== "string" || this.#held + text.length > MAX_CHARACTERS) continue;
      const transaction = this.#tryDecode(text);
      if (transaction === undefined) continue;
      transactions.push(transaction);
      this.#put(text, transaction);
    }
    await this.#deps.recover(transactions);
  }

  /** Deletes the prefetched transactions of calls. */
  forget(calls: readonly unknown[]): void {
    for (const params of calls) {
      const text: unknown = Array.isArray(params) ? params[0] : undefined;
      if (typeof text === "string") this.#take(text);
    }
  }

  #tryDecode(text: string): Transaction | undefined {
    try {
      return this.#deps.read(data.decode(text));
    } catch {
      return undefined; // the call itself reports the error
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
