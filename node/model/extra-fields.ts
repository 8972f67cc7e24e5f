/**
 * The parts of an Istanbul extra field as they stand there, and the two shortened forms that hashes cover.
 * The field's meaning is told in `istanbul-extra.ts`.
 */
import { BytesError } from "../bytes/error.ts";
import { RlpCursor } from "./rlp-cursor.ts";
import { RlpWriter } from "./rlp-writer.ts";

/** How many bytes the vanity has; the last one is the round. */
export const VANITY_LENGTH = 32;

/** The list after the vanity. All byte strings are views. */
export interface ExtraFields {
  readonly validators: readonly Uint8Array[];
  readonly seal: Uint8Array;
  readonly committedSeals: readonly Uint8Array[];
}

/** More validators or seals than this are not read: no council comes near it, and each costs memory. */
const MAX_ITEMS = 4_096;
const ADDRESS_LENGTH = 20;
const EMPTY_STRING = Uint8Array.of(0x80);
const EMPTY_LIST = Uint8Array.of(0xc0);
const writer = new RlpWriter(2048);

/** Reads the list; undefined when the field has another form. */
export function readExtraFields(extra: Uint8Array): ExtraFields | undefined {
  return reading(extra, (cursor) => ({
    validators: readList(cursor, ADDRESS_LENGTH),
    seal: cursor.string(),
    committedSeals: readList(cursor),
  }));
}

/** The field with round 0 and without committed seals, as the block hash covers it; undefined for another form. */
export function hashedExtra(extra: Uint8Array): Uint8Array | undefined {
  const bounds = findBounds(extra);
  return bounds && shortened(extra, bounds.validators, bounds.seal);
}

/** The field with round 0 and without any seal, as the proposer signs it; undefined for another form. */
export function signedExtra(extra: Uint8Array): Uint8Array | undefined {
  const bounds = findBounds(extra);
  return bounds && shortened(extra, bounds.validators, EMPTY_STRING);
}

/** Validators and seal as they stand there, after every item was found to have the right form. */
function findBounds(extra: Uint8Array): { validators: Uint8Array; seal: Uint8Array } | undefined {
  return reading(extra, (cursor) => {
    const from = cursor.at;
    passList(cursor, ADDRESS_LENGTH);
    const sealAt = cursor.at;
    cursor.string();
    const sealEnd = cursor.at;
    passList(cursor);
    return { validators: extra.subarray(from, sealAt), seal: extra.subarray(sealAt, sealEnd) };
  });
}

/** Calls `read` inside the list after the vanity, which it has to read to the end. */
function reading<T>(extra: Uint8Array, read: (cursor: RlpCursor) => T): T | undefined {
  if (extra.length < VANITY_LENGTH) return undefined;
  try {
    const cursor = new RlpCursor(extra, VANITY_LENGTH);
    const end = cursor.enter();
    const result = read(cursor);
    cursor.leave(end);
    return cursor.done ? result : undefined;
  } catch (error) {
    if (error instanceof BytesError) return undefined; // every damage has the same answer
    throw error;
  }
}

function readList(cursor: RlpCursor, itemLength?: number): Uint8Array[] {
  const end = cursor.enter();
  const items: Uint8Array[] = [];
  while (!cursor.done) {
    if (items.length === MAX_ITEMS) throw new BytesError("bad-rlp", `rlp: more than ${MAX_ITEMS} items`);
    items.push(itemLength === undefined ? cursor.string() : cursor.fixed(itemLength));
  }
  cursor.leave(end);
  return items;
}

function passList(cursor: RlpCursor, itemLength?: number): void {
  const end = cursor.enter();
  while (!cursor.done) cursor.skipString(itemLength);
  cursor.leave(end);
}

function shortened(extra: Uint8Array, rawValidators: Uint8Array, rawSeal: Uint8Array): Uint8Array {
  writer.reset().raw(EMPTY_LIST);
  writer.raw(rawSeal);
  writer.raw(rawValidators);
  writer.list(0);
  writer.byte(0);
  writer.raw(extra.subarray(0, VANITY_LENGTH - 1));
  return writer.take();
}
