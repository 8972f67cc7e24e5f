/**
 * Transactions: decoded out of raw bytes or block bodies, signed, and asked for what depends on their kind.
 * In: bytes, of which everything stays a view. Out: `Transaction`, whose hash and sender are computed at most
 * once. What differs between kinds is in the rows of `transaction-types/`.
 */
import { BytesError } from "../bytes/error.ts";
import type { RlpItem } from "../bytes/rlp.ts";
import type { Rules } from "../config/rules.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { addressOfPublicKey, recover } from "../crypto/secp256k1.ts";
import { ModelError, TransactionError } from "./error.ts";
import { RlpCursor } from "./rlp-cursor.ts";
import { badSignature, hasLowS, signatureBytes } from "./transaction-parts.ts";
import { transactionType } from "./transaction-table.ts";
import type {
  Signature,
  TransactionBody,
  TransactionContent,
  TransactionType,
  TypeFields,
} from "./transaction-type.ts";

/**
 * A decoded transaction. `hash` names it in the chain; `senderTxHash` is what the sender of a transaction with a
 * fee payer knows it by, the same as `hash` for all others.
 */
export interface Transaction extends TransactionBody {
  readonly type: TransactionType;
  readonly hash: Uint8Array;
  readonly senderTxHash: Uint8Array;
}

/** What is to be signed; `code` is the number of the kind. Fields that a kind lacks are ignored. */
export interface TransactionDraft extends Omit<TransactionContent, "chainId" | "fields"> {
  readonly code: number;
  readonly fields?: TypeFields;
}

/** What recovering a sender takes. */
export interface SigningJob {
  readonly digest: Uint8Array;
  /** r, s, parity: 65 bytes. */
  readonly signature65: Uint8Array;
}

/** First byte of the kinds that Ethereum defined; the next byte is Ethereum's number. */
const ETHEREUM_PREFIX = 0x78;

class DecodedTransaction implements Transaction {
  readonly type: TransactionType;
  readonly nonce: bigint;
  readonly gas: bigint;
  readonly gasFeeCap: bigint;
  readonly gasTipCap: bigint;
  readonly value: bigint;
  readonly to: Uint8Array | undefined;
  readonly input: Uint8Array;
  readonly chainId: bigint | undefined;
  readonly fields: TypeFields;
  readonly signatures: readonly Signature[];
  readonly raw: Uint8Array;
  #hash: Uint8Array | undefined;
  #senderHash: Uint8Array | undefined;
  #sender: Uint8Array | undefined;
  /** The chain that `#sender` holds for. */
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

  get hash(): Uint8Array {
    this.#hash ??= keccak256(hashedBytes(this));
    return this.#hash;
  }

  get senderTxHash(): Uint8Array {
    const { senderHash } = this.type;
    if (senderHash === undefined) return this.hash;
    this.#senderHash ??= senderHash(this);
    return this.#senderHash;
  }

  knownSender(chainId: bigint): Uint8Array | undefined {
    return this.#senderChain === chainId ? this.#sender : undefined;
  }

  rememberSender(chainId: bigint, sender: Uint8Array): void {
    this.#sender = sender;
    this.#senderChain = chainId;
  }
}

function hashedBytes(body: TransactionBody & { readonly type: TransactionType }): Uint8Array {
  const { hashed, hashFrom } = body.type;
  if (hashed !== undefined) return hashed(body);
  return hashFrom === 0 ? body.raw : body.raw.subarray(hashFrom);
}

/** Reads one transaction that fills `raw` (the form inside block bodies). Throws `TransactionError`. */
export function decodeTransaction(raw: Uint8Array): Transaction {
  return decoding(() => {
    const cursor = new RlpCursor(raw);
    const transaction = readTransaction(cursor);
    if (!cursor.done) throw new TransactionError("malformed", "bytes after the transaction");
    return transaction;
  });
}

/** Reads the transactions of a block body, whose items stand in the list one after the other. Throws `TransactionError`. */
export function readTransactions(list: RlpItem): Transaction[] {
  return [...eachTransaction(list)];
}

/** The same one by one. */
export function* eachTransaction(list: RlpItem): Generator<Transaction, void> {
  const cursor = new RlpCursor(list.raw);
  const end = decoding(() => cursor.enter());
  while (!cursor.done) yield decoding(() => withoutSidecar(readTransaction(cursor)));
  decoding(() => cursor.leave(end));
}

function withoutSidecar(tx: Transaction): Transaction {
  if (tx.fields.sidecar === undefined) return tx;
  throw new TransactionError("sidecar-in-block", "a transaction in a block carries no blobs");
}

function decoding<T>(decode: () => T): T {
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
  const body = type.read(cursor, start);
  type.checkSignatures(body);
  return new DecodedTransaction(type, body);
}

/** The bytes before the list of a typed transaction. */
function readCode(cursor: RlpCursor): number {
  const first = cursor.bytes[cursor.at];
  if (cursor.done || first === undefined || first >= 0x80) {
    throw new TransactionError("malformed", "a transaction begins with a list or a type byte");
  }
  cursor.at++;
  return first === ETHEREUM_PREFIX ? ETHEREUM_PREFIX * 256 + cursor.number(1) : first;
}

/**
 * The digest and signature that give who signed, where one does: the sender, or in kinds that name their sender a
 * signer whom the account's key has to accept. Throws `TransactionError` for a foreign chain or an impossible signature.
 */
export function signingJob(tx: Transaction, chainId: bigint): SigningJob {
  const signature = tx.signatures[0];
  if (signature === undefined || tx.signatures.length > 1) throw tooManySignatures();
  const signature65 = recoverable(tx, signature, chainId);
  return { digest: tx.type.digest(tx), signature65 };
}

/** r, s, parity of a signature for a chain. Throws `TransactionError` for another chain's or an impossible one. */
export function recoverable(tx: Transaction, signature: Signature, chainId: bigint): Uint8Array {
  const meaning = tx.type.meaning(tx, signature);
  if (meaning.chainId !== undefined && meaning.chainId !== chainId) {
    throw new TransactionError("wrong-chain-id", "invalid chain id for signer");
  }
  if (!hasLowS(signature)) throw badSignature();
  return signatureBytes(signature, meaning.parity);
}

function tooManySignatures(): TransactionError {
  return new TransactionError("signature-count", "the number of signatures should be one");
}

/**
 * The sender's address: recovered once per transaction, or the one that the transaction names. A named sender is
 * a claim until `validateSigners` accepted the keys that signed. Throws `TransactionError`.
 */
export function senderOf(tx: Transaction, chainId: bigint): Uint8Array {
  if (tx.fields.from !== undefined) return tx.fields.from;
  const known = tx instanceof DecodedTransaction ? tx.knownSender(chainId) : undefined;
  if (known !== undefined) return known;
  const sender = addressOfPublicKey(recoveredKey(signingJob(tx, chainId)));
  setSender(tx, chainId, sender);
  return sender;
}

/** Whether the sender need not be recovered: it is named, or was found before for this chain. */
export function knowsSender(tx: Transaction, chainId: bigint): boolean {
  return (
    tx.fields.from !== undefined ||
    (tx instanceof DecodedTransaction && tx.knownSender(chainId) !== undefined)
  );
}

/** The 64-byte public key behind a signature. Throws `TransactionError` when there is none. */
export function recoveredKey({ digest, signature65 }: SigningJob): Uint8Array {
  const publicKey = recover(digest, signature65);
  if (publicKey === undefined) throw new TransactionError("bad-signature", "recovery failed");
  return publicKey;
}

/** Tells a transaction its sender, recovered elsewhere from its `signingJob` for the same chain. */
export function setSender(tx: Transaction, chainId: bigint, sender: Uint8Array): void {
  if (tx instanceof DecodedTransaction) tx.rememberSender(chainId, sender);
}

/** Throws `TransactionError` `type-not-accepted` when the rules do not know the transaction's kind yet. */
export function checkTypeAccepted(tx: Transaction, rules: Rules): void {
  if (tx.type.always || rules.acceptedTypes.has(tx.type.code)) return;
  throw new TransactionError("type-not-accepted", "transaction type not supported");
}

/** What signs: r, s, parity (65 bytes) of a digest, or several of them in kinds that name their sender. */
export type Sign = (digest: Uint8Array) => Uint8Array | readonly Uint8Array[];

/** Signs a draft for a chain. Throws `TransactionError` for an unknown kind or too many signatures. */
export function signTransaction(draft: TransactionDraft, chainId: bigint, sign: Sign): Transaction {
  const type = transactionType(draft.code);
  const content: TransactionContent = { ...draft, chainId, fields: draft.fields ?? {} };
  const one = Uint8Array.of(1);
  // The digest leaves the signature out, but says by its V which chain it is for.
  const unsigned = type.encode(content, [{ v: type.v(0, chainId), r: one, s: one }]);
  const signatures = signaturesBy(sign, type.digest(decodeTransaction(unsigned)), { type, chainId });
  if (signatures.length !== 1 && content.fields.from === undefined) throw tooManySignatures();
  return decodeTransaction(type.encode(content, signatures));
}

/**
 * A draft with the signatures that there are, none for instance when the fee payer signs first. What comes out has
 * bytes, hashes and JSON, but `decodeTransaction` may refuse it. Throws `TransactionError`.
 */
export function assembleTransaction(
  draft: TransactionDraft,
  chainId: bigint,
  signatures: readonly Signature[] = [],
): Transaction {
  const type = transactionType(draft.code);
  const content: TransactionContent = { ...draft, chainId, fields: draft.fields ?? {} };
  const raw = type.encode(content, signatures);
  return decoding(() => {
    const cursor = new RlpCursor(raw, type.prefix.length);
    return new DecodedTransaction(type, type.read(cursor, 0));
  });
}

/** Signatures over a digest in the form of a kind and a chain. */
export function signaturesBy(
  sign: Sign,
  digest: Uint8Array,
  { type, chainId }: { readonly type: TransactionType; readonly chainId: bigint },
): readonly Signature[] {
  const made = sign(digest);
  return (made instanceof Uint8Array ? [made] : made).map((signature) => ({
    v: type.v(signature[64] ?? 0, chainId),
    r: shortest(signature.subarray(0, 32)),
    s: shortest(signature.subarray(32, 64)),
  }));
}

function shortest(integer: Uint8Array): Uint8Array {
  let zeros = 0;
  while (integer[zeros] === 0) zeros++;
  return integer.subarray(zeros);
}

/** Gas due before the transaction runs. */
export function intrinsicGas(tx: Transaction, rules: Rules): bigint {
  return tx.type.intrinsicGas(tx, rules);
}

/** The least gas that the transaction uses (EIP-7623); 0 before that rule. */
export function floorGas(tx: Transaction, rules: Rules): bigint {
  return tx.type.floorGas(tx, rules);
}

/** What a unit of gas costs in the end, in peb. A fee cap below the base fee gives less than the base fee. */
export function effectivePrice(tx: TransactionContent, baseFee: bigint | undefined, rules: Rules): bigint {
  if (rules.effectivePrice === "gas-price" || baseFee === undefined) return tx.gasFeeCap;
  if (rules.effectivePrice === "base-fee") return baseFee;
  const room = tx.gasFeeCap - baseFee;
  return baseFee + (tx.gasTipCap < room ? tx.gasTipCap : room);
}
