/**
 * What every kind of transaction has, and what one row of the transaction table has to know. Nothing outside a
 * row asks which kind a transaction is: it reads these fields or calls the row.
 */
import type { Rules } from "../config/rules.ts";
import type { RlpCursor } from "./rlp-cursor.ts";

/** A signature: `r` and `s` big-endian without leading zeros, `v` as the transaction carries it. */
export interface Signature {
  readonly v: bigint;
  readonly r: Uint8Array;
  readonly s: Uint8Array;
}

/** An entry of an access list (EIP-2930): an address and the 32-byte slots of it. */
export interface AccessListEntry {
  readonly address: Uint8Array;
  readonly storageKeys: readonly Uint8Array[];
}

/** An entry of an authorization list (EIP-7702): an account lets the code of `address` run as its own. */
export interface Authorization {
  /** 0 stands for every chain. */
  readonly chainId: bigint;
  readonly address: Uint8Array;
  readonly nonce: bigint;
  readonly yParity: number;
  readonly r: Uint8Array;
  readonly s: Uint8Array;
}

/** What travels with a blob transaction but is never in a block. Version 0 has one proof a blob, 1 has cell proofs. */
export interface BlobSidecar {
  readonly version: 0 | 1;
  readonly blobs: readonly Uint8Array[];
  readonly commitments: readonly Uint8Array[];
  readonly proofs: readonly Uint8Array[];
}

/** What only some kinds have. */
export interface TypeFields {
  readonly accessList?: readonly AccessListEntry[];
  readonly authorizationList?: readonly Authorization[];
  readonly maxFeePerBlobGas?: bigint;
  readonly blobVersionedHashes?: readonly Uint8Array[];
  readonly sidecar?: BlobSidecar;
  /** The sender, where the transaction names it: its account's key says whose signatures it takes. */
  readonly from?: Uint8Array;
  /** The account key to be set, serialised. */
  readonly key?: Uint8Array;
  readonly humanReadable?: boolean;
  readonly codeFormat?: number;
  /** Percent of the fee that the fee payer pays; all of it where there is a fee payer and no ratio. */
  readonly feeRatio?: number;
  readonly feePayer?: Uint8Array;
  readonly payerSignatures?: readonly Signature[];
}

/** `call` sends value and input, or makes a contract; `key-update` gives the sender's account another key. */
export type Action = "call" | "key-update" | "nothing";

/** `hold-no-code`: is not a contract; `be-program`: is there and has code; `be-unreserved`: is no precompile's. */
export type RecipientDuty = "hold-no-code" | "be-program" | "be-unreserved";

/** What an account's key is asked to sign for: role-based keys have one key for each. */
export type KeyRole = "transaction" | "accountUpdate" | "feePayer";

/** What a transaction says, without signatures: enough to sign it. A single price is both caps. */
export interface TransactionContent {
  readonly nonce: bigint;
  readonly gas: bigint;
  readonly gasFeeCap: bigint;
  readonly gasTipCap: bigint;
  readonly value: bigint;
  /** Absent when the transaction creates a contract. */
  readonly to: Uint8Array | undefined;
  readonly input: Uint8Array;
  /** The chain that the transaction names, in a field or in V; absent when it names none. */
  readonly chainId: bigint | undefined;
  readonly fields: TypeFields;
}

/** A whole transaction as a row reads it. */
export interface TransactionBody extends TransactionContent {
  readonly signatures: readonly Signature[];
  /** The form inside block bodies: for typed transactions the type's bytes, then the list. */
  readonly raw: Uint8Array;
}

/** Parity of the curve point behind a signature, and its chain: none for signatures that name none. */
export interface SignatureMeaning {
  readonly parity: number;
  readonly chainId: bigint | undefined;
}

/** One kind of transaction. Rows are pure data and functions; `transaction.ts` puts them to work. */
export interface TransactionType {
  /** The number in JSON (`typeInt`); also how drafts name the kind. */
  readonly code: number;
  /** The name in JSON (`type`). */
  readonly name: string;
  /** The number that `eth_` answers show. */
  readonly ethType: number;
  /** The bytes that stand before the list in `raw`. */
  readonly prefix: Uint8Array;
  /** How many bytes of `raw` the transaction's hash leaves out at the start. */
  readonly hashFrom: number;
  /** What the hash covers, where that is not `raw` from `hashFrom` on. */
  readonly hashed?: (body: TransactionBody) => Uint8Array;
  /** The hash that the sender knows before a fee payer has signed; absent where it is the transaction's own. */
  readonly senderHash?: (body: TransactionBody) => Uint8Array;
  /** What executing the kind does beyond using up a nonce. */
  readonly action: Action;
  /** What the state must say of the recipient; nobody in particular when left out. */
  readonly recipientMust?: RecipientDuty;
  /** A recipient of zeros counts as none wherever creations are told from calls; the call goes there all the same. */
  readonly zeroIsNobody?: boolean;
  /** The role in which the sender's key signs. */
  readonly role: Exclude<KeyRole, "feePayer">;
  /** True when the content makes a contract. */
  readonly creates: (content: TransactionContent) => boolean;
  /** Ethereum's answers name the sender as the recipient: the kind is about the sender's own account. */
  readonly shownToSender?: boolean;
  /** Takes the place of any pooled transaction of the same nonce, whatever that one pays. */
  readonly replacesAnyPrice?: boolean;
  /** Records another chain's data, which nodes take from their own clients only when they are told to. */
  readonly anchors?: boolean;
  /** Accepted on every chain, or only where `Rules.acceptedTypes` holds `code`. */
  readonly always: boolean;
  /** Reads the list at the cursor; `start` is where in the cursor's bytes the transaction begins, prefix included. */
  readonly read: (cursor: RlpCursor, start: number) => TransactionBody;
  /** Writes `raw` of a content and its signatures. */
  readonly encode: (content: TransactionContent, signatures: readonly Signature[]) => Uint8Array;
  /** Throws `TransactionError` for signatures that can be nobody's. */
  readonly checkSignatures: (body: TransactionBody) => void;
  /** Parity and chain of one signature of this kind. */
  readonly meaning: (body: TransactionBody, signature: Signature) => SignatureMeaning;
  /** The digest that every signature of the sender signs. */
  readonly digest: (body: TransactionBody) => Uint8Array;
  /** The digest that the fee payer signs for a chain; absent in kinds without one. */
  readonly payerDigest?: (body: TransactionBody, chainId: bigint) => Uint8Array;
  /** V of a new signature for a chain. */
  readonly v: (parity: number, chainId: bigint) => bigint;
  /** Gas due before anything is executed. */
  readonly intrinsicGas: (body: TransactionContent, rules: Rules) => bigint;
  /** The least gas that the transaction uses, whatever it does; 0 where there is no such floor. */
  readonly floorGas: (body: TransactionContent, rules: Rules) => bigint;
  /** The kind's own fields in JSON up to the signatures, in the order of the Go node's transaction object. */
  readonly json: (body: TransactionContent) => Readonly<Record<string, unknown>>;
  /** What `gasPrice` shows: `paid` is the price that was paid, absent while the transaction is pending. */
  readonly shownPrice: (body: TransactionContent, paid: bigint | undefined) => bigint;
  /** Whether the stand-alone JSON form names the kind. */
  readonly namesItself: boolean;
}
