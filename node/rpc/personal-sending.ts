/** `personal`: transactions of every type, signed with a passphrase. The account stays locked. */

import type { Accounts } from "../accounts/accounts.ts";
import type { Address } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";
import {
  accountUpdateArgs,
  type SendArgs,
  sendArgs,
  transactionHash,
  valueTransferArgs,
} from "../calls/arguments/transaction-args.ts";
import { chainDraft, checkNamedPrices, checkPayerRequest } from "../calls/chain-draft.ts";
import { payerOf, type Signer, signDraftLater, signPayerLater } from "../calls/sign-transaction.ts";
import { createSubmit, type Submit } from "../calls/submit.ts";
import { checkSignedChain } from "../calls/transaction-draft.ts";
import type { Chain } from "../chain/chain.ts";
import { text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import type { Transaction } from "../model/transaction.ts";
import { signedTransaction } from "../presenters/signed-transaction.ts";
import type { TxPool } from "../txpool/pool.ts";

/** Dependencies of the methods that sign with a passphrase. */
export interface PersonalSendingDeps {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "add" | "addWithBlobs" | "nonce">;
  readonly accounts: Accounts;
}

/** A transaction object and the passphrase of its signer. */
interface SigningOrder<T> {
  readonly transaction: T;
  readonly passphrase: string;
}

const VALUE_TRANSFER = 0x08;
const ACCOUNT_UPDATE = 0x20;
const NO_ADDRESS: Address = new Uint8Array(20);
const params = { transaction: sendArgs, passphrase: text };

/** The methods of `personal` that sign transactions. */
export function personalSendingMethods(deps: PersonalSendingDeps): Method[] {
  const desk = createSteps(deps);
  return [...senderMethods(desk), ...payerMethods(desk), ...shortForms(deps, desk)];
}

function senderMethods({ sign, submit, inTurn }: SigningSteps): Method[] {
  return [
    method({
      name: "personal_sendTransaction",
      aliases: ["personal_signAndSendTransaction"],
      summary:
        "Fills in a transaction of any type, signs it with the passphrase, submits it and returns its hash.",
      params,
      result: transactionHash,
      handle: (order) => {
        checkNamedPrices(order.transaction);
        return inTurn(order.transaction, async () => submit(await sign(order)));
      },
    }),
    method({
      name: "personal_signTransaction",
      summary:
        "Fills in a transaction of any type and signs it with the passphrase. Returns its encoding and JSON.",
      params,
      result: signedTransaction,
      handle: (order) => {
        checkNamedPrices(order.transaction);
        return sign(order);
      },
    }),
  ];
}

function payerMethods({ signAsPayer, submit }: SigningSteps): Method[] {
  return [
    method({
      name: "personal_sendTransactionAsFeePayer",
      summary: "Signs a sender's transaction as the fee payer, submits it and returns its hash.",
      params,
      result: transactionHash,
      handle: async (order) => {
        checkPayerRequest(order.transaction);
        return submit(await signAsPayer(order));
      },
    }),
    method({
      name: "personal_signTransactionAsFeePayer",
      summary: "Signs a transaction as the fee payer. The sender may sign later.",
      params,
      result: signedTransaction,
      handle: (order) => signAsPayer(order),
    }),
  ];
}

function shortForms({ accounts }: PersonalSendingDeps, { sign, submit, inTurn }: SigningSteps): Method[] {
  const send = (order: SigningOrder<SendArgs>, needed: "value" | "key") =>
    inTurn(order.transaction, async () => {
      const { from = NO_ADDRESS, [needed]: wanted } = order.transaction;
      if (!accounts.has(from)) throw failure("unknown account");
      if (wanted === undefined) throw failure("tx fields should be filled with valid values");
      return submit(await sign(order));
    });
  return [
    method({
      name: "personal_sendValueTransfer",
      summary: "Sends a value transfer and returns its hash.",
      params: { transaction: valueTransferArgs, passphrase: text },
      result: transactionHash,
      handle: ({ transaction: { to = NO_ADDRESS, ...given }, passphrase }) =>
        send({ transaction: { ...given, to, typeInt: VALUE_TRANSFER }, passphrase }, "value"),
    }),
    method({
      name: "personal_sendAccountUpdate",
      summary: "Sends an account update with a new account key as RLP, and returns its hash.",
      params: { transaction: accountUpdateArgs, passphrase: text },
      result: transactionHash,
      handle: ({ transaction, passphrase }) =>
        send({ transaction: { ...transaction, typeInt: ACCOUNT_UPDATE }, passphrase }, "key"),
    }),
  ];
}

/** Steps that the methods of `personal` share. */
interface SigningSteps {
  readonly sign: (order: SigningOrder<SendArgs>) => Promise<Transaction>;
  readonly signAsPayer: (order: SigningOrder<SendArgs>) => Promise<Transaction>;
  readonly submit: Submit;
  /** Serializes work for an account whose nonce the node fills in. */
  readonly inTurn: <T>(transaction: SendArgs, work: () => Promise<T>) => Promise<T>;
}

function createSteps({ chain, pool, accounts }: PersonalSendingDeps): SigningSteps {
  const lock = new AddressLock();
  const signer =
    (address: Address, passphrase: string): Signer<Promise<readonly Uint8Array[]>> =>
    (request) =>
      accounts.signAsWithPassphrase(address, passphrase, request);
  return {
    sign: async ({ transaction, passphrase }) => {
      const draft = chainDraft({ chain, pool }, transaction);
      const sign = signer(transaction.from ?? NO_ADDRESS, passphrase);
      const signed = await signDraftLater(draft, chain.config.chainId, sign);
      checkSignedChain({ chain }, draft, transaction);
      return signed;
    },
    signAsPayer: async ({ transaction, passphrase }) => {
      const draft = chainDraft({ chain, pool }, transaction);
      const { signatures = [] } = transaction;
      return signPayerLater(
        { draft, chainId: chain.config.chainId, signatures },
        signer(payerOf(draft), passphrase),
      );
    },
    submit: createSubmit({ pool }),
    inTurn: (transaction, work) =>
      transaction.nonce === undefined ? lock.run(transaction.from ?? NO_ADDRESS, work) : work(),
  };
}

/** Serializes signing per address, so that no two transactions get the same nonce. */
class AddressLock {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` after all earlier work for the address has settled. */
  async run<T>(address: Address, work: () => Promise<T>): Promise<T> {
    const key = mapKey(address);
    const before = this.#last.get(key);
    const mine = (before ?? Promise.resolve()).then(work, work);
    const settled = mine.catch(() => undefined);
    this.#last.set(key, settled);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }
}
