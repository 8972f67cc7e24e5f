/**
 * The parts of every transaction, and the interface of a row of the transaction table. Code outside a row
 * never asks for the type of a transaction: it reads these fields or calls the row.
 */

import type { Address, Hash, StorageKey } from "../bytes/brands.ts";
import type { RlpCursor } from "../bytes/rlp-cursor.ts";
import type { Rules } from "../config/rules.ts";

/** A signature: `r` and `s` big-endian without leading zeros, `v` as the transaction has it. */
export interface Signature {
  readonly v: bigint;
  readonly r: Uint8Array;
  readonly s: Uint8Array;
}

/** An entry of an access list (EIP-2930): an address and its 32-byte slots. */
export interface AccessListEntry {
  readonly address: Address;
  readonly storageKeys: readonly StorageKey[];
}

/** An entry of an authorization list (EIP-7702): an account delegates to the code of `address`. */
export interface Authorization {
  /** 0 stands for every chain. */
  readonly chainId: bigint;
  readonly address: Address;
  readonly nonce: bigint;
  readonly yParity: number;
  readonly r: Uint8Array;
  readonly s: Uint8Array;
}

/**
 * The sidecar of a blob transaction, which is never in a block. Version 0 has one proof per blob (EIP-4844),
 * version 1 cell proofs (EIP-7594).
 */
export interface BlobSidecar {
  readonly version: 0 | 1;
  readonly blobs: readonly Uint8Array[];
  readonly commitments: readonly Uint8Array[];
  readonly proofs: readonly Uint8Array[];
}

/** Fields that only some types have. */
export interface TypeFields {
  readonly accessList?: readonly AccessListEntry[];
  readonly authorizationList?: readonly Authorization[];
  readonly maxFeePerBlobGas?: bigint;
  readonly blobVersionedHashes?: readonly Hash[];
  readonly sidecar?: BlobSidecar;
  /** The sender, in types that name it; its account's key determines the valid signatures. */
  readonly from?: Address;
  /** The new account key, serialised. */
  readonly key?: Uint8Array;
  readonly humanReadable?: boolean;
  readonly codeFormat?: number;
  /** Percentage of the fee that the fee payer pays; all of it when absent. */
  readonly feeRatio?: number;
  readonly feePayer?: Address;
  readonly payerSignatures?: readonly Signature[];
}

/**
 * Execution of a type: `call` sends value and input or creates a contract, `key-update` sets the sender's
 * account key.
 */
export type Action = "call" | "key-update" | "nothing";

/** Condition on the recipient: not a contract, an existing account with code, or not a reserved address. */
export type RecipientRule = "hold-no-code" | "be-program" | "be-unreserved";

/** Purpose of a signature; a role-based key has one key for each. */
export type KeyRole = "transaction" | "accountUpdate" | "feePayer";

/** A transaction without signatures. A single gas price is both caps; amounts are in peb. */
export interface TransactionContent {
  readonly nonce: bigint;
  readonly gas: bigint;
  readonly gasFeeCap: bigint;
  readonly gasTipCap: bigint;
  readonly value: bigint;
  /** Absent for a contract creation. */
  readonly to: Address | undefined;
  readonly input: Uint8Array;
  /** The chain id in a field or in V; absent when the transaction has none. */
  readonly chainId: bigint | undefined;
  readonly fields: TypeFields;
}

/** A whole transaction as a row reads it. */
export interface TransactionBody extends TransactionContent {
  readonly signatures: readonly Signature[];
  /** The form in block bodies: the prefix of a typed transaction, then the list. */
  readonly raw: Uint8Array;
}

/** Parity of the signature's curve point, and its chain id if it has one. */
export interface DecodedV {
  readonly parity: number;
  readonly chainId: bigint | undefined;
}

/** One transaction type. Rows are plain data and functions; `transaction.ts` uses them. */
export interface TransactionType {
  /** Number in JSON (`typeInt`) and in drafts. */
  readonly code: number;
  /** Name in JSON (`type`). */
  readonly name: string;
  /** Type number in the results of `eth_` methods. */
  readonly ethType: number;
  /** Bytes before the list in `raw`. */
  readonly prefix: Uint8Array;
  /** Number of bytes at the start of `raw` that the transaction hash omits. */
  readonly hashFrom: number;
  /** Returns the bytes that the hash covers, where they are not `raw` from `hashFrom` on. */
  readonly hashPreimage?: (body: TransactionBody) => Uint8Array;
  /**
   * Returns the hash that the sender knows before a fee payer has signed; absent where it is the transaction
   * hash.
   */
  readonly senderHash?: (body: TransactionBody) => Hash;
  /** Execution besides the increment of the nonce. */
  readonly action: Action;
  /** Condition on the recipient in the state; none when absent. */
  readonly recipientRule?: RecipientRule;
  /** A zero recipient counts as none in the distinction of creations and calls; the call still goes to it. */
  readonly zeroIsNoRecipient?: boolean;
  /** Role of the sender's key. */
  readonly role: Exclude<KeyRole, "feePayer">;
  /** True when the content creates a contract. */
  readonly creates: (content: TransactionContent) => boolean;
  /**
   * The results of `eth_` methods show the sender as the recipient: the type acts on the sender's own
   * account.
   */
  readonly recipientIsSender?: boolean;
  /** Replaces any pooled transaction of the same nonce, whatever its price. */
  readonly replacesAnyPrice?: boolean;
  /**
   * Anchors data of another chain, which nodes accept from their own clients only when an option allows it.
   */
  readonly isAnchoring?: boolean;
  /** Accepted on every chain; otherwise only where `Rules.acceptedTypes` has `code`. */
  readonly isAlwaysAccepted: boolean;
  /**
   * Reads the list at the cursor; `start` is the transaction's offset in the cursor's bytes, prefix included.
   */
  readonly read: (cursor: RlpCursor, start: number) => TransactionBody;
  /** Encodes a content and its signatures as `raw`. */
  readonly encode: (content: TransactionContent, signatures: readonly Signature[]) => Uint8Array;
  /** Throws `TransactionError` for invalid signatures. */
  readonly checkSignatures: (body: TransactionBody) => void;
  /** Returns parity and chain id of one signature. */
  readonly decodeV: (body: TransactionBody, signature: Signature) => DecodedV;
  /** Returns the digest that the sender signs. */
  readonly digest: (body: TransactionBody) => Hash;
  /** Returns the digest that the fee payer signs for a chain; absent in types without a fee payer. */
  readonly payerDigest?: (body: TransactionBody, chainId: bigint) => Hash;
  /** Returns V of a new signature for a chain. */
  readonly encodeV: (parity: number, chainId: bigint) => bigint;
  /** Returns the intrinsic gas. */
  readonly intrinsicGas: (body: TransactionContent, rules: Rules) => bigint;
  /** Returns the lower bound of the gas used (EIP-7623); 0 where there is none. */
  readonly floorGas: (body: TransactionContent, rules: Rules) => bigint;
  /**
   * Returns the type's fields as JSON up to the signatures, in the order of the Go node's transaction object.
   */
  readonly json: (body: TransactionContent) => Readonly<Record<string, unknown>>;
  /**
   * Returns the JSON member `gasPrice` in peb; `paid` is the effective price, absent while the transaction is
   * pending.
   */
  readonly jsonGasPrice: (body: TransactionContent, paid: bigint | undefined) => bigint;
  /** The stand-alone JSON form has the members `typeInt` and `type`. */
  readonly hasTypeInJson: boolean;
}
