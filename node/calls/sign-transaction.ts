/** Signs drafts: synchronously with an unlocked account, or asynchronously with a passphrase. */

import type { Accounts } from "../accounts/accounts.ts";
import type { SigningRole } from "../accounts/keyring.ts";
import type { Address, Hash } from "../bytes/brands.ts";
import { failure } from "../jsonrpc/errors.ts";
import {
  assembleTransaction,
  signTransaction,
  type Transaction,
  type TransactionDraft,
} from "../model/transaction.ts";
import { signAsFeePayer } from "../model/transaction-signers.ts";
import type { Signature } from "../model/transaction-type.ts";
import { namesSender, typeOf } from "./chain-draft.ts";

/** A request to sign a digest with the keys of an account. */
export interface SigningRequest {
  readonly role: SigningRole;
  readonly digest: Hash;
}

/** Signs with the keys of an account. Signatures are r, s, v (0 or 1), 65 bytes each. */
export type Signer<T> = (request: SigningRequest) => T;
type Signatures = readonly Uint8Array[];

/** Creates a signer of an unlocked account. It throws `AccountsError` when the account is locked. */
export function unlockedSigner(accounts: Pick<Accounts, "signAs">, address: Address): Signer<Signatures> {
  return ({ role, digest }) => accounts.signAs(address, role, digest);
}

/** Signs as the sender: with all its keys for Kaia's own types, with the first key for all others. */
export function signDraft(draft: TransactionDraft, chainId: bigint, sign: Signer<Signatures>): Transaction {
  const type = typeOf(draft.code);
  return signTransaction(draft, chainId, (digest) => {
    const signatures = sign({ role: type.role, digest });
    return namesSender(type) ? signatures : signatures.slice(0, 1);
  });
}

/** Signs as the sender with an asynchronous signer. */
export function signDraftLater(
  draft: TransactionDraft,
  chainId: bigint,
  sign: Signer<Promise<Signatures>>,
): Promise<Transaction> {
  return later((signer) => signDraft(draft, chainId, signer), sign);
}

/** A draft for its fee payer, with the sender's signatures if there are any. */
export interface PayerDraft {
  readonly draft: TransactionDraft;
  readonly chainId: bigint;
  readonly signatures: readonly Signature[];
}

/** Signs as the fee payer. Throws `RpcError` for a type without one. */
export function signPayer({ draft, chainId, signatures }: PayerDraft, sign: Signer<Signatures>): Transaction {
  const feePayer = payerOf(draft);
  const tx = assembleTransaction(draft, chainId, signatures);
  return signAsFeePayer(tx, { feePayer, chainId }, (digest) => sign({ role: "feePayer", digest }));
}

/** Signs as the fee payer with an asynchronous signer. */
export function signPayerLater(draft: PayerDraft, sign: Signer<Promise<Signatures>>): Promise<Transaction> {
  return later((signer) => signPayer(draft, signer), sign);
}

/** Returns the fee payer of a draft. Throws `RpcError` for a type without one. */
export function payerOf({ code, fields }: TransactionDraft): Address {
  const feePayer = typeOf(code).payerDigest === undefined ? undefined : fields?.feePayer;
  if (feePayer === undefined) throw failure("invalid fee payer is set");
  return feePayer;
}

/** Encodes a draft without signatures. */
export function unsignedTransaction(draft: TransactionDraft, chainId: bigint): Transaction {
  const none = { v: 0n, r: NOTHING, s: NOTHING };
  return assembleTransaction(draft, chainId, namesSender(typeOf(draft.code)) ? [] : [none]);
}

/** Returns the digest that a draft's sender signs. */
export function draftDigest(draft: TransactionDraft, chainId: bigint): Hash {
  return requestOf((signer) => signDraft(draft, chainId, signer)).digest;
}

async function later(
  make: (sign: Signer<Signatures>) => Transaction,
  sign: Signer<Promise<Signatures>>,
): Promise<Transaction> {
  const signatures = await sign(requestOf(make));
  return make(() => signatures);
}

/** Returns the request of a signing function, by running it with placeholder signatures. */
function requestOf(make: (sign: Signer<Signatures>) => Transaction): SigningRequest {
  let request: SigningRequest | undefined;
  make((wanted) => {
    request = { role: wanted.role, digest: new Uint8Array(wanted.digest) };
    return [PLACEHOLDER];
  });
  if (request === undefined) throw new Error("a draft was assembled without being signed");
  return request;
}

const NOTHING = new Uint8Array(0);
/** A well-formed signature with r and s of 1, discarded when the digest is known. */
const PLACEHOLDER = new Uint8Array(65);
PLACEHOLDER[31] = 1;
PLACEHOLDER[63] = 1;
