/** Transactions and receipts by hash, and the submission of signed transactions. */

import type { Hash } from "../bytes/brands.ts";
import { transactionHash } from "../calls/arguments/transaction-args.ts";
import {
  decodeChainTransaction,
  decodeEitherTransaction,
  decodeEthereumTransaction,
} from "../calls/raw-transaction.ts";
import { type GivenTransaction, SenderPrefetch } from "../calls/sender-prefetch.ts";
import { SignerBatches } from "../calls/signer-batches.ts";
import { createEthSubmit, createSubmit, type Submit, type SubmitOptions } from "../calls/submit.ts";
import type { Chain } from "../chain/chain.ts";
import { data, hash, listOf, nullable } from "../jsonrpc/codecs/hex.ts";
import { writtenAs } from "../jsonrpc/codecs/plain.ts";
import { failure, RpcError } from "../jsonrpc/errors.ts";
import { goJson } from "../jsonrpc/json-text.ts";
import { type CallOrigin, type Method, method, type Prefetch } from "../jsonrpc/method.ts";
import { TransactionError } from "../model/error.ts";
import type { Transaction } from "../model/transaction.ts";
import {
  chainReceiptSchema,
  chainTransactionSchema,
  ethReceiptSchema,
  ethTransactionSchema,
} from "../presenters/block-schemas.ts";
import {
  blockReceipts,
  chainReceipt,
  ethReceipt,
  type FormatReceipt,
  type ReceiptForm,
  withPrice,
} from "../presenters/receipt.ts";
import { receiptPieces } from "../presenters/receipt-pieces.ts";
import type { ReceiptTexts } from "../presenters/receipt-texts.ts";
import { callerPause, writeInSlices } from "../presenters/slices.ts";
import { chainTransaction, ethTransactionText } from "../presenters/transaction.ts";
import type { Client } from "../runtime/fair-queue.ts";
import { PoolError } from "../txpool/error.ts";
import type { TxPool } from "../txpool/pool.ts";

/** Dependencies of the methods about single transactions. */
export interface ChainTransactionDeps extends SubmitOptions {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "get" | "add" | "addWithBlobs" | "recover">;
  readonly receiptForm: ReceiptForm;
  readonly receiptTexts: ReceiptTexts;
  readonly rawListForm: RawListForm;
}

/** Encodings that `chain_sendRawTransactions` takes: Kaia's and Ethereum's, or Ethereum's alone. */
export type RawListForm = "any" | "ethereum";

/** The methods of `chain` and `eth` about single transactions. */
export function chainTransactionMethods(deps: ChainTransactionDeps): Method[] {
  return [...lookups(deps), ...receipts(deps), ...submissions(deps), manySubmission(deps)];
}

function lookups({ chain, pool, receiptForm }: ChainTransactionDeps): Method[] {
  const formatByHash: typeof ethTransactionText = (...given) =>
    goJson(withPrice(chainTransaction(...given), given[1], receiptForm));
  const find = (wanted: Hash, view: typeof ethTransactionText) => {
    const place = chain.findTransaction(wanted);
    const mined = place?.block.transactions[place.index];
    if (mined !== undefined) return view(chain, mined, place);
    const waiting = pool.get(wanted);
    return waiting === undefined ? undefined : view(chain, waiting);
  };
  return [
    method({
      name: "chain_getTransactionByHash",
      summary: "Returns a transaction of the chain or the pool; null for an unknown one.",
      params: { hash },
      result: nullable(writtenAs("transaction", chainTransactionSchema)),
      handle: (args) => find(args.hash, formatByHash),
    }),
    method({
      name: "eth_getTransactionByHash",
      summary: "Returns a transaction of the chain or the pool in Ethereum's form; null for an unknown one.",
      params: { hash },
      result: nullable(writtenAs("transaction", ethTransactionSchema)),
      handle: (args) => find(args.hash, ethTransactionText),
    }),
  ];
}

function receipts({ chain, receiptForm, receiptTexts }: ChainTransactionDeps): Method[] {
  const write = (wanted: Hash, format: FormatReceipt, origin: CallOrigin) => {
    const place = chain.findTransaction(wanted);
    if (place === undefined) return undefined;
    const all = blockReceipts(chain, place.block, receiptForm);
    const pieces = receiptPieces(chain, all, place.index, format);
    return writeInSlices(pieces.count, pieces.write, (parts) => parts.join(""), origin);
  };
  return [
    method({
      name: "chain_getTransactionReceipt",
      aliases: ["chain_getTransactionReceiptInCache"],
      summary:
        "Returns the receipt of a transaction; null before it is in a block. The Go node's InCache variant reads only its cache.",
      params: { hash },
      result: nullable(writtenAs("receipt", chainReceiptSchema)),
      handle: (args, origin) =>
        receiptTexts.text(args.hash, "chain", () => write(args.hash, chainReceipt, origin)),
    }),
    method({
      name: "eth_getTransactionReceipt",
      summary: "Returns the receipt of a transaction in Ethereum's form; null before it is in a block.",
      params: { hash },
      result: nullable(writtenAs("receipt", ethReceiptSchema)),
      handle: (args, origin) =>
        receiptTexts.text(args.hash, "eth", () => write(args.hash, ethReceipt, origin)),
    }),
  ];
}

function submissions(deps: ChainTransactionDeps): Method[] {
  const submit = createSubmit(deps);
  const submitEth = createEthSubmit(deps);
  const recover = (transactions: readonly Transaction[]) => deps.pool.recover(transactions);
  const gathered = new SignerBatches(recover);
  const submitWithSigner = (
    { given, tx, client }: { given: GivenTransaction; tx: Transaction; client: Client | undefined },
    then: Submit,
  ) => {
    const waiting = "transaction" in given ? undefined : gathered.join(tx);
    return waiting === undefined ? then(tx, client) : waiting.then(() => then(tx, client));
  };
  const chainAhead = new SenderPrefetch({ read: decodeChainTransaction, recover });
  const ethAhead = new SenderPrefetch({ read: decodeEthereumTransaction, recover });
  return [
    method({
      name: "chain_sendRawTransaction",
      summary: "Submits a signed transaction in Kaia's encoding and returns its hash.",
      params: { raw: chainAhead.codec },
      result: transactionHash,
      prefetch: workOf(chainAhead),
      handle: ({ raw }, { caller }) =>
        submitWithSigner({ given: raw, tx: chainAhead.transactionOf(raw), client: caller }, submit),
    }),
    method({
      name: "eth_sendRawTransaction",
      summary: "Submits a signed transaction in Ethereum's encoding and returns its hash.",
      params: { raw: ethAhead.codec },
      result: transactionHash,
      prefetch: workOf(ethAhead),
      handle: ({ raw }, { caller }) =>
        submitWithSigner({ given: raw, tx: ethAhead.transactionOf(raw), client: caller }, submitEth),
    }),
  ];
}

/** Transactions of a list that are decoded and recovered in one piece, before they are submitted one by one. */
const RECOVERED_TOGETHER = 64;

function manySubmission(deps: ChainTransactionDeps): Method {
  const submit = createSubmit(deps);
  return method({
    name: "chain_sendRawTransactions",
    summary: "Submits signed transactions up to the first that fails, and returns their hashes.",
    params: { raws: listOf(data, "[]hexutil.Bytes") },
    result: listOf(transactionHash, "[]common.Hash"),
    handle: async ({ raws }, origin) => {
      if (raws.length === 0) throw failure("Empty input");
      const pause = callerPause(origin);
      const hashes: Hash[] = [];
      for (let first = 0; first < raws.length; first += RECOVERED_TOGETHER) {
        const some = raws.slice(first, first + RECOVERED_TOGETHER);
        const { transactions, error } = decodedUpToError(some, deps.rawListForm);
        await deps.pool.recover(transactions);
        for (const tx of transactions) {
          const due = pause();
          if (due !== undefined) await due;
          try {
            hashes.push(await submit(tx, origin.caller));
          } catch (refusal) {
            throw atIndex(hashes.length, refusal);
          }
        }
        if (error !== undefined) throw atIndex(hashes.length, error);
      }
      return hashes;
    },
  });
}

function workOf(ahead: SenderPrefetch): Prefetch {
  return { prepare: (calls, pause) => ahead.readAll(calls, pause), forget: (calls) => ahead.forget(calls) };
}

/** Decodes transactions up to the first malformed one, and returns its error. */
function decodedUpToError(
  raws: readonly Uint8Array[],
  form: RawListForm,
): { transactions: Transaction[]; error?: unknown } {
  const decode = form === "any" ? decodeEitherTransaction : decodeEthereumTransaction;
  const transactions: Transaction[] = [];
  try {
    for (const raw of raws) {
      if (raw.length === 0) throw failure("empty input");
      transactions.push(decode(raw));
    }
    return { transactions };
  } catch (error) {
    return { transactions, error };
  }
}

/** Prefixes the message of an `RpcError` with the index. Internal errors stay unchanged. */
function atIndex(index: number, error: unknown): unknown {
  if (!(error instanceof RpcError || error instanceof PoolError || error instanceof TransactionError)) {
    return error;
  }
  return failure(`Index ${index}: ${error.message}`);
}
