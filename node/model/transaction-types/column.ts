/** Columns of Kaia's own transaction types: one reader, writer and JSON form for each field. */
import type { Address } from "../../bytes/brands.ts";
import { addressText, toHex } from "../../bytes/hex.ts";
import { toQuantity } from "../../bytes/integer.ts";
import type { RlpCursor } from "../../bytes/rlp-cursor.ts";
import { decodeAccountKey } from "../account-key-decode.ts";
import { anchoringJson } from "../anchoring.ts";
import { writer } from "../transaction-codec.ts";
import type { TransactionContent, TypeFields } from "../transaction-type.ts";

/** The fields that columns fill while a transaction is read. */
export interface ColumnValues {
  to: Address | undefined;
  value: bigint;
  input: Uint8Array;
  fields: { -readonly [Name in keyof TypeFields]: TypeFields[Name] };
}

/** The codec of one field: reader, writer and JSON. */
export interface Column {
  readonly read: (cursor: RlpCursor, into: ColumnValues) => void;
  readonly write: (content: TransactionContent) => void;
  readonly json: (content: TransactionContent) => Readonly<Record<string, unknown>>;
}

const NOBODY = new Uint8Array(20);
const NOTHING = new Uint8Array(0);
/** The nil key, serialised. */
const NO_KEY = Uint8Array.of(0x80);

/** The recipient. */
export const recipient: Column = {
  read: (cursor, into) => {
    into.to = cursor.address();
  },
  write: ({ to }) => writer.string(to ?? NOBODY),
  json: ({ to }) => ({ to: addressText(to ?? NOBODY) }),
};

/** The recipient of a type that creates a contract: empty in a valid one, and judged with the accounts. */
export const noRecipient: Column = {
  read: (cursor, into) => {
    into.to = cursor.optionalFixed(20);
  },
  write: ({ to }) => writer.string(to ?? NOTHING),
  json: ({ to }) => ({ to: to === undefined ? null : addressText(to) }),
};

/** The value in peb. */
export const value: Column = {
  read: (cursor, into) => {
    into.value = cursor.integer();
  },
  write: (content) => writer.integer(content.value),
  json: (content) => ({ value: toQuantity(content.value) }),
};

/** The sender. */
export const from: Column = {
  read: (cursor, into) => {
    into.fields.from = cursor.address();
  },
  write: ({ fields }) => writer.string(fields.from ?? NOBODY),
  json: ({ fields }) => ({ from: addressText(fields.from ?? NOBODY) }),
};

/** Call data, a memo, or init code. */
export const input: Column = {
  read: (cursor, into) => {
    into.input = cursor.string();
  },
  write: (content) => writer.string(content.input),
  json: (content) => ({ input: toHex(content.input) }),
};

/** Anchored data of another chain: bytes, in JSON also decoded. */
export const anchored: Column = {
  ...input,
  json: (content) => ({ input: toHex(content.input), inputJSON: anchoringJson(content.input) }),
};

/** A serialised account key; only its form is checked. */
export const key: Column = {
  read: (cursor, into) => {
    into.fields.key = cursor.string();
    decodeAccountKey(into.fields.key);
  },
  write: ({ fields }) => writer.string(fields.key ?? NO_KEY),
  json: ({ fields }) => ({ key: toHex(fields.key ?? NO_KEY) }),
};

/** A readable address for the new contract; no chain accepts true. */
export const humanReadable: Column = {
  read: (cursor, into) => {
    into.fields.humanReadable = cursor.boolean();
  },
  write: ({ fields }) => writer.integer(fields.humanReadable === true ? 1 : 0),
  json: ({ fields }) => ({ humanReadable: fields.humanReadable === true }),
};

/** The code format of the new contract; 0 is the EVM's. */
export const codeFormat: Column = {
  read: (cursor, into) => {
    into.fields.codeFormat = cursor.number(1);
  },
  write: ({ fields }) => writer.integer(fields.codeFormat ?? 0),
  json: ({ fields }) => ({ codeFormat: toQuantity(fields.codeFormat ?? 0) }),
};

/** The percentage of the fee that the fee payer pays. */
export const feeRatio: Column = {
  read: (cursor, into) => {
    into.fields.feeRatio = cursor.number(1);
  },
  write: ({ fields }) => writer.integer(fields.feeRatio ?? 0),
  json: ({ fields }) => ({ feeRatio: toQuantity(fields.feeRatio ?? 0) }),
};
