/** Codecs shared by several transaction types: signatures, access lists, digests and common JSON. */
import type { Address, Hash, StorageKey } from "../bytes/brands.ts";
import { addressText, hashText, toHex } from "../bytes/hex.ts";
import { bytesToBigint, toQuantity } from "../bytes/integer.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { RlpWriter } from "../bytes/rlp-writer.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { isLowS, isScalar } from "../crypto/secp256k1.ts";
import { TransactionError } from "./error.ts";
import type { AccessListEntry, Signature, TransactionBody, TransactionContent } from "./transaction-type.ts";

/** Writer of all types; used and emptied within one call. */
export const writer = new RlpWriter(4096);

const ADDRESS_LENGTH = 20;
const scalar = new Uint8Array(32);

/** Reads V, R, S of any size: signers are judged later, as in the Go node. */
export function readSignature(cursor: RlpCursor): Signature {
  const anySize = Number.POSITIVE_INFINITY;
  return { v: cursor.integer(), r: cursor.integerView(anySize), s: cursor.integerView(anySize) };
}

/** Writes V, R, S. */
export function writeSignature({ v, r, s }: Signature): void {
  writer.string(s);
  writer.string(r);
  writer.integer(v);
}

/** Reads a list of V, R, S. */
export function readSignatures(cursor: RlpCursor): readonly Signature[] {
  const end = cursor.enter();
  const signatures: Signature[] = [];
  while (!cursor.done) {
    const entryEnd = cursor.enter();
    signatures.push(readSignature(cursor));
    cursor.leave(entryEnd);
  }
  cursor.leave(end);
  return signatures;
}

/** Writes a list of V, R, S. */
export function writeSignatures(signatures: readonly Signature[]): void {
  const all = writer.length;
  for (let i = signatures.length - 1; i >= 0; i--) {
    const mark = writer.length;
    writeSignature(signatures[i] as Signature); // in range: loop bound
    writer.list(mark);
  }
  writer.list(all);
}

/** Returns signatures as JSON. */
export function signaturesJson(signatures: readonly Signature[]): readonly object[] {
  return signatures.map(({ v, r, s }) => ({
    V: toQuantity(v),
    R: toQuantity(bytesToBigint(r)),
    S: toQuantity(bytesToBigint(s)),
  }));
}

/** Reads a recipient; undefined for an empty string. */
export function readRecipient(cursor: RlpCursor): Address | undefined {
  return cursor.optionalFixed(ADDRESS_LENGTH);
}

/** True when r and s are within 1..N-1. */
export function inRange({ r, s }: Signature): boolean {
  return isInRange(r) && isInRange(s);
}

/** True when s is at most half the order (EIP-2). */
export function hasLowS({ s }: Pick<Signature, "s">): boolean {
  return s.length <= 32 && isLowS(padScalar(s));
}

const SIGNATURE_BYTES = 65;
const SLAB_SIGNATURES = 256;
/**
 * Shared buffer for signatures: arrays above 64 bytes are off the heap and cost much more alone than as
 * views.
 */
let slab = new Uint8Array(0);
let slabAt = 0;

/** Returns r, s and parity as the 65 bytes that recovery takes. */
export function signatureBytes({ r, s }: Pick<Signature, "r" | "s">, parity: number): Uint8Array {
  if (slabAt === slab.length) {
    slab = new Uint8Array(SLAB_SIGNATURES * SIGNATURE_BYTES);
    slabAt = 0;
  }
  const bytes = slab.subarray(slabAt, slabAt + SIGNATURE_BYTES);
  slabAt += SIGNATURE_BYTES;
  bytes.set(r, 32 - r.length);
  bytes.set(s, 64 - s.length);
  bytes[64] = parity;
  return bytes;
}

function isInRange(integer: Uint8Array): boolean {
  if (integer.length < 32) return integer.length > 0;
  return isScalar(integer);
}

function padScalar(integer: Uint8Array): Uint8Array {
  if (integer.length === 32) return integer;
  scalar.fill(0, 0, 32 - integer.length);
  scalar.set(integer, 32 - integer.length);
  return scalar;
}

/** Creates the error for an invalid signature. */
export function badSignature(): TransactionError {
  return new TransactionError("bad-signature", "invalid transaction v, r, s values");
}

/**
 * Checks signatures of types whose V is the parity. Decoding reads the last byte of V alone, as the Go node does
 * (`SanityCheckSignatures` in blockchain/types/tx_signatures.go@v2.2.2); a larger V has no signer.
 */
export function checkParitySignature({ signatures }: TransactionBody): void {
  for (const signature of signatures) {
    if (BigInt.asUintN(8, signature.v) > 1n || !inRange(signature)) throw badSignature();
  }
}

/**
 * Returns the hash of a list: the first `count` items of the list at `listAt` in `raw`, then the items in
 * `tail`; preceded by the byte `lead` when given.
 */
export function digestOfFirst(
  raw: Uint8Array,
  { listAt, count }: { readonly listAt: number; readonly count: number },
  lead: number | undefined,
  tail: Uint8Array,
): Hash {
  const cursor = new RlpCursor(raw, listAt);
  cursor.enter();
  const from = cursor.at;
  for (let i = 0; i < count; i++) cursor.skip();
  writer.reset().raw(tail);
  writer.raw(raw.subarray(from, cursor.at));
  writer.list(0);
  if (lead !== undefined) writer.byte(lead);
  return keccak256(writer.view);
}

/** Reads an access list. */
export function readAccessList(cursor: RlpCursor): readonly AccessListEntry[] {
  const end = cursor.enter();
  const entries: AccessListEntry[] = [];
  while (!cursor.done) {
    const entryEnd = cursor.enter();
    const address = cursor.address();
    const keysEnd = cursor.enter();
    const storageKeys: StorageKey[] = [];
    while (!cursor.done) storageKeys.push(cursor.fixedBytes(32));
    cursor.leave(keysEnd);
    cursor.leave(entryEnd);
    entries.push({ address, storageKeys });
  }
  cursor.leave(end);
  return entries;
}

/** Writes an access list; undefined as the empty one. */
export function writeAccessList(entries: readonly AccessListEntry[] = []): void {
  const all = writer.length;
  for (const { address, storageKeys } of entries.toReversed()) {
    const mark = writer.length;
    for (const key of storageKeys.toReversed()) writer.string(key);
    writer.list(mark);
    writer.string(address);
    writer.list(mark);
  }
  writer.list(all);
}

/** Returns an access list as JSON. */
export function accessListJson(entries: readonly AccessListEntry[] = []): readonly object[] {
  return entries.map(({ address, storageKeys }) => ({
    address: addressText(address),
    storageKeys: storageKeys.map(hashText),
  }));
}

/** Returns gas, recipient, value and input as JSON, in this order in every type. */
export function callFieldsJson({
  gas,
  to,
  value,
  input,
}: TransactionContent): Readonly<Record<string, unknown>> {
  return {
    gas: toQuantity(gas),
    to: to === undefined ? null : addressText(to),
    value: toQuantity(value),
    input: toHex(input),
  };
}

/** Returns the gas price of a type without a fee cap, in peb. */
export function ownPrice({ gasFeeCap }: TransactionContent): bigint {
  return gasFeeCap;
}
