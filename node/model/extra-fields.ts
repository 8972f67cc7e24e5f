/**
 * Reads the fields of an Istanbul extra field, and computes the two reduced forms that hashes cover.
 * `istanbul-extra.ts` gives them their meaning.
 */
import type { Address } from "../bytes/brands.ts";
import { BytesError } from "../bytes/error.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { RlpWriter } from "../bytes/rlp-writer.ts";

/** Length of the vanity in bytes; its last byte is the consensus round. */
export const VANITY_LENGTH = 32;

/** The list after the vanity. All byte strings are views. */
export interface ExtraFields {
  /** Read each time: no rule of a header reads them, and a proposer may name as many as a message has room for. */
  readonly validators: readonly Address[];
  readonly seal: Uint8Array;
  readonly committedSeals: readonly Uint8Array[];
}

/** Upper bound of the seals to read; no council is near it, and each one takes memory. */
const MAX_SEALS = 4_096;
const ADDRESS_LENGTH = 20;
const EMPTY_STRING = Uint8Array.of(0x80);
const EMPTY_LIST = Uint8Array.of(0xc0);
const writer = new RlpWriter(2048);

/** Reads the list; undefined for a malformed field. */
export function readExtraFields(extra: Uint8Array): ExtraFields | undefined {
  return readInList(extra, (cursor) => {
    const from = cursor.at;
    skipList(cursor, ADDRESS_LENGTH);
    return {
      get validators() {
        return readAddresses(new RlpCursor(extra, from));
      },
      seal: cursor.string(),
      committedSeals: readSeals(cursor),
    };
  });
}

/**
 * Returns the field with round 0 and without committed seals, as the block hash covers it; undefined for a
 * malformed field.
 */
export function extraForHash(extra: Uint8Array): Uint8Array | undefined {
  const bounds = findBounds(extra);
  return bounds && reduceExtra(extra, bounds.validators, bounds.seal);
}

/**
 * Returns the field with round 0 and without any seal, as the proposer signs it; undefined for a malformed
 * field.
 */
export function extraForSeal(extra: Uint8Array): Uint8Array | undefined {
  const bounds = findBounds(extra);
  return bounds && reduceExtra(extra, bounds.validators, EMPTY_STRING);
}

/** Returns validators and seal as raw RLP once every item has been checked. */
function findBounds(extra: Uint8Array): { validators: Uint8Array; seal: Uint8Array } | undefined {
  return readInList(extra, (cursor) => {
    const from = cursor.at;
    skipList(cursor, ADDRESS_LENGTH);
    const sealAt = cursor.at;
    cursor.string();
    const sealEnd = cursor.at;
    skipList(cursor);
    return { validators: extra.subarray(from, sealAt), seal: extra.subarray(sealAt, sealEnd) };
  });
}

/** Calls `read` inside the list after the vanity; `read` must consume all of it. */
function readInList<T>(extra: Uint8Array, read: (cursor: RlpCursor) => T): T | undefined {
  if (extra.length < VANITY_LENGTH) return undefined;
  try {
    const cursor = new RlpCursor(extra, VANITY_LENGTH);
    const end = cursor.enter();
    const result = read(cursor);
    cursor.leave(end);
    return cursor.done ? result : undefined;
  } catch (error) {
    if (error instanceof BytesError) return undefined; // every malformed field has the same result
    throw error;
  }
}

function readAddresses(cursor: RlpCursor): Address[] {
  cursor.enter();
  const addresses: Address[] = [];
  while (!cursor.done) addresses.push(cursor.address());
  return addresses;
}

function readSeals(cursor: RlpCursor): Uint8Array[] {
  const end = cursor.enter();
  const seals: Uint8Array[] = [];
  while (!cursor.done) {
    if (seals.length === MAX_SEALS) throw new BytesError("bad-rlp", `rlp: more than ${MAX_SEALS} seals`);
    seals.push(cursor.string());
  }
  cursor.leave(end);
  return seals;
}

function skipList(cursor: RlpCursor, itemLength?: number): void {
  const end = cursor.enter();
  while (!cursor.done) cursor.skipString(itemLength);
  cursor.leave(end);
}

function reduceExtra(extra: Uint8Array, rawValidators: Uint8Array, rawSeal: Uint8Array): Uint8Array {
  writer.reset().raw(EMPTY_LIST);
  writer.raw(rawSeal);
  writer.raw(rawValidators);
  writer.list(0);
  writer.byte(0);
  writer.raw(extra.subarray(0, VANITY_LENGTH - 1));
  return writer.take();
}
