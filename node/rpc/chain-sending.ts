/** Sends transactions that the node signs with an unlocked account. */

import type { Accounts } from "../accounts/accounts.ts";
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { type CallArgs, ethArgs, sendArgs, transactionHash } from "../calls/arguments/transaction-args.ts";
import { chainDraft, checkNamedPrices, checkPayerRequest } from "../calls/chain-draft.ts";
import { type Impersonation, impersonate } from "../calls/impersonation.ts";
import { payerOf, signDraft, signPayer, unlockedSigner } from "../calls/sign-transaction.ts";
import { createEthSubmit, createSubmit, type SubmitOptions } from "../calls/submit.ts";
import { checkSignedChain, type EstimateGas, ethDraft, withGas } from "../calls/transaction-draft.ts";
import type { Chain } from "../chain/chain.ts";
import { address, listOf } from "../jsonrpc/codecs/hex.ts";
import { type CallOrigin, type Method, method } from "../jsonrpc/method.ts";
import { setSender, type Transaction, type TransactionDraft } from "../model/transaction.ts";
import type { TxPool } from "../txpool/pool.ts";

/** Dependencies of the sending methods. */
export interface ChainSendingDeps extends SubmitOptions {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "add" | "addWithBlobs" | "nonce">;
  readonly accounts: Pick<Accounts, "list" | "wallets" | "signAs">;
  readonly estimateGas: EstimateGas;
  /** Senders without a key; undefined but on a development chain. */
  readonly impersonation?: SenderImpersonation | undefined;
}

/** Senders without a key, and the change of the state that lets one of them send. */
export interface SenderImpersonation extends Pick<Impersonation, "has"> {
  readonly prepare: (sender: Address) => Promise<void>;
}

const NO_ADDRESS: Address = new Uint8Array(20);

/** The methods of `chain` and `eth` that sign and submit. */
export function chainSendingMethods(deps: ChainSendingDeps): Method[] {
  const { impersonation } = deps;
  if (impersonation === undefined) return [accountsMethod(deps), ...sendMethods(deps), ethSending(deps)];
  return [
    accountsMethod(deps),
    ...sendMethods(deps),
    ethSending(deps),
    unsignedSending({ ...deps, impersonation: { ...impersonation, has: () => true } }),
  ];
}

/** Returns the accounts; on a development chain those that can send come first, since tools take the first as theirs. */
function listAccounts({ accounts, impersonation }: ChainSendingDeps): Address[] {
  if (impersonation === undefined) return accounts.list();
  const wallets = accounts.wallets();
  const byStatus = ["Unlocked", "Locked"].flatMap((wanted) =>
    wallets.filter(({ status }) => status === wanted),
  );
  return byStatus.flatMap((wallet) => wallet.accounts.map(({ address: own }) => own));
}

function accountsMethod(deps: ChainSendingDeps): Method {
  const isDevelopment = deps.impersonation !== undefined;
  return method({
    name: "chain_accounts",
    aliases: ["eth_accounts", ...(isDevelopment ? ["eth_requestAccounts"] : [])],
    summary:
      "Returns the addresses of the accounts in the node's key store; on a development chain unlocked ones come first.",
    params: {},
    result: listOf(address, "[]common.Address"),
    handle: () => listAccounts(deps),
  });
}

/** Synchronous, so that two calls never get the same nonce. The signer is known and need not be recovered. */
function signWithUnlocked(
  { chain, accounts }: ChainSendingDeps,
  draft: TransactionDraft,
  from: Address = NO_ADDRESS,
): Transaction {
  const { chainId } = chain.config;
  const signed = signDraft(draft, chainId, unlockedSigner(accounts, from));
  setSender(signed, chainId, from);
  return signed;
}

function sendMethods(deps: ChainSendingDeps): Method[] {
  const { chain, pool, accounts } = deps;
  const submit = createSubmit(deps);
  return [
    method({
      name: "chain_sendTransaction",
      privilege: "keys",
      summary: "Fills in a transaction, signs it with an unlocked account, submits it and returns its hash.",
      params: { transaction: sendArgs },
      result: transactionHash,
      handle: ({ transaction }) => {
        checkNamedPrices(transaction);
        const draft = chainDraft({ chain, pool }, transaction);
        const signed = signWithUnlocked(deps, draft, transaction.from);
        checkSignedChain({ chain }, draft, transaction);
        return submit(signed);
      },
    }),
    method({
      name: "chain_sendTransactionAsFeePayer",
      privilege: "keys",
      summary:
        "Signs a sender's transaction as the fee payer with an unlocked account, submits it and returns its hash.",
      params: { transaction: sendArgs },
      result: transactionHash,
      handle: ({ transaction }) => {
        checkPayerRequest(transaction);
        const { signatures = [] } = transaction;
        const draft = chainDraft({ chain, pool }, transaction);
        const sign = unlockedSigner(accounts, payerOf(draft));
        return submit(signPayer({ draft, chainId: chain.config.chainId, signatures }, sign));
      },
    }),
  ];
}

function ethSending(deps: ChainSendingDeps): Method {
  return method({
    name: "eth_sendTransaction",
    privilege: "keys",
    summary:
      "Fills in Ethereum's transaction object, signs it with an unlocked account, submits it and returns the hash.",
    params: { transaction: ethArgs },
    result: transactionHash,
    handle: ethSender(deps),
  });
}

function unsignedSending(deps: ChainSendingDeps): Method {
  return method({
    name: "eth_sendUnsignedTransaction",
    privilege: "keys",
    summary:
      "Sends from any address of a development chain as `eth_sendTransaction` does from one that is impersonated.",
    params: { transaction: ethArgs },
    result: transactionHash,
    handle: ethSender(deps),
  });
}

/** Returns the function that sends Ethereum's transaction objects. */
export function ethSender(deps: ChainSendingDeps) {
  const { chain, pool, accounts, estimateGas, impersonation } = deps;
  const submit = createEthSubmit(deps);
  const hasKey = (from: Address): boolean => accounts.list().some((own) => equalBytes(own, from));
  return async (
    { transaction }: { readonly transaction: CallArgs },
    origin: CallOrigin,
  ): Promise<Uint8Array> => {
    const source = { chain, pool };
    const { from = NO_ADDRESS } = transaction;
    const isImpersonated = impersonation?.has(from) === true && !hasKey(from);
    if (isImpersonated) await impersonation?.prepare(from);
    const given = await withGas(source, transaction, (priced) => estimateGas(priced, origin));
    const draft = ethDraft(source, given);
    const { chainId } = chain.config;
    const signed = isImpersonated ? impersonate(draft, chainId, from) : signWithUnlocked(deps, draft, from);
    checkSignedChain(source, draft, transaction);
    return submit(signed);
  };
}
