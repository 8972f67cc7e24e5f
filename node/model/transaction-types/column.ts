import { BytesError } from "../../bytes/error.ts";
import { addressText, toHex } from "../../bytes/hex.ts";
import { toQuantity } from "../../bytes/integer.ts";
import { decodeAccountKey } from "../account-key-decode.ts";
import { anchoredJson } from "../anchoring.ts";
import type { RlpCursor } from "../rlp-cursor.ts";
import { writer } from "../transaction-parts.ts";
import type { TransactionContent, TypeFields } from "../transaction-type.ts";

/** What the columns of a family fill while they read. */
export interface Reading {
  to: Uint8Array | undefined;
  value: bigint;
  input: Uint8Array;
  fields: { -readonly [Name in keyof TypeFields]: TypeFields[Name] };
}

/** One field of the chain's own kinds: how it is read, written and shown. */
export interface Column {
  readonly read: (cursor: RlpCursor, into: Reading) => void;
  readonly write: (content: TransactionContent) => void;
  readonly json: (content: TransactionContent) => Readonly<Record<string, unknown>>;
}

const NOBODY = new Uint8Array(20);
const NOTHING = new Uint8Array(0);
/** The nil key, serialised. */
const NO_KEY = Uint8Array.of(0x80);

/** An account that the transaction goes to. */
export const recipient: Column = {
  read: (cursor, into) => {
    into.to = cursor.fixed(20);
  },
  write: ({ to }) => writer.string(to ?? NOBODY),
  json: ({ to }) => ({ to: addressText(to ?? NOBODY) }),
};

/** The place of a recipient in a kind that makes a contract: always empty. */
export const noRecipient: Column = {
  read: (cursor) => {
    if (cursor.string().length > 0)
      throw new BytesError("bad-rlp", "rlp: a contract deploy names no recipient");
  },
  write: () => writer.string(NOTHING),
  json: () => ({ to: null }),
};

/** An amount in peb. */
export const value: Column = {
  read: (cursor, into) => {
    into.value = cursor.bigint();
  },
  write: (content) => writer.integer(content.value),
  json: (content) => ({ value: toQuantity(content.value) }),
};

/** The account that sends. */
export const from: Column = {
  read: (cursor, into) => {
    into.fields.from = cursor.fixed(20);
  },
  write: ({ fields }) => writer.string(fields.from ?? NOBODY),
  json: ({ fields }) => ({ from: addressText(fields.from ?? NOBODY) }),
};

/** Bytes for a contract, a memo, or code to be run. */
export const input: Column = {
  read: (cursor, into) => {
    into.input = cursor.string();
  },
  write: (content) => writer.string(content.input),
  json: (content) => ({ input: toHex(content.input) }),
};

/** Data of another chain: bytes, shown decoded as well. */
export const anchored: Column = {
  ...input,
  json: (content) => ({ input: toHex(content.input), inputJSON: anchoredJson(content.input) }),
};

/** A serialised account key, which has to be a key's form. */
export const key: Column = {
  read: (cursor, into) => {
    into.fields.key = cursor.string();
    decodeAccountKey(into.fields.key);
  },
  write: ({ fields }) => writer.string(fields.key ?? NO_KEY),
  json: ({ fields }) => ({ key: toHex(fields.key ?? NO_KEY) }),
};

/** Whether a contract is to have a readable address: no chain allows it. */
export const humanReadable: Column = {
  read: (cursor, into) => {
    into.fields.humanReadable = cursor.boolean();
  },
  write: ({ fields }) => writer.integer(fields.humanReadable === true ? 1 : 0),
  json: ({ fields }) => ({ humanReadable: fields.humanReadable === true }),
};

/** What kind of code a contract has: 0 is the EVM's. */
export const codeFormat: Column = {
  read: (cursor, into) => {
    into.fields.codeFormat = cursor.number(1);
  },
  write: ({ fields }) => writer.integer(fields.codeFormat ?? 0),
  json: ({ fields }) => ({ codeFormat: toQuantity(fields.codeFormat ?? 0) }),
};

/** How many percent of the fee the fee payer pays. */
export const feeRatio: Column = {
  read: (cursor, into) => {
    into.fields.feeRatio = cursor.number(1);
  },
  write: ({ fields }) => writer.integer(fields.feeRatio ?? 0),
  json: ({ fields }) => ({ feeRatio: toQuantity(fields.feeRatio ?? 0) }),
};
