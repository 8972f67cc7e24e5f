/** `personal`: transactions of every kind, signed with a passphrase for this once. The account stays locked. */
import type { Accounts } from "../accounts/accounts.ts";
import { mapKey } from "../bytes/hex.ts";
import {
  accountUpdateArgs,
  type SendArgs,
  sendArgs,
  transactionHash,
  valueTransferArgs,
} from "../calls/arguments/transaction-args.ts";
import { chainDraft, checkPayerRequest, checkSendable } from "../calls/chain-draft.ts";
import { payerOf, type Signer, signDraftLater, signPayerLater } from "../calls/sign-transaction.ts";
import { createSubmit, type Submit } from "../calls/submit.ts";
import type { Chain } from "../chain/chain.ts";
import type { RpcProfile } from "../compat/profiles.ts";
import { text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import type { Transaction } from "../model/transaction.ts";
import { signedTransaction } from "../presenters/signed-transaction.ts";
import type { TxPool } from "../txpool/pool.ts";

/** What these methods use. */
export interface PersonalSendingParts {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "add" | "addWithBlobs" | "nonce">;
  readonly accounts: Accounts;
  readonly profile: RpcProfile;
}

/** A transaction object and the passphrase of its signer. */
interface Order<T> {
  readonly transaction: T;
  readonly passphrase: string;
}

const VALUE_TRANSFER = 0x08;
const ACCOUNT_UPDATE = 0x20;
const NO_ADDRESS = new Uint8Array(20);
const params = { transaction: sendArgs, passphrase: text };

/** The methods that send or sign with a passphrase. */
export function personalSendingMethods(parts: PersonalSendingParts): Method[] {
  const desk = createDesk(parts);
  return [...senderMethods(desk), ...payerMethods(desk), ...shortForms(parts, desk)];
}

function senderMethods({ sign, submit, inTurn }: Desk): Method[] {
  return [
    method({
      name: "personal_sendTransaction",
      aliases: ["personal_signAndSendTransaction"],
      summary: "Fills in a transaction of any kind, signs it with the passphrase and submits it; its hash.",
      params,
      result: transactionHash,
      handle: (order) => {
        checkSendable(order.transaction);
        return inTurn(order.transaction, async () => submit(await sign(order)));
      },
    }),
    method({
      name: "personal_signTransaction",
      summary: "Fills in a transaction of any kind and signs it with the passphrase; its raw form and JSON.",
      params,
      result: signedTransaction,
      handle: (order) => sign(order),
    }),
  ];
}

function payerMethods({ signAsPayer, submit }: Desk): Method[] {
  return [
    method({
      name: "personal_sendTransactionAsFeePayer",
      summary: "Signs as the fee payer what the sender has signed, and submits it; its hash.",
      params,
      result: transactionHash,
      handle: async (order) => {
        checkPayerRequest(order.transaction);
        return submit(await signAsPayer(order));
      },
    }),
    method({
      name: "personal_signTransactionAsFeePayer",
      summary: "Signs as the fee payer; the sender may sign later.",
      params,
      result: signedTransaction,
      handle: (order) => signAsPayer(order),
    }),
  ];
}

function shortForms({ accounts }: PersonalSendingParts, { sign, submit, inTurn }: Desk): Method[] {
  const send = (order: Order<SendArgs>, needed: "value" | "key") =>
    inTurn(order.transaction, async () => {
      const { from = NO_ADDRESS, [needed]: wanted } = order.transaction;
      if (!accounts.has(from)) throw failure("unknown account");
      if (wanted === undefined) throw failure("tx fields should be filled with valid values");
      return submit(await sign(order));
    });
  return [
    method({
      name: "personal_sendValueTransfer",
      summary: "Sends an amount by a value transfer; its hash.",
      params: { transaction: valueTransferArgs, passphrase: text },
      result: transactionHash,
      handle: ({ transaction: { to = NO_ADDRESS, ...given }, passphrase }) =>
        send({ transaction: { ...given, to, typeInt: VALUE_TRANSFER }, passphrase }, "value"),
    }),
    method({
      name: "personal_sendAccountUpdate",
      summary: "Gives an account another key, in its RLP form, by an account update; its hash.",
      params: { transaction: accountUpdateArgs, passphrase: text },
      result: transactionHash,
      handle: ({ transaction, passphrase }) =>
        send({ transaction: { ...transaction, typeInt: ACCOUNT_UPDATE }, passphrase }, "key"),
    }),
  ];
}

/** What all of these methods do with a transaction. */
interface Desk {
  readonly sign: (order: Order<SendArgs>) => Promise<Transaction>;
  readonly signAsPayer: (order: Order<SendArgs>) => Promise<Transaction>;
  readonly submit: Submit;
  /** One after the other for an account that leaves the nonce to the node. */
  readonly inTurn: <T>(transaction: SendArgs, work: () => Promise<T>) => Promise<T>;
}

function createDesk({ chain, pool, accounts, profile }: PersonalSendingParts): Desk {
  const lock = new AddressLock();
  const signer =
    (address: Uint8Array, passphrase: string): Signer<Promise<readonly Uint8Array[]>> =>
    (request) =>
      accounts.signAsWithPassphrase(address, passphrase, request);
  return {
    sign: async ({ transaction, passphrase }) => {
      const draft = chainDraft({ chain, pool }, transaction);
      return signDraftLater(draft, chain.config.chainId, signer(transaction.from ?? NO_ADDRESS, passphrase));
    },
    signAsPayer: async ({ transaction, passphrase }) => {
      const draft = chainDraft({ chain, pool }, transaction);
      const { signatures = [] } = transaction;
      return signPayerLater(
        { draft, chainId: chain.config.chainId, signatures },
        signer(payerOf(draft), passphrase),
      );
    },
    submit: createSubmit({ pool, profile }),
    inTurn: (transaction, work) =>
      transaction.nonce === undefined ? lock.run(transaction.from ?? NO_ADDRESS, work) : work(),
  };
}

/** Serializes signing per address, so that no two transactions get the same nonce. */
class AddressLock {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` after all earlier work for the address has settled. */
  async run<T>(address: Uint8Array, work: () => Promise<T>): Promise<T> {
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
