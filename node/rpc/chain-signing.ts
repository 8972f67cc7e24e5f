/** Signs messages and transactions with an unlocked account, without submitting them. */

import type { Accounts } from "../accounts/accounts.ts";
import type { Address } from "../bytes/brands.ts";
import { type CallArgs, ethArgs, type SendArgs, sendArgs } from "../calls/arguments/transaction-args.ts";
import { chainDraft, checkNamedPrices } from "../calls/chain-draft.ts";
import { digestOf, type MessagePrefix, messageSignature } from "../calls/message-signing.ts";
import {
  payerOf,
  signDraft,
  signPayer,
  unlockedSigner,
  unsignedTransaction,
} from "../calls/sign-transaction.ts";
import {
  checkSignedChain,
  type EstimateGas,
  ethDraft,
  type GivenGas,
  withGas,
} from "../calls/transaction-draft.ts";
import type { Chain } from "../chain/chain.ts";
import { address, data } from "../jsonrpc/codecs/hex.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import type { Transaction } from "../model/transaction.ts";
import { signedEthTransaction, signedTransaction } from "../presenters/signed-transaction.ts";
import type { TxPool } from "../txpool/pool.ts";

/** Dependencies of the signing methods. */
export interface ChainSigningDeps {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "nonce">;
  readonly accounts: Pick<Accounts, "sign" | "signAs">;
  readonly messagePrefix: MessagePrefix;
  readonly estimateGas: EstimateGas;
}

const NO_ADDRESS: Address = new Uint8Array(20);

/** The methods of `chain` and `eth` that sign without submitting. */
export function chainSigningMethods(deps: ChainSigningDeps): Method[] {
  return [signMethod(deps), ...chainMethods(deps), ...ethMethods(deps)];
}

function signMethod({ accounts, messagePrefix }: ChainSigningDeps): Method {
  return method({
    name: "chain_sign",
    privilege: "keys",
    aliases: ["eth_sign"],
    summary:
      "Signs a message with the chain's prefix and an unlocked account. Returns r, s and v (27 or 28).",
    params: { address, message: data },
    result: data,
    handle: ({ address: account, message }) =>
      messageSignature(accounts.sign(account, digestOf(message, messagePrefix))),
  });
}

function chainMethods({ chain, pool, accounts }: ChainSigningDeps): Method[] {
  const draftOf = (args: SendArgs) => chainDraft({ chain, pool }, args);
  return [
    method({
      name: "chain_signTransaction",
      privilege: "keys",
      summary:
        "Fills in a transaction of any type and signs it with an unlocked account. Returns its encoding and JSON.",
      params: { transaction: sendArgs },
      result: signedTransaction,
      handle: ({ transaction }) => {
        checkNamedPrices(transaction);
        const { from = NO_ADDRESS } = transaction;
        const draft = draftOf(transaction);
        const signed = signDraft(draft, chain.config.chainId, unlockedSigner(accounts, from));
        checkSignedChain({ chain }, draft, transaction);
        return signed;
      },
    }),
    method({
      name: "chain_signTransactionAsFeePayer",
      privilege: "keys",
      summary: "Signs a transaction as the fee payer with an unlocked account. The sender may sign later.",
      params: { transaction: sendArgs },
      result: signedTransaction,
      handle: ({ transaction }) => {
        const draft = draftOf(transaction);
        const { signatures = [] } = transaction;
        const sign = unlockedSigner(accounts, payerOf(draft));
        return signPayer({ draft, chainId: chain.config.chainId, signatures }, sign);
      },
    }),
  ];
}

function ethMethods({ chain, pool, accounts, estimateGas }: ChainSigningDeps): Method[] {
  return [
    method({
      name: "eth_signTransaction",
      privilege: "keys",
      summary: "Signs Ethereum's transaction object with an unlocked account. Requires gas, price and nonce.",
      params: { transaction: ethArgs },
      result: signedEthTransaction,
      handle: ({ transaction }): Transaction => {
        const complete = checkComplete(transaction);
        const { from = NO_ADDRESS } = transaction;
        const draft = ethDraft({ chain, pool }, complete);
        const signed = signDraft(draft, chain.config.chainId, unlockedSigner(accounts, from));
        checkSignedChain({ chain }, draft, transaction);
        return signed;
      },
    }),
    method({
      name: "eth_fillTransaction",
      summary: "Fills in Ethereum's transaction object without signing it. Returns its encoding and JSON.",
      params: { transaction: ethArgs },
      result: signedEthTransaction,
      handle: async ({ transaction }, origin) => {
        const source = { chain, pool };
        const given = await withGas(source, transaction, (priced) => estimateGas(priced, origin));
        const draft = ethDraft(source, given);
        return unsignedTransaction(draft, transaction.chainId ?? chain.config.chainId);
      },
    }),
  ];
}

/** Checks that gas, price and nonce are set. Throws `RpcError`. */
function checkComplete(args: CallArgs): GivenGas {
  const { gas, gasPrice, maxFeePerGas, maxPriorityFeePerGas, nonce } = args;
  if (gas === undefined) throw failure("gas not specified");
  if (gasPrice === undefined && (maxFeePerGas === undefined || maxPriorityFeePerGas === undefined)) {
    throw failure("missing gasPrice or maxFeePerGas/maxPriorityFeePerGas");
  }
  if (nonce === undefined) throw failure("nonce not specified");
  return { ...args, gas };
}
