/**
 * `eth_sendRawTransactionSync` (EIP-7966): submits a signed transaction and answers with its receipt; on a development
 * chain `eth_sendTransactionSync` signs it, too. A call waits for the block of its transaction in a table by hash, for a
 * bounded time and beside a bounded number of others.
 */
import type { Hash } from "../bytes/brands.ts";
import { mapKey, toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import { type CallArgs, ethArgs } from "../calls/arguments/transaction-args.ts";
import { decodeEthereumTransaction } from "../calls/raw-transaction.ts";
import { createEthSubmit, type SubmitOptions } from "../calls/submit.ts";
import type { Chain } from "../chain/chain.ts";
import { type Decoder, optional } from "../jsonrpc/codec.ts";
import { data } from "../jsonrpc/codecs/hex.ts";
import { writtenAs } from "../jsonrpc/codecs/plain.ts";
import { RpcError, rpcCode } from "../jsonrpc/errors.ts";
import { goJson, plainValue } from "../jsonrpc/json-text.ts";
import { type CallOrigin, type Method, method } from "../jsonrpc/method.ts";
import type { Block } from "../model/block.ts";
import { senderOf, type Transaction } from "../model/transaction.ts";
import { ethReceiptSchema } from "../presenters/block-schemas.ts";
import { blockReceipts, ethReceipt, type ReceiptForm } from "../presenters/receipt.ts";
import type { TxPool } from "../txpool/pool.ts";

/** Dependencies of the methods. */
export interface SynchronousSendingDeps extends SubmitOptions {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "add" | "addWithBlobs" | "nonce" | "recover">;
  readonly receiptForm: ReceiptForm;
  /** Signs and submits a transaction object; undefined but on a development chain. */
  readonly send?:
    | ((args: { readonly transaction: CallArgs }, origin: CallOrigin) => Promise<Hash>)
    | undefined;
  /** Times in milliseconds: of a call without a valid time, and the longest that a caller may ask for. */
  readonly receiptWait: ReceiptWait;
}

/** Times of waiting for a receipt, in milliseconds. */
export interface ReceiptWait {
  readonly defaultMs: number;
  readonly maxMs: number;
}

/** Maximum number of calls that wait. Each holds its connection, a timer and a row. */
const MAX_WAITING = 10_000;

const errorCode = { timeout: 4, nonceGap: 6 } as const;

/** A time in milliseconds, as a number or a quantity; anything else is undefined, so the node's own time applies. */
const waitTime: Decoder<number | undefined> = {
  label: "milliseconds",
  schema: { oneOf: [{ type: "integer" }, { type: "string" }] },
  decode(json) {
    const value = plainValue(json);
    const isQuantity = typeof value === "string" && /^0x[0-9a-fA-F]+$/.test(value);
    const number = isQuantity ? Number(value) : value;
    return typeof number === "number" && Number.isSafeInteger(number) ? number : undefined;
  },
};

/** Returns the methods. */
export function synchronousSendingMethods(deps: SynchronousSendingDeps): Method[] {
  const { chain, pool, receiptWait } = deps;
  const submit = createEthSubmit(deps);
  const waiting = new MinedTransactions(chain);
  const receiptOf = (hash: Hash): string | undefined => {
    const place = chain.findTransaction(hash);
    if (place === undefined) return undefined;
    return goJson(ethReceipt(chain, blockReceipts(chain, place.block, deps.receiptForm), place.index));
  };
  /** Throws `RpcError` when no block has the transaction in time. */
  const awaitReceipt = async (
    mined: ExpectedTransaction,
    { hash, waitMs, signal }: { readonly hash: Hash; readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<string> => {
    const found = receiptOf(hash);
    if (found !== undefined) return found;
    await mined.until(AbortSignal.any([signal, AbortSignal.timeout(waitMs)]));
    const receipt = receiptOf(hash);
    if (receipt !== undefined) return receipt;
    const message = `The transaction was added to the mempool but wasn't processed in ${waitMs} ms.`;
    throw new RpcError(errorCode.timeout, message, `"${toHex(hash)}"`);
  };
  const rows = [
    method({
      name: "eth_sendRawTransactionSync",
      summary:
        "Submits a signed transaction in Ethereum's encoding and returns its receipt (EIP-7966). The second parameter is the longest time to wait in milliseconds. Error 4: no block had it in time; its data is the hash. Error 6: transactions before it are missing; its data is the nonce that is next.",
      params: { raw: data, timeout: optional(waitTime) },
      result: writtenAs("receipt", ethReceiptSchema),
      handle: async ({ raw, timeout }, { signal, caller }) => {
        const tx = decodeEthereumTransaction(raw);
        await pool.recover([tx]);
        refuseNonceGap(tx, chain, pool);
        const waitMs = timeoutMs(timeout, receiptWait);
        using mined = waiting.expect(tx.hash);
        await submit(tx, caller);
        return await awaitReceipt(mined, { hash: tx.hash, waitMs, signal });
      },
    }),
  ];
  const { send } = deps;
  if (send === undefined) return rows;
  const signing = method({
    name: "eth_sendTransactionSync",
    privilege: "keys",
    summary:
      "On a development chain: sends as `eth_sendTransaction` does and returns the receipt, with the errors of `eth_sendRawTransactionSync`.",
    params: { transaction: ethArgs },
    result: writtenAs("receipt", ethReceiptSchema),
    handle: async ({ transaction }, origin) => {
      const { signal } = origin;
      const hash = await send({ transaction }, origin);
      using mined = waiting.expect(hash);
      return await awaitReceipt(mined, { hash, waitMs: timeoutMs(undefined, receiptWait), signal });
    },
  });
  return [...rows, signing];
}

function timeoutMs(asked: number | undefined, { defaultMs, maxMs }: ReceiptWait): number {
  return asked === undefined || asked < 1 || asked > maxMs ? Math.min(defaultMs, maxMs) : asked;
}

/** Throws `RpcError` for a transaction that no block can take before another one of its sender has come. */
function refuseNonceGap(tx: Transaction, { config }: Chain, pool: Pick<TxPool, "nonce">): void {
  const next = pool.nonce(senderOf(tx, config.chainId));
  if (tx.nonce <= next) return;
  const message = `The transaction was rejected due to a nonce gap: its nonce is ${tx.nonce}, the next one is ${next}.`;
  throw new RpcError(errorCode.nonceGap, message, `"${toQuantity(next)}"`);
}

/** A transaction that a call waits for. */
interface ExpectedTransaction extends Disposable {
  /** Resolves when a block with the transaction is durable, or when the signal is aborted. */
  until(signal: AbortSignal): Promise<void>;
}

/** The transactions that calls wait for, by hash. */
class MinedTransactions {
  readonly #chain: Pick<Chain, "onHead">;
  readonly #waiting = new Map<string, Set<() => void>>();
  #count = 0;
  #isListening = false;

  constructor(chain: Pick<Chain, "onHead">) {
    this.#chain = chain;
  }

  /** Throws `RpcError` when too many calls wait. */
  expect(hash: Hash): ExpectedTransaction {
    if (this.#count >= MAX_WAITING)
      throw new RpcError(rpcCode.limitExceeded, `${MAX_WAITING} calls are waiting for receipts already`);
    if (!this.#isListening) this.#chain.onHead((block) => this.#report(block));
    this.#isListening = true; // from the first call on: most nodes never have one
    const key = mapKey(hash);
    const { promise, resolve } = Promise.withResolvers<void>();
    const listeners = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, listeners.add(resolve));
    this.#count++;
    return {
      until: (signal) => {
        if (signal.aborted) return Promise.resolve();
        signal.addEventListener("abort", () => resolve(), { once: true });
        return promise;
      },
      [Symbol.dispose]: () => {
        this.#count--;
        listeners.delete(resolve);
        if (listeners.size === 0 && this.#waiting.get(key) === listeners) this.#waiting.delete(key);
      },
    };
  }

  #report({ transactions }: Block): void {
    if (this.#waiting.size === 0) return;
    for (const { hash } of transactions)
      for (const resolve of this.#waiting.get(mapKey(hash)) ?? []) resolve();
  }
}
