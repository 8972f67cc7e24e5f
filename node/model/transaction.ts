/**
 * Transactions: decoded from raw bytes or block bodies, signed, and asked for facts that depend on their
 * type. In: bytes, of which everything stays a view. Out: `Transaction`, whose hash and sender are computed
 * at most once. Differences between types are in the rows of `transaction-types/`.
 */
import type { Address, Hash, PublicKey } from "../bytes/brands.ts";
import { concatBytes } from "../bytes/compare.ts";
import { BytesError } from "../bytes/error.ts";
import { trimZeros } from "../bytes/integer.ts";
import type { RlpItem } from "../bytes/rlp.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import type { Rules } from "../config/rules.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { addressOfPublicKey, recover } from "../crypto/secp256k1.ts";
import { ModelError, TransactionError } from "./error.ts";
import { badSignature, hasLowS, signatureBytes } from "./transaction-codec.ts";
import { transactionType } from "./transaction-table.ts";
import type {
  Signature,
  TransactionBody,
  TransactionContent,
  TransactionType,
  TypeFields,
} from "./transaction-type.ts";

/**
 * A decoded transaction. `senderTxHash` is the hash that the sender of a fee-delegated transaction knows; for
 * all others it equals `hash`.
 */
export interface Transaction extends TransactionBody {
  readonly type: TransactionType;
  readonly hash: Hash;
  readonly senderTxHash: Hash;
}

/** A transaction to sign; `code` is the number of its type. Fields that the type lacks are ignored. */
export interface TransactionDraft extends Omit<TransactionContent, "chainId" | "fields"> {
  readonly code: number;
  readonly fields?: TypeFields;
}

/** Input for the recovery of a public key. */
export interface RecoveryInput {
  readonly digest: Hash;
  /** r, s and parity: 65 bytes. */
  readonly signature65: Uint8Array;
}

/** First byte of Ethereum's typed transactions; the second is Ethereum's type number. */
const ETHEREUM_PREFIX = 0x78;

class DecodedTransaction implements Transaction {
  readonly type: TransactionType;
  readonly nonce: bigint;
  readonly gas: bigint;
  readonly gasFeeCap: bigint;
  readonly gasTipCap: bigint;
  readonly value: bigint;
  readonly to: Address | undefined;
  readonly input: Uint8Array;
  readonly chainId: bigint | undefined;
  readonly fields: TypeFields;
  readonly signatures: readonly Signature[];
  readonly raw: Uint8Array;
  #hash: Hash | undefined;
  #senderHash: Hash | undefined;
  #sender: Address | undefined;
  /** The chain id that `#sender` holds for. */
  #senderChain = 0n;

  constructor(type: TransactionType, body: TransactionBody) {
    this.type = type;
    this.nonce = body.nonce;
    this.gas = body.gas;
    this.gasFeeCap = body.gasFeeCap;
    this.gasTipCap = body.gasTipCap;
    this.value = body.value;
    this.to = body.to;
    this.input = body.input;
    this.chainId = body.chainId;
    this.fields = body.fields;
    this.signatures = body.signatures;
    this.raw = body.raw;
  }

  get hash(): Hash {
    this.#hash ??= keccak256(hashPreimage(this));
    return this.#hash;
  }

  get senderTxHash(): Hash {
    const { senderHash } = this.type;
    if (senderHash === undefined) return this.hash;
    this.#senderHash ??= senderHash(this);
    return this.#senderHash;
  }

  knownSender(chainId: bigint): Address | undefined {
    return this.#senderChain === chainId ? this.#sender : undefined;
  }

  rememberSender(chainId: bigint, sender: Address): void {
    this.#sender = sender;
    this.#senderChain = chainId;
  }
}

function hashPreimage(body: TransactionBody & { readonly type: TransactionType }): Uint8Array {
  const { hashPreimage: ownPreimage, hashFrom } = body.type;
  if (ownPreimage !== undefined) return ownPreimage(body);
  return hashFrom === 0 ? body.raw : body.raw.subarray(hashFrom);
}

/** Decodes one transaction that fills `raw`, in the form of block bodies. Throws `TransactionError`. */
export function decodeTransaction(raw: Uint8Array): Transaction {
  return rethrowMalformed(() => {
    const cursor = new RlpCursor(raw);
    const transaction = readTransaction(cursor);
    if (!cursor.done) throw new TransactionError("malformed", "rlp: input contains more than one value");
    return transaction;
  });
}

/**
 * Decodes the transactions of a block body, whose items follow one another in the list. Throws
 * `TransactionError`.
 */
export function readTransactions(list: RlpItem): Transaction[] {
  return [...eachTransaction(list)];
}

/** As `readTransactions`, one at a time. */
export function* eachTransaction(list: RlpItem): Generator<Transaction, void> {
  const cursor = new RlpCursor(list.raw);
  const end = rethrowMalformed(() => cursor.enter());
  while (!cursor.done) yield rethrowMalformed(() => withoutSidecar(readTransaction(cursor)));
  rethrowMalformed(() => cursor.leave(end));
}

function withoutSidecar(tx: Transaction): Transaction {
  if (tx.fields.sidecar === undefined) return tx;
  throw new TransactionError("sidecar-in-block", "a transaction in a block carries no blobs");
}

function rethrowMalformed<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof BytesError || error instanceof ModelError)) throw error;
    throw new TransactionError("malformed", error.message, { cause: error });
  }
}

function readTransaction(cursor: RlpCursor): Transaction {
  const start = cursor.at;
  const type = transactionType(cursor.atList ? 0 : readCode(cursor));
  const body = cursor.at - start === type.prefix.length ? type.read(cursor, start) : readList(cursor, type);
  type.checkSignatures(body);
  return new DecodedTransaction(type, body);
}

/** Reads a list behind another form of its type's prefix; the bytes of the result have the usual one. */
function readList(cursor: RlpCursor, type: TransactionType): TransactionBody {
  const raw = concatBytes(type.prefix, cursor.raw());
  return type.read(new RlpCursor(raw, type.prefix.length), 0);
}

/**
 * Reads the type number before the list, an RLP integer of up to two bytes: 0x827802 is another form of 0x7802. As in
 * the Go node, a number that RLP forbids stands for a legacy transaction (`TxInternalDataSerializer.DecodeRLP` in
 * blockchain/types/tx_internal_data_serializer.go@v2.2.2).
 */
function readCode(cursor: RlpCursor): number {
  const code = readTypeNumber(cursor) ?? 0;
  if (code !== ETHEREUM_PREFIX) return code;
  const ethereumType = readTypeNumber(cursor);
  if (ethereumType === undefined)
    throw new TransactionError("malformed", "an Ethereum type that RLP forbids");
  return (ETHEREUM_PREFIX * 256) | ethereumType;
}

/** Reads an integer of up to two bytes; undefined for one with a leading zero or a length that it need not have. */
function readTypeNumber(cursor: RlpCursor): number | undefined {
  const first = cursor.done ? 0 : (cursor.bytes[cursor.at] ?? 0);
  const length = Math.max(0, first - 0x80);
  if (first === 0 || length > 2 || cursor.at + length >= cursor.end) {
    throw new TransactionError("malformed", "a transaction begins with a list or a type byte");
  }
  cursor.at += 1 + length;
  if (length === 0) return first % 0x80;
  const [high = 0, low = 0] =
    length === 1 ? [0, cursor.bytes[cursor.at - 1]] : cursor.bytes.subarray(cursor.at - 2);
  const isForbidden = length === 1 ? low < 0x80 : high === 0;
  return isForbidden ? undefined : high * 256 + low;
}

/**
 * Returns the recovery input of the only signature: the sender's, or in types that name their sender that of
 * a signer whom the account's key has to accept. Throws `TransactionError` for another chain or an invalid
 * signature.
 */
export function recoveryJob(tx: Transaction, chainId: bigint): RecoveryInput {
  const signature = tx.signatures[0];
  if (signature === undefined || tx.signatures.length > 1) throw tooManySignatures();
  const signature65 = recoveryInput(tx, signature, chainId);
  return { digest: tx.type.digest(tx), signature65 };
}

/**
 * Returns r, s and parity of a signature for a chain. Throws `TransactionError` for another chain or an
 * invalid signature.
 */
export function recoveryInput(tx: Transaction, signature: Signature, chainId: bigint): Uint8Array {
  const meaning = tx.type.decodeV(tx, signature);
  if (meaning.chainId !== undefined && meaning.chainId !== chainId) {
    throw new TransactionError("wrong-chain-id", "invalid chain id for signer");
  }
  if (meaning.parity > 1 || !hasLowS(signature)) throw badSignature();
  return signatureBytes(signature, meaning.parity);
}

function tooManySignatures(): TransactionError {
  return new TransactionError("signature-count", "the number of signatures should be one");
}

/**
 * Returns the sender's address, recovered once per transaction, or the one that the transaction names. A
 * named sender is unproven until `validateSigners` has accepted the signers' keys. Throws `TransactionError`.
 */
export function senderOf(tx: Transaction, chainId: bigint): Address {
  if (tx.fields.from !== undefined) return tx.fields.from;
  const known = tx instanceof DecodedTransaction ? tx.knownSender(chainId) : undefined;
  if (known !== undefined) return known;
  if (withoutSender.get(tx) === chainId) throw noRecovery();
  const sender = addressOfPublicKey(recoverKey(recoveryJob(tx, chainId)));
  setSender(tx, chainId, sender);
  return sender;
}

/** Transactions whose signature is nobody's, with the chain id that this holds for. */
const withoutSender = new WeakMap<Transaction, bigint>();

/** Stores that nothing was recovered elsewhere from `recoveryJob` for the same chain: `senderOf` throws at once. */
export function setNoSender(tx: Transaction, chainId: bigint): void {
  withoutSender.set(tx, chainId);
}

/** True when the sender is named, or has been recovered for this chain. */
export function knowsSender(tx: Transaction, chainId: bigint): boolean {
  return (
    tx.fields.from !== undefined ||
    (tx instanceof DecodedTransaction && tx.knownSender(chainId) !== undefined)
  );
}

/** Recovers the 64-byte public key of a signature. Throws `TransactionError` when there is none. */
export function recoverKey({ digest, signature65 }: RecoveryInput): PublicKey {
  const publicKey = recover(digest, signature65);
  if (publicKey === undefined) throw noRecovery();
  return publicKey;
}

/** Creates the error for a signature that is nobody's. */
export function noRecovery(): TransactionError {
  return new TransactionError("bad-signature", "recovery failed");
}

/** Stores the sender that was recovered elsewhere from `recoveryJob` for the same chain. */
export function setSender(tx: Transaction, chainId: bigint, sender: Address): void {
  if (tx instanceof DecodedTransaction) tx.rememberSender(chainId, sender);
}

/** Throws `TransactionError` `type-not-accepted` when the rules do not have the transaction's type yet. */
export function checkTypeAccepted(tx: Transaction, rules: Rules): void {
  if (tx.type.isAlwaysAccepted || rules.acceptedTypes.has(tx.type.code)) return;
  throw new TransactionError("type-not-accepted", "transaction type not supported");
}

/**
 * Signs a digest: returns r, s and parity (65 bytes), or several of them for types that name their sender.
 */
export type Sign = (digest: Hash) => Uint8Array | readonly Uint8Array[];

/** Signs a draft for a chain. Throws `TransactionError` for an unknown type or too many signatures. */
export function signTransaction(draft: TransactionDraft, chainId: bigint, sign: Sign): Transaction {
  const type = transactionType(draft.code);
  const content: TransactionContent = { ...draft, chainId, fields: draft.fields ?? {} };
  const one = Uint8Array.of(1);
  // The digest omits the signature, but its V determines the chain id.
  const unsigned = type.encode(content, [{ v: type.encodeV(0, chainId), r: one, s: one }]);
  const signatures = signDigest(sign, type.digest(decodeTransaction(unsigned)), { type, chainId });
  if (signatures.length !== 1 && content.fields.from === undefined) throw tooManySignatures();
  return decodeTransaction(type.encode(content, signatures));
}

/**
 * Assembles a draft with the signatures that exist; there are none when the fee payer signs first. The result
 * has bytes, hashes and JSON, but `decodeTransaction` may reject it. Throws `TransactionError`.
 */
export function assembleTransaction(
  draft: TransactionDraft,
  chainId: bigint,
  signatures: readonly Signature[] = [],
): Transaction {
  const type = transactionType(draft.code);
  const content: TransactionContent = { ...draft, chainId, fields: draft.fields ?? {} };
  const raw = type.encode(content, signatures);
  return rethrowMalformed(() => {
    const cursor = new RlpCursor(raw, type.prefix.length);
    return new DecodedTransaction(type, type.read(cursor, 0));
  });
}

/** Returns signatures over a digest in the form of a type and a chain. */
export function signDigest(
  sign: Sign,
  digest: Hash,
  { type, chainId }: { readonly type: TransactionType; readonly chainId: bigint },
): readonly Signature[] {
  const made = sign(digest);
  return (made instanceof Uint8Array ? [made] : made).map((signature) => ({
    v: type.encodeV(signature[64] ?? 0, chainId),
    r: trimZeros(signature.subarray(0, 32)),
    s: trimZeros(signature.subarray(32, 64)),
  }));
}

/** Returns the intrinsic gas. */
export function intrinsicGas(tx: Transaction, rules: Rules): bigint {
  return tx.type.intrinsicGas(tx, rules);
}

/** Returns the lower bound of the gas used (EIP-7623); 0 before Prague. */
export function floorGas(tx: Transaction, rules: Rules): bigint {
  return tx.type.floorGas(tx, rules);
}

/**
 * Returns the effective gas price in peb. With a fee cap below the base fee the result is below the base fee.
 */
export function effectivePrice(tx: TransactionContent, baseFee: bigint | undefined, rules: Rules): bigint {
  if (rules.effectivePrice === "gas-price" || baseFee === undefined) return tx.gasFeeCap;
  if (rules.effectivePrice === "base-fee") return baseFee;
  const room = tx.gasFeeCap - baseFee;
  return baseFee + (tx.gasTipCap < room ? tx.gasTipCap : room);
}
