/**
 * Sidecars of blob transactions (EIP-4844, EIP-7594): `[[fields...], blobs, commitments, proofs]`, with a 1
 * before the blobs in version 1. They are part of peer messages and the pool; blocks and hashes cover the
 * fields alone.
 */

import { integerBytes } from "../bytes/integer.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { TransactionError } from "./error.ts";
import { writer } from "./transaction-codec.ts";
import type { BlobSidecar, TransactionBody } from "./transaction-type.ts";

const BLOB_BYTES = 131_072;
/** Bytes of a KZG commitment and of a proof (EIP-4844). */
const POINT_BYTES = 48;

/** Reads a sidecar, which follows the fields in the outer list. */
export function readSidecar(cursor: RlpCursor): BlobSidecar {
  return {
    version: readVersion(cursor),
    blobs: readFixed(cursor, BLOB_BYTES),
    commitments: readFixed(cursor, POINT_BYTES),
    proofs: readFixed(cursor, POINT_BYTES),
  };
}

/** Writes a sidecar, before the fields are written in front of it. */
export function writeSidecar({ version, blobs, commitments, proofs }: BlobSidecar): void {
  for (const list of [proofs, commitments, blobs]) {
    const mark = writer.length;
    for (const item of list.toReversed()) writer.string(item);
    writer.list(mark);
  }
  if (version === 1) writer.integer(version);
}

/** Returns the RLP list of version, blobs, commitments and proofs: the form of peer messages and of files. */
export function encodeSidecar({ version, blobs, commitments, proofs }: BlobSidecar): Uint8Array {
  return encodeRlp([integerBytes(version), [...blobs], [...commitments], [...proofs]]);
}

/** Reads the form of `encodeSidecar`. Throws `BytesError`, or `TransactionError` for an unknown version. */
export function readListedSidecar(cursor: RlpCursor): BlobSidecar {
  const end = cursor.enter();
  const version = cursor.number(1);
  if (version !== 0 && version !== 1) throw unsupportedVersion(version);
  const sidecar: BlobSidecar = {
    version,
    blobs: readFixed(cursor, BLOB_BYTES),
    commitments: readFixed(cursor, POINT_BYTES),
    proofs: readFixed(cursor, POINT_BYTES),
  };
  cursor.leave(end);
  return sidecar;
}

/** Returns the transaction without its sidecar, as blocks contain it. */
export function withoutSidecar({ raw, fields }: TransactionBody, prefix: Uint8Array): Uint8Array {
  if (fields.sidecar === undefined) return raw;
  const cursor = new RlpCursor(raw, prefix.length);
  cursor.enter();
  const list = cursor.raw();
  const bare = new Uint8Array(prefix.length + list.length);
  bare.set(prefix);
  bare.set(list, prefix.length);
  return bare;
}

function readVersion(cursor: RlpCursor): BlobSidecar["version"] {
  if (cursor.atList) return 0;
  const version = cursor.number(1);
  if (version === 1) return version;
  throw unsupportedVersion(version);
}

function unsupportedVersion(version: number): TransactionError {
  return new TransactionError("unsupported-type", `unsupported blob tx version ${version}`);
}

function readFixed(cursor: RlpCursor, length: number): readonly Uint8Array[] {
  const end = cursor.enter();
  const items: Uint8Array[] = [];
  while (!cursor.done) items.push(cursor.fixedBytes(length));
  cursor.leave(end);
  return items;
}
