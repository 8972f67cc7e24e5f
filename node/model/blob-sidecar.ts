/**
 * Sidecars of blob transactions: `[[fields...], blobs, commitments, proofs]`, with a 1 before the blobs in
 * version 1. They travel between nodes and wait in pools; blocks and hashes cover the fields alone.
 */
import { TransactionError } from "./error.ts";
import { RlpCursor } from "./rlp-cursor.ts";
import { writer } from "./transaction-parts.ts";
import type { BlobSidecar, TransactionBody } from "./transaction-type.ts";

const BLOB_BYTES = 131_072;
/** Of a commitment and of a proof (KZG, EIP-4844). */
const POINT_BYTES = 48;

/** Reads what follows the fields in the list that holds both. */
export function readSidecar(cursor: RlpCursor): BlobSidecar {
  return {
    version: readVersion(cursor),
    blobs: readFixed(cursor, BLOB_BYTES),
    commitments: readFixed(cursor, POINT_BYTES),
    proofs: readFixed(cursor, POINT_BYTES),
  };
}

/** Writes the same, before the fields are written in front of it. */
export function writeSidecar({ version, blobs, commitments, proofs }: BlobSidecar): void {
  for (const list of [proofs, commitments, blobs]) {
    const mark = writer.length;
    for (const item of list.toReversed()) writer.string(item);
    writer.list(mark);
  }
  if (version === 1) writer.integer(version);
}

/** The transaction as blocks hold it: the fields without the sidecar. */
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
  throw new TransactionError("unsupported-type", `unsupported blob tx version ${version}`);
}

function readFixed(cursor: RlpCursor, length: number): readonly Uint8Array[] {
  const end = cursor.enter();
  const items: Uint8Array[] = [];
  while (!cursor.done) items.push(cursor.fixed(length));
  cursor.leave(end);
  return items;
}
