/**
 * The parts of an Istanbul extra field as they stand there, and the two shortened forms that hashes cover.
 * The field's meaning is told in `istanbul-extra.ts`.
 */
import { BytesError } from "../bytes/error.ts";
import { RlpCursor } from "./rlp-cursor.ts";
import { RlpWriter } from "./rlp-writer.ts";

/** How many bytes the vanity has; the last one is the round. */
export const VANITY_LENGTH = 32;

/** The list after the vanity; `raw` are the first two items with their RLP headers. All are views. */
export interface ExtraFields {
  readonly validators: readonly Uint8Array[];
  readonly seal: Uint8Array;
  readonly committedSeals: readonly Uint8Array[];
  readonly raw: { readonly validators: Uint8Array; readonly seal: Uint8Array };
}

const EMPTY_STRING = Uint8Array.of(0x80);
const EMPTY_LIST = Uint8Array.of(0xc0);
const writer = new RlpWriter(2048);

/** Reads the list; undefined when the field has another form. */
export function readExtraFields(extra: Uint8Array): ExtraFields | undefined {
  if (extra.length < VANITY_LENGTH) return undefined;
  try {
    return readFields(extra);
  } catch (error) {
    if (error instanceof BytesError) return undefined; // every damage has the same answer
    throw error;
  }
}

/** The field with round 0 and without committed seals, as the block hash covers it; undefined for another form. */
export function hashedExtra(extra: Uint8Array): Uint8Array | undefined {
  const fields = readExtraFields(extra);
  return fields && shortened(extra, fields.raw.validators, fields.raw.seal);
}

/** The field with round 0 and without any seal, as the proposer signs it; undefined for another form. */
export function signedExtra(extra: Uint8Array): Uint8Array | undefined {
  const fields = readExtraFields(extra);
  return fields && shortened(extra, fields.raw.validators, EMPTY_STRING);
}

function readFields(extra: Uint8Array): ExtraFields {
  const cursor = new RlpCursor(extra, VANITY_LENGTH);
  const end = cursor.enter();
  const validatorsAt = cursor.at;
  const validators = readList(cursor, 20);
  const sealAt = cursor.at;
  const seal = cursor.string();
  const raw = { validators: extra.subarray(validatorsAt, sealAt), seal: extra.subarray(sealAt, cursor.at) };
  const committedSeals = readList(cursor);
  cursor.leave(end);
  if (!cursor.done) throw new BytesError("bad-rlp", "rlp: bytes after the list");
  return { validators, seal, committedSeals, raw };
}

function readList(cursor: RlpCursor, itemLength?: number): Uint8Array[] {
  const end = cursor.enter();
  const items: Uint8Array[] = [];
  while (!cursor.done) items.push(itemLength === undefined ? cursor.string() : cursor.fixed(itemLength));
  cursor.leave(end);
  return items;
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
