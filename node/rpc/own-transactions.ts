/** Pending transactions of the node's own accounts: listed, and resent at another price. */

import type { Accounts } from "../accounts/accounts.ts";
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { bareHex, mapKey } from "../bytes/hex.ts";
import { ethArgs, sendArgs, transactionHash } from "../calls/arguments/transaction-args.ts";
import { chainDraft } from "../calls/chain-draft.ts";
import { draftDigest, signDraft, unlockedSigner, unsignedTransaction } from "../calls/sign-transaction.ts";
import { createEthSubmit, createSubmit, type SubmitOptions } from "../calls/submit.ts";
import { checkSignedChain, type EstimateGas, ethDraft, withGas } from "../calls/transaction-draft.ts";
import type { Chain } from "../chain/chain.ts";
import { optional } from "../jsonrpc/codec.ts";
import { quantity, quantity64 } from "../jsonrpc/codecs/hex.ts";
import { writtenAs } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema } from "../jsonrpc/schemas.ts";
import { senderOf, type Transaction, type TransactionDraft } from "../model/transaction.ts";
import { chainTransactionSchema, ethTransactionSchema } from "../presenters/block-schemas.ts";
import { chainTransactionText, ethTransactionText } from "../presenters/transaction.ts";
import type { TxPool } from "../txpool/pool.ts";

/** Dependencies of the methods about own transactions. */
export interface OwnTransactionsDeps extends SubmitOptions {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "add" | "addWithBlobs" | "content" | "nonce">;
  readonly accounts: Pick<Accounts, "list" | "signAs">;
  /** Senders whose pending transactions are listed: the node's own accounts, or all as the tools have it. */
  readonly pendingOf: "accounts" | "all";
  readonly estimateGas: EstimateGas;
}

const NO_ADDRESS: Address = new Uint8Array(20);

/** The methods `pendingTransactions` and `resend` of `chain` and `eth`. */
export function ownTransactionMethods(deps: OwnTransactionsDeps): Method[] {
  return [...pendingMethods(deps), ...resendMethods(deps)];
}

function pendingMethods({ chain, pool, accounts, pendingOf }: OwnTransactionsDeps): Method[] {
  const own = (): Transaction[] => {
    if (pendingOf === "all") return executable(pool);
    const mine = new Set(accounts.list().map(mapKey));
    return executable(pool).filter((tx) => mine.has(mapKey(senderOf(tx, chain.config.chainId))));
  };
  return [
    method({
      name: "chain_pendingTransactions",
      summary: "Returns the pending transactions of the node's own accounts.",
      params: {},
      result: writtenAs("transactions", arraySchema(chainTransactionSchema)),
      handle: () => listText(own().map((tx) => chainTransactionText(chain, tx))),
    }),
    method({
      name: "eth_pendingTransactions",
      summary: "Returns the pending transactions of the node's own accounts, in Ethereum's form.",
      params: {},
      result: writtenAs("transactions", arraySchema(ethTransactionSchema)),
      handle: () => listText(own().map((tx) => ethTransactionText(chain, tx))),
    }),
  ];
}

function listText(texts: readonly string[]): string {
  return `[${texts.join(",")}]`;
}

function resendMethods(deps: OwnTransactionsDeps): Method[] {
  const { chain, pool, accounts, estimateGas } = deps;
  const [submit, submitEth] = [createSubmit(deps), createEthSubmit(deps)];
  /** Signs `again`, which is `draft` with another price or gas limit. */
  const signAgain = (from: Address, draft: TransactionDraft, again: TransactionDraft) => {
    const { chainId } = chain.config;
    const digest = draftDigest(draft, chainId);
    const waits = executable(pool).some(
      (tx) =>
        tx.type.code === draft.code &&
        equalBytes(senderOf(tx, chainId), from) &&
        equalBytes(tx.type.digest(tx), digest),
    );
    if (!waits) throw failure(`Transaction ${bareHex(unsignedTransaction(draft, chainId).hash)} not found`);
    return signDraft(again, chainId, unlockedSigner(accounts, from));
  };
  const changes = { gasPrice: optional(quantity), gas: optional(quantity64) };
  return [
    method({
      name: "chain_resend",
      privilege: "keys",
      summary:
        "Replaces a pending transaction of an unlocked account by one with another price or gas limit.",
      params: { transaction: sendArgs, ...changes },
      result: transactionHash,
      handle: ({ transaction, gasPrice, gas }) => {
        if (transaction.nonce === undefined) throw noNonce();
        const draft = chainDraft({ chain, pool }, transaction);
        return submit(signAgain(transaction.from ?? NO_ADDRESS, draft, withChanges(draft, gasPrice, gas)));
      },
    }),
    method({
      name: "eth_resend",
      privilege: "keys",
      summary:
        "Replaces a pending transaction, described by Ethereum's transaction object, by one with another price or gas limit.",
      params: { transaction: ethArgs, ...changes },
      result: transactionHash,
      handle: async ({ transaction, gasPrice, gas }, origin) => {
        if (transaction.nonce === undefined) throw noNonce();
        const source = { chain, pool };
        const given = await withGas(source, transaction, (priced) => estimateGas(priced, origin));
        const draft = ethDraft(source, given);
        const again = signAgain(transaction.from ?? NO_ADDRESS, draft, withChanges(draft, gasPrice, gas));
        checkSignedChain(source, draft, transaction);
        return submitEth(again);
      },
    }),
  ];
}

function noNonce(): Error {
  return failure("missing transaction nonce in transaction spec");
}

/** Returns the draft with another price and gas limit. Zero keeps the old value. */
function withChanges(draft: TransactionDraft, price = 0n, gas = 0n): TransactionDraft {
  return {
    ...draft,
    ...(price === 0n ? {} : { gasFeeCap: price, gasTipCap: price }),
    ...(gas === 0n ? {} : { gas }),
  };
}

function executable(pool: Pick<TxPool, "content">): Transaction[] {
  return [...pool.content().pending.values()].flat();
}
